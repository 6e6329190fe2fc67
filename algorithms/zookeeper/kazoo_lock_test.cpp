#include "algorithms/zookeeper/kazoo_lock.hpp"

#include <gtest/gtest.h>

#include "algorithms/zookeeper/test_zookeeper.hpp"

namespace picklock {
namespace {

using testing::count_of;
using testing::ms;
using testing::zoo_options;
using testing::ZooLab;
using testing::ZooLockClient;
using testing::ZooLockProcess;
using SetOptions = ZooLockClient::SetOptions;

template <class Edit>
SetOptions with(Edit edit) {
  return zoo_options<KazooLockOptions>([edit](KazooLockOptions& o) {
    o.session = seconds(6);
    edit(o);
  });
}
struct KazooUser : ZooLockClient {
  explicit KazooUser(ZooLab& lab, std::string_view name, const SetOptions& set = with([](auto&) {}))
      : ZooLockClient(lab, name, "kazoo-lock", set) {}
};

// The counter has gone over: the newest name sorts first, as text.
TEST(KazooLock, AnOverflownNumberGoesBeforeAllOthers) {
  const std::string old = "a__lock__2147483647", fresh = "b__lock__-2147483648";
  const auto before = [&](const std::string& mine) {
    return kazoo_predecessor({old, fresh}, mine, KazooRole::lock, KazooContenders::lower);
  };
  EXPECT_EQ(before(fresh), "");
  EXPECT_EQ(before(old), fresh);
}

TEST(KazooLock, GrantsInTheOrderOfTheCreates) {
  ZooLab lab;
  KazooUser a(lab, "a"), b(lab, "b");
  a.acquire();
  lab.run_until(seconds(1));
  ASSERT_TRUE(a.holds());
  b.acquire();
  lab.run_until(seconds(2));
  EXPECT_FALSE(b.holds());
  a.release();
  lab.run_until(seconds(3));
  EXPECT_TRUE(a.released->yes());
  ASSERT_TRUE(b.holds());
  EXPECT_LT(*a.acquired->value().token, *b.acquired->value().token);
  a.acquire();
  lab.run_until(seconds(4));
  b.release();
  lab.run_until(seconds(5));
  EXPECT_TRUE(a.holds()) << "an object is used again";
}

// client.retry has no end: 0.1 s, then about twice as long each time.
TEST(KazooLock, AReleaseIsTriedAgainUntilItIsAnswered) {
  ZooLab lab;
  KazooUser a(lab, "a");
  a.acquire();
  lab.run_until(seconds(1));
  lab.world.kill(lab.zk);
  a.release();
  lab.run_until(milliseconds(4500));
  EXPECT_FALSE(a.released);
  lab.world.restart(lab.zk);
  lab.run_until(seconds(20));
  ASSERT_TRUE(a.released);
  EXPECT_TRUE(a.released->yes());
  EXPECT_EQ(count_of(lab, "/door"), 0U);
}

TEST(KazooLock, WithoutBlockingItIsRefusedAtOnceAndLeavesNothing) {
  ZooLab lab;
  KazooUser a(lab, "a"), b(lab, "b");
  a.acquire();
  lab.run_until(seconds(1));
  b.acquire(Patience::one_attempt(b.host()));
  lab.run_until(seconds(2));
  EXPECT_TRUE(b.acquired && b.acquired->refused());
  EXPECT_EQ(count_of(lab, "/door"), 1U);
}

// kazoo#732
TEST(KazooLock, ARefusedAcquireMayLeaveItsNodeForAsLongAsTheSessionLives) {
  struct Case {
    KazooObject object;
    KazooCleanup cleanup;
    bool leaks;
  };
  for (const Case c : {Case{KazooObject::per_call, KazooCleanup::once, true},
                       Case{KazooObject::per_call, KazooCleanup::until_deleted, false},
                       Case{KazooObject::reused, KazooCleanup::once, false}}) {
    ZooLab lab;
    KazooUser a(lab, "a");
    KazooUser b(lab, "b", with([&](KazooLockOptions& o) {
      o.object = c.object;
      o.cleanup = c.cleanup;
    }));
    a.acquire();
    lab.run_until(seconds(1));
    // The connection ends before the delete arrives.
    lab.on(b.process.node(), mark::zoo_delete, [&](World& w) { w.kill(lab.zk); }, MarkSide::before);
    b.acquire(Patience::one_attempt(b.host()));
    lab.run_until(seconds(3));
    lab.world.restart(lab.zk);
    lab.run_until(seconds(8));
    ASSERT_TRUE(b.acquired);
    EXPECT_TRUE(b.acquired->unknown());
    EXPECT_EQ(count_of(lab, "/door"), c.cleanup == KazooCleanup::until_deleted ? 1U : 2U);
    a.release();
    b.acquire(Patience::one_attempt(b.host()));
    lab.run_until(seconds(60));
    EXPECT_EQ(b.holds(), !c.leaks) << "it is refused by its own node";
  }
}

// kazoo PR 490
TEST(KazooLock, AskedWhetherAGoneNodeExistsTheServerWaitsForItsCreation) {
  for (const KazooWatch watch : {KazooWatch::exists, KazooWatch::get}) {
    ZooLab lab;
    KazooUser a(lab, "a"), b(lab, "b", with([&](KazooLockOptions& o) { o.watch = watch; }));
    a.acquire();
    lab.run_until(seconds(1));
    // a's node goes after b has seen it in the list, and before b watches it.
    lab.on(b.process.node(), mark::zoo_get_children, [&](World& w) { w.pause_task(b.process.node(), "client"); },
           MarkSide::after);
    b.acquire();
    lab.run_until(seconds(2));
    a.release();
    lab.run_until(seconds(3));
    lab.world.resume_task(b.process.node(), "client");
    lab.run_until(seconds(4));
    EXPECT_TRUE(b.holds());
    EXPECT_EQ(lab.server.watches(), watch == KazooWatch::exists ? 1U : 0U);
    b.release();
    lab.run_until(seconds(60));
    EXPECT_EQ(lab.server.watches(), watch == KazooWatch::exists ? 1U : 0U);
  }
}

TEST(KazooLock, ANodeWithoutAnAnswerIsFoundAgain) {
  ZooLab lab;
  KazooUser a(lab, "a");
  a.acquire();
  lab.run_until(seconds(1));
  a.release();
  lab.run_until(seconds(2));
  lab.on(a.process.node(), mark::zoo_create, [&](World&) { a.process.deafen(); }, MarkSide::before);
  a.acquire();
  lab.run_until(seconds(6));
  a.process.mend();
  lab.run_until(seconds(20));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(count_of(lab, "/door"), 1U);
  EXPECT_EQ(*a.acquired->value().token, lab.server.tree.find(a.acquired->value().value)->czxid);
}

TEST(KazooLock, AWaiterWhoseSessionEndedQueuesAgain) {
  ZooLab lab;
  KazooUser a(lab, "a"), b(lab, "b");
  a.acquire();
  lab.run_until(seconds(1));
  b.acquire();
  lab.run_until(seconds(2));
  b.process.cut();
  lab.run_until(seconds(20));
  EXPECT_EQ(count_of(lab, "/door"), 1U);
  b.process.mend();
  lab.run_until(seconds(60));
  EXPECT_EQ(count_of(lab, "/door"), 2U);
  a.release();
  lab.run_until(seconds(61));
  EXPECT_TRUE(b.holds());
}

TEST(KazooLock, ATimeoutBeginsAnewWithEveryWakeUp) {
  ZooLab lab;
  KazooUser a(lab, "a"), b(lab, "b");
  a.acquire();
  lab.run_until(seconds(1));
  b.acquire(seconds(5));
  lab.run_until(seconds(4));
  lab.world.kill(lab.zk);
  lab.run_until(seconds(5));
  lab.world.restart(lab.zk);
  lab.run_until(seconds(6) + ms(500));
  EXPECT_FALSE(b.acquired);
  lab.run_until(seconds(30));
  EXPECT_TRUE(b.acquired && b.acquired->refused());
  EXPECT_GT(b.acquired_at, seconds(9));
}

// --- readers and writers -----------------------------------------------------------------------------

struct KazooReadWriteUser : ZooLockClient {
  KazooReadWriteUser(ZooLockProcess& p, Sharing sharing, KazooContenders contenders = KazooContenders::lower)
      : ZooLockClient(p, "kazoo-read-write-lock", zoo_options<KazooReadWriteOptions>([=](KazooReadWriteOptions& o) {
          o.lock.session = seconds(6);
          o.contenders = contenders;
        }), 1, [sharing](LockContext& c) { c.sharing = sharing; }) {}
};

TEST(KazooReadWriteLock, ReadersShareAndWritersDoNot) {
  ZooLab lab;
  ZooLockProcess p(lab, "p"), q(lab, "q"), r(lab, "r");
  KazooReadWriteUser a(p, Sharing::shared), b(q, Sharing::shared), c(r, Sharing::exclusive);
  a.acquire();
  b.acquire();
  lab.run_until(seconds(1));
  EXPECT_TRUE(a.holds() && b.holds());
  c.acquire();
  lab.run_until(seconds(2));
  a.release();
  lab.run_until(seconds(3));
  EXPECT_FALSE(c.holds());
  b.release();
  lab.run_until(seconds(4));
  EXPECT_TRUE(c.holds());
  a.acquire();
  lab.run_until(seconds(5));
  EXPECT_FALSE(a.holds());
}

// kazoo#649
TEST(KazooReadWriteLock, AReaderThatWaitsForWritersBehindItWaitsForEver) {
  for (const KazooContenders contenders : {KazooContenders::all, KazooContenders::lower}) {
    ZooLab lab;
    ZooLockProcess p(lab, "p"), q(lab, "q"), r(lab, "r");
    KazooReadWriteUser first(p, Sharing::exclusive, contenders), reader(q, Sharing::shared, contenders),
        second(r, Sharing::exclusive, contenders);
    first.acquire();
    lab.run_until(seconds(1));
    reader.acquire();
    lab.run_until(seconds(2));
    second.acquire();
    lab.run_until(seconds(3));
    first.release();
    lab.run_until(seconds(1000));
    EXPECT_EQ(reader.holds(), contenders == KazooContenders::lower);
    EXPECT_FALSE(second.holds());
  }
}

TEST(KazooReadWriteLock, StrangersDoNotCount) {
  const std::vector<std::string> children{"stranger", "a__lock__0000000001", "b__rlock__0000000002",
                                          "c__lock__0000000003", "d__lock__1"};
  const auto of = [&](const std::string& mine, KazooRole role) {
    return kazoo_predecessor(children, mine, role, KazooContenders::lower);
  };
  EXPECT_EQ(of(children[1], KazooRole::writer), "");
  EXPECT_EQ(of(children[2], KazooRole::reader), children[1]);
  EXPECT_EQ(of(children[3], KazooRole::writer), children[2]);
  EXPECT_EQ(of(children[3], KazooRole::lock), children[1]);
  EXPECT_EQ(of("e__lock__0000000009", KazooRole::lock), std::nullopt) << "not listed";
}

}  // namespace
}  // namespace picklock
