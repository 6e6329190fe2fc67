#include "algorithms/redisson/redisson_handmade_watchdog.hpp"

#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"

namespace picklock {
namespace {

using testing::Fate;
using testing::LabClient;
using testing::options_of;
using testing::RedisLockLab;

// All bugs repaired, and then one of them as published.
void repair(HandmadeWatchdogOptions& o) {
  o.answer = HandmadeAnswer::heeded;
  o.interrupt = HandmadeInterrupt::passed_on;
  o.renewal_owner = HandmadeOwner::locking_thread;
  o.renewal_stop = HandmadeStop::at_release;
  o.refusal = HandmadeRefusal::ends_and_tells;
}

struct HandmadeClient : LabClient {
  template <class Edit>
  HandmadeClient(RedisLockLab& world, NodeId node, Edit edit)
      : LabClient(world.process(node), 1, "redisson-handmade-watchdog",
                  options_of<HandmadeWatchdogOptions>([=](HandmadeWatchdogOptions& o) {
                    repair(o);
                    edit(o);
                  })) {}
};

TEST(HandmadeWatchdog, LetsEverybodyInAsPublished) {
  for (const HandmadeAnswer answer : {HandmadeAnswer::dropped, HandmadeAnswer::heeded}) {
    RedisLockLab world;
    const auto edit = [=](HandmadeWatchdogOptions& o) { o.answer = answer; };
    HandmadeClient a(world, 1, edit), b(world, 2, edit);
    a.acquire();
    b.acquire();
    world.run(seconds(1));
    EXPECT_EQ(a.holds() && b.holds(), answer == HandmadeAnswer::dropped);
    if (answer == HandmadeAnswer::heeded) continue;
    b.release(b.hold());
    world.run(seconds(2));
    EXPECT_EQ(b.released->why(), Why::refused);
    EXPECT_EQ(world.server.ask("HEXISTS", "door", a.hold().value), "1") << "b's unlock ends nobody else's hold";
  }
}

TEST(HandmadeWatchdog, AnInterruptedLockReturnsAsIfGranted) {
  for (const HandmadeInterrupt interrupt : {HandmadeInterrupt::returns, HandmadeInterrupt::passed_on}) {
    RedisLockLab world;
    const auto edit = [=](HandmadeWatchdogOptions& o) {
      o.interrupt = interrupt;
      o.interrupted_after = milliseconds(50);
    };
    HandmadeClient a(world, 1, edit), b(world, 2, edit);
    a.acquire();
    world.run(milliseconds(10));
    b.acquire();
    world.run(milliseconds(100));
    EXPECT_TRUE(a.holds()) << "did not wait for so long";
    EXPECT_EQ(b.holds(), interrupt == HandmadeInterrupt::returns);
    EXPECT_EQ(b.acquired->unknown(), interrupt == HandmadeInterrupt::passed_on);
  }
}

TEST(HandmadeWatchdog, AsksForAFieldThatNoThreadHasTaken) {
  for (const HandmadeOwner owner : {HandmadeOwner::renewal_thread, HandmadeOwner::locking_thread}) {
    RedisLockLab world;
    HandmadeClient a(world, 1, [=](HandmadeWatchdogOptions& o) { o.renewal_owner = owner; });
    a.acquire();
    world.run(seconds(31));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), owner == HandmadeOwner::locking_thread ? "1" : "0");
  }
}

TEST(HandmadeWatchdog, ItsThreadRenewsWhatIsGrantedLaterWithoutBeingKnown) {
  for (const HandmadeStop stop : {HandmadeStop::never, HandmadeStop::at_release}) {
    RedisLockLab world;
    HandmadeClient a(world, 1, [=](HandmadeWatchdogOptions& o) {
      o.renewal_stop = stop;
      o.refusal = HandmadeRefusal::ignored;
      o.lock.retry_attempts = 0;
    });
    a.acquire();
    world.run(seconds(1));
    a.release(a.hold());
    world.run(seconds(2));
    world.server.next(1, {Fate::reply_lost});
    a.acquire();
    world.run(seconds(3));
    EXPECT_TRUE(a.acquired->unknown());
    world.run(seconds(300));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), stop == HandmadeStop::never ? "1" : "0");
  }
}

TEST(HandmadeWatchdog, NeitherStopsNorTellsWhenItIsRefused) {
  for (const HandmadeRefusal refusal : {HandmadeRefusal::ignored, HandmadeRefusal::ends_and_tells}) {
    RedisLockLab world;
    HandmadeClient a(world, 1, [=](HandmadeWatchdogOptions& o) { o.refusal = refusal; });
    a.acquire();
    world.run(seconds(1));
    world.server.ask("DEL", "door");
    world.run(seconds(55));
    const bool tells = refusal == HandmadeRefusal::ends_and_tells;
    EXPECT_EQ(world.count("EVAL redisson-renew"), tells ? 1 : 5);
    EXPECT_EQ(a.lock->lost() != nullptr && a.lock->lost()->is_set(), tells);
  }
}

TEST(HandmadeWatchdog, RepairedItRenewsAndEnds) {
  RedisLockLab world;
  HandmadeClient a(world, 1, [](HandmadeWatchdogOptions&) {});
  a.acquire();
  world.run(seconds(100));
  EXPECT_GT(world.pttl(), 19'000);
  a.release(a.hold());
  world.run(seconds(200));
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
  EXPECT_EQ(world.runtime.tasks(), 0U);
}

}  // namespace
}  // namespace picklock
