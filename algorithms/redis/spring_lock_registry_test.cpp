#include "algorithms/redis/spring_lock_registry.hpp"

#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"

namespace picklock {
namespace {

using testing::Fate;
using testing::LabClient;
using testing::options_of;
using testing::RedisLockLab;

std::function<void(Options&)> spring(SpringRelease release,
                                     const std::function<void(SpringLockOptions&)>& set = nullptr) {
  return options_of<SpringLockOptions>([release, set](SpringLockOptions& o) {
    o.release = release;
    o.ttl = milliseconds(500);
    if (set) set(o);
  });
}

constexpr SpringRelease kReleases[] = {SpringRelease::v5_1_1, SpringRelease::v6_0_3, SpringRelease::v7_0,
                                       SpringRelease::v7_1_0, SpringRelease::v7_1};

void set_renewal(SpringLockOptions& o) { o.renewal = true; }

// Two threads of one process, and a client of another.
struct ThreeClients {
  explicit ThreeClients(const std::function<void(Options&)>& set)
      : process(world.process(1)),
        a(process, 1, "spring-lock-registry", set),
        c(process, 2, "spring-lock-registry", set),
        b(world.server, 2, "spring-lock-registry", set) {}
  RedisLockLab world;
  std::shared_ptr<testing::LabProcess> process;
  LabClient a, c, b;
};

TEST(SpringLock, ThreadsWaitForTheLocalLockAndAskNothing) {
  ThreeClients all(spring(SpringRelease::v7_1));
  all.a.acquire();
  all.world.run(milliseconds(10));
  ASSERT_TRUE(all.a.holds());
  all.c.acquire();
  all.world.run(milliseconds(300));
  EXPECT_FALSE(all.c.acquired);
  EXPECT_EQ(all.world.count("EVAL"), 1);
  all.a.release(all.a.hold());
  all.world.run(milliseconds(320));
  EXPECT_TRUE(all.a.released->yes());
  EXPECT_TRUE(all.c.holds());
}

TEST(SpringLock, OtherProcessesAskUntilTheKeyIsGone) {
  ThreeClients all(spring(SpringRelease::v7_1));
  all.a.acquire();
  all.world.run(milliseconds(10));
  all.b.acquire();
  all.world.run(milliseconds(450));
  EXPECT_FALSE(all.b.acquired);
  all.world.run(milliseconds(650));
  EXPECT_TRUE(all.b.holds());
}

TEST(SpringLock, TimedWaitsEndAtTheLocalLockAndAtTheServer) {
  ThreeClients all(spring(SpringRelease::v7_1));
  all.a.acquire();
  all.world.run(milliseconds(10));
  all.c.acquire(Patience::lasting(all.c.host(), milliseconds(50)));
  all.b.acquire(Patience::lasting(all.b.host(), milliseconds(150)));
  all.world.run(milliseconds(64));
  ASSERT_TRUE(all.c.acquired);
  EXPECT_EQ(all.c.acquired->why(), Why::refused);
  all.world.run(milliseconds(300));
  ASSERT_TRUE(all.b.acquired);
  EXPECT_EQ(all.b.acquired->why(), Why::refused);
}

TEST(SpringLock, CountsHowOftenAThreadHasLocked) {
  ThreeClients all(spring(SpringRelease::v7_1));
  all.a.acquire();
  all.world.run(milliseconds(10));
  all.a.acquire();
  all.world.run(milliseconds(20));
  ASSERT_TRUE(all.a.holds());
  all.a.release(all.a.hold());
  all.world.run(milliseconds(30));
  EXPECT_TRUE(all.a.released->yes());
  EXPECT_EQ(all.world.server.ask("EXISTS", "door"), "1");
  all.a.release(all.a.hold());
  all.world.run(milliseconds(40));
  EXPECT_EQ(all.world.server.ask("EXISTS", "door"), "0");
  all.a.release(all.a.hold());
  all.world.run(milliseconds(50));
  EXPECT_EQ(all.a.released->why(), Why::refused) << "you do not own the lock";
}

TEST(SpringLock, ALostAnswerThrowsAndFreesTheLocalLock) {
  ThreeClients all(spring(SpringRelease::v7_1));
  all.world.server.next(1, {Fate::reply_lost});
  all.a.acquire();
  all.world.run(milliseconds(100));
  ASSERT_TRUE(all.a.acquired);
  EXPECT_TRUE(all.a.acquired->unknown());
  all.c.acquire();
  all.world.run(milliseconds(110));
  EXPECT_TRUE(all.c.holds()) << "the key has this registry's id";
}

TEST(SpringLock, ALateUnlock) {
  for (const SpringRelease release : kReleases) {
    ThreeClients all(spring(release));
    all.a.acquire();
    all.world.run(milliseconds(10));
    all.b.acquire();
    all.world.run(milliseconds(700));
    ASSERT_TRUE(all.b.holds());
    all.a.release(all.a.hold());
    all.world.run_on(milliseconds(10));
    const bool bare = release == SpringRelease::v5_1_1;
    EXPECT_EQ(all.a.released->yes(), bare);
    EXPECT_EQ(all.a.released->refused(), !bare);
    EXPECT_EQ(all.world.server.ask("EXISTS", "door"), bare ? "0" : "1");
  }
}

// GH-8699
TEST(SpringLock, AnUnlockOfTwoCommandsDeletesWhatCameBetween) {
  for (const SpringRelease release : {SpringRelease::v6_0_3, SpringRelease::v7_1}) {
    ThreeClients all(spring(release));
    all.a.acquire();
    all.world.run(milliseconds(10));
    all.world.server.next(1, {Fate::answered, Fate::slow});
    all.a.release(all.a.hold());
    all.world.run(milliseconds(15));
    all.world.server.ask("SET", "door", "other");
    all.world.run(milliseconds(60));
    EXPECT_EQ(all.world.server.ask("EXISTS", "door"), release == SpringRelease::v6_0_3 ? "0" : "1");
  }
}

TEST(SpringLock, AnUnlockWithoutAnswerIsUnknownAndFreesTheLocalLock) {
  for (const SpringRelease release : kReleases) {
    ThreeClients all(spring(release));
    all.a.acquire();
    all.world.run(milliseconds(10));
    all.world.server.next(1, {Fate::reply_lost});
    all.a.release(all.a.hold());
    all.world.run(milliseconds(100));
    ASSERT_TRUE(all.a.released);
    EXPECT_TRUE(all.a.released->unknown());
    all.c.acquire();
    all.world.run(milliseconds(120));
    EXPECT_TRUE(all.c.holds());
  }
}

// PR #8572: c drops the object that a has obtained and not locked, and gets another one.  From 7.1.1 on an object is as old
// as it is, and at an age of 0 it may go.
TEST(SpringLock, ADroppedObjectLetsTwoThreadsIn) {
  for (const SpringRelease release : kReleases) {
    ThreeClients all(spring(release, [](auto& o) { o.expire_unused = milliseconds(0); }));
    all.a.acquire();
    all.c.acquire();
    all.world.run(milliseconds(50));
    EXPECT_TRUE(all.a.holds());
    const bool kept = release == SpringRelease::v7_0 || release == SpringRelease::v7_1_0;
    EXPECT_EQ(all.c.holds(), !kept) << "an object of the name has come meanwhile";
  }
}

TEST(SpringLock, AYoungObjectThatWasNeverLockedIsDroppedUntil603) {
  for (const SpringRelease release : kReleases) {
    ThreeClients all(spring(release, [](auto& o) { o.expire_unused = seconds(3600); }));
    all.a.acquire();
    all.c.acquire();
    all.world.run(milliseconds(50));
    EXPECT_TRUE(all.a.holds());
    EXPECT_EQ(all.c.holds(), release <= SpringRelease::v6_0_3);
  }
}

// The object was locked 100 ms ago when a obtains it; at c's clean-up it is too old.
TEST(SpringLock, AnObjectOfLongAgoIsDroppedThoughAThreadHasObtainedIt) {
  for (const SpringRelease release : kReleases) {
    ThreeClients all(spring(release, [](auto& o) { o.expire_unused = milliseconds(150); }));
    bool stop = false;
    all.world.runtime.at_mark = [&](NodeId, MarkSide, Mark m) {
      return m != mark::yields || !std::exchange(stop, false);
    };
    all.a.acquire();
    all.world.run(milliseconds(10));
    all.a.release(all.a.hold());
    all.world.run(milliseconds(100));
    stop = true;
    all.a.acquire();  // it has obtained the object, and stops ahead of its local lock
    all.world.run(milliseconds(200));
    all.c.acquire();
    all.world.run(milliseconds(220));
    EXPECT_TRUE(all.c.holds());
    all.world.runtime.go_on(1);
    all.world.run(milliseconds(240));
    EXPECT_EQ(all.a.acquired && all.a.holds(), release != SpringRelease::v7_1_0) << enum_name(release);
  }
}

TEST(SpringLock, ARenewalOutlivesAnUnlockThatFailed) {
  ThreeClients all(spring(SpringRelease::v7_1, set_renewal));
  all.a.acquire();
  all.world.run(milliseconds(1200));
  ASSERT_TRUE(all.a.holds());
  EXPECT_GT(all.world.pttl(), 0) << "renewed";
  EXPECT_EQ(all.a.lock->lost(), nullptr);
  all.world.server.next(1, {Fate::request_lost});
  all.a.release(all.a.hold());
  all.world.run(milliseconds(3000));
  EXPECT_TRUE(all.a.released->unknown());
  EXPECT_GT(all.world.pttl(), 0) << "and renewed still";
}

TEST(SpringLock, ARenewalEndsWithTheUnlockOrARefusal) {
  for (const bool deleted : {false, true}) {
    ThreeClients all(spring(SpringRelease::v7_1, set_renewal));
    all.a.acquire();
    all.world.run(milliseconds(10));
    if (deleted) {
      all.world.server.ask("DEL", "door");
    } else {
      all.a.release(all.a.hold());
    }
    all.world.run(seconds(2));
    EXPECT_EQ(all.world.runtime.tasks(), 0U);
  }
}

TEST(SpringLock, TheFirstRenewalIsAskedForAtOnce) {
  ThreeClients all(spring(SpringRelease::v7_1, set_renewal));
  all.a.acquire();
  all.world.run(milliseconds(20));
  ASSERT_TRUE(all.a.holds());
  EXPECT_EQ(all.world.count("EVAL"), 2) << "the acquire and a renewal";
  all.world.run(milliseconds(160));
  EXPECT_EQ(all.world.count("EVAL"), 2);
  all.world.run(milliseconds(190));
  EXPECT_EQ(all.world.count("EVAL"), 3) << "a third of a lease after the answer";
}

// The unlock cancels the newest renewal, and a nested lock has overwritten the first one.
TEST(SpringLock, ANestedLockLeaksARenewal) {
  for (const bool nested : {false, true}) {
    ThreeClients all(spring(SpringRelease::v7_1, set_renewal));
    for (int i = 0; i < (nested ? 2 : 1); ++i) {
      all.a.acquire();
      all.world.run_on(milliseconds(10));
    }
    for (int i = 0; i < (nested ? 2 : 1); ++i) {
      all.a.release(all.a.hold());
      all.world.run_on(milliseconds(10));
      ASSERT_TRUE(all.a.released->yes());
    }
    ASSERT_EQ(all.world.server.ask("EXISTS", "door"), "0");
    all.world.server.next(2, {});
    all.world.run_on(milliseconds(1000));
    EXPECT_EQ(all.world.runtime.tasks(), nested ? 1U : 0U);
    all.world.server.ask("SET", "door", all.a.hold().value, "PX", "500");  // a grant whose answer no thread has heard
    all.world.run_on(milliseconds(2000));
    EXPECT_EQ(all.world.server.ask("EXISTS", "door"), nested ? "1" : "0");
  }
}

// stopRenew() cancels the object's newest renewal, whichever was refused.
TEST(SpringLock, ARefusedRenewalEndsTheNewestOne) {
  ThreeClients all(spring(SpringRelease::v7_1, set_renewal));
  all.a.acquire();
  all.world.run(milliseconds(10));
  all.a.acquire();
  all.world.run(milliseconds(20));
  ASSERT_EQ(all.world.runtime.tasks(), 2U);
  all.world.server.ask("DEL", "door");
  all.world.run(milliseconds(600));
  EXPECT_EQ(all.world.runtime.tasks(), 1U) << "the first is refused, and goes on for ever";
}

}  // namespace
}  // namespace picklock
