// Redisson's lock in the lab: its known bugs, each beside its repair.
#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"
#include "algorithms/redisson/redisson_lock.hpp"

namespace picklock {
namespace {

using testing::Fate;
using testing::LabClient;
using testing::options_of;
using testing::RedisLockLab;

template <class Edit>
auto plain(Edit edit) {
  return options_of<RedissonOptions>(edit);
}
auto quick(RedissonOptions& o) { o.retry_delay = Law::constant(milliseconds(5)); }

TEST(RedissonBug7367, AnAcquireSentTwiceCountsTwo) {
  for (const ScriptResend resend : {ScriptResend::never, ScriptResend::on_timeout}) {
    RedisLockLab world;
    LabClient a(world.process(1), 1, "redisson-lock", plain([&](RedissonOptions& o) {
                  quick(o);
                  o.acquire_resend = resend;
                }));
    world.server.next(1, {Fate::reply_lost});
    a.acquire();
    world.run(milliseconds(50));
    ASSERT_TRUE(a.acquired);
    if (resend == ScriptResend::never) {
      EXPECT_TRUE(a.acquired->unknown());
      continue;
    }
    ASSERT_TRUE(a.holds());
    EXPECT_EQ(world.server.ask("HGET", "door", a.hold().value), "\"2\"");
    a.release(a.hold());
    world.run(seconds(25));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), "1") << "one of two counts is left";
    world.run(seconds(120));
    EXPECT_TRUE(a.released->yes());
    EXPECT_EQ(world.server.ask("EXISTS", "door"), "0") << "held by nobody until its lease was over";
  }
}

TEST(RedissonUnlockLatch, ARepeatedUnlockGetsTheFirstOnesAnswer) {
  for (const bool latch : {true, false}) {
    RedisLockLab world;
    LabClient a(world.process(1), 1, "redisson-lock", plain([&](RedissonOptions& o) {
                  quick(o);
                  o.unlock_latch = latch;
                  o.unlock_resend = ScriptResend::on_timeout;
                }));
    a.acquire();
    world.run(milliseconds(10));
    world.server.next(1, {Fate::reply_lost});
    a.release(a.hold());
    world.run(milliseconds(60));
    EXPECT_EQ(a.released->yes(), latch);
    EXPECT_EQ(world.server.ask("DBSIZE"), "0") << "the latch is deleted";
  }
}

TEST(RedissonBug7272, AGrantWhoseCallerHasGoneIsRenewedForEver) {
  for (const RenewalStart start : {RenewalStart::after_the_grant, RenewalStart::before_the_request}) {
    RedisLockLab world;
    LabClient a(world.process(1), 1, "redisson-lock", plain([&](RedissonOptions& o) { o.renewal_start = start; }));
    a.acquire_within(Patience::unlimited(a.host()), microseconds(1500));  // executed, not answered
    world.run(seconds(300));
    ASSERT_FALSE(a.holds());
    EXPECT_EQ(world.server.ask("EXISTS", "door"), start == RenewalStart::after_the_grant ? "1" : "0");
  }
}

TEST(RedissonBug3266, OneFailedRenewalIsTheLast) {
  for (const RenewalError error : {RenewalError::goes_on, RenewalError::ends, RenewalError::ends_for_name}) {
    for (const RedissonRenewal renewal : {RedissonRenewal::per_lock, RedissonRenewal::chain}) {
      RedisLockLab world;
      LabClient a(world.process(1), 1, "redisson-lock", plain([&](RedissonOptions& o) {
                    o.retry_attempts = 0;
                    o.renewal = renewal;
                    o.renewal_error = error;
                  }));
      a.acquire();
      world.run(seconds(1));
      world.server.next(1, {Fate::request_lost});
      world.run(seconds(45));
      EXPECT_EQ(world.server.ask("EXISTS", "door"), error == RenewalError::goes_on ? "1" : "0");
    }
  }
}

TEST(RedissonBug5761, AMessageBetweenTheLookAndTheRegistrationIsMissed) {
  for (const RedissonWaiter waiter : {RedissonWaiter::listener, RedissonWaiter::unchecked_listener}) {
    RedisLockLab world;
    LabClient a(world.process(1), 1, "redisson-lock");
    LabClient b(world.process(2), 1, "redisson-lock", plain([&](RedissonOptions& o) { o.waiter = waiter; }));
    a.acquire();
    world.run(milliseconds(10));
    world.runtime.at_mark = [](NodeId node, MarkSide, Mark m) { return node != 2 || m != mark::yields; };
    b.acquire();
    world.run(milliseconds(100));
    a.release(a.hold());
    world.run(milliseconds(200));
    world.runtime.at_mark = {};
    world.runtime.go_on(2);
    world.run(milliseconds(300));
    EXPECT_EQ(b.holds(), waiter == RedissonWaiter::listener);
    world.run(seconds(31));
    EXPECT_TRUE(b.holds()) << "after the whole ttl";
  }
}

TEST(RedissonBug4818, AGrantLeavesItsLeaseToTheCallsAfterIt) {
  for (const LeaseField field : {LeaseField::of_the_call, LeaseField::when_acquired}) {
    RedisLockLab world;
    LabClient a(world.process(1), 1, "redisson-lock", plain([&](RedissonOptions& o) {
                  o.lease_field = field;
                  o.other_lease = seconds(3600);
                  o.other_lease_by = OtherLeaseBy::first_call;
                }));
    a.acquire();
    world.run(milliseconds(10));
    a.release(a.hold());
    world.run(milliseconds(20));
    a.acquire();
    world.run(milliseconds(30));
    EXPECT_EQ(world.pttl() > 30'000, field == LeaseField::when_acquired);
  }
}

TEST(RedissonBug3484, ARefusedAttemptChangesTheHoldersRenewals) {
  for (const LeaseField field : {LeaseField::of_the_call, LeaseField::when_asked}) {
    RedisLockLab world;
    const auto jvm = world.process(1);
    const auto edit = plain([&](RedissonOptions& o) {
      o.renewal = RedissonRenewal::per_lock;
      o.lease_field = field;
      o.other_lease = seconds(3600);
      o.other_lease_by = OtherLeaseBy::other_threads;
    });
    LabClient a(jvm, 1, "redisson-lock", edit), b(jvm, 2, "redisson-lock", edit);
    a.acquire();
    b.acquire(Patience::one_attempt(b.host()));  // refused, and ahead of the answer to a
    world.run(seconds(39));
    EXPECT_FALSE(b.holds());
    EXPECT_EQ(world.server.ask("EXISTS", "door"), field == LeaseField::of_the_call ? "1" : "0");
  }
}

}  // namespace
}  // namespace picklock
