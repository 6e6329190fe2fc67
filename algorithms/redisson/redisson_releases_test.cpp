// Differences between releases of Redisson's lock, each on both sides, in the lab.
#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"
#include "algorithms/redisson/redisson_fair_lock.hpp"
#include "algorithms/redisson/redisson_lock.hpp"
#include "algorithms/redisson/redisson_multi_lock.hpp"
#include "algorithms/redisson/redisson_read_write_lock.hpp"
#include "algorithms/redisson/redisson_spin_lock.hpp"

namespace picklock {
namespace {

using testing::Fate;
using testing::LabClient;
using testing::options_of;
using testing::RedisLockLab;

constexpr RedissonRelease kReleases[] = {RedissonRelease::v3_16_8, RedissonRelease::v3_52, RedissonRelease::v4_7};

template <class Edit>
auto released_as(RedissonRelease release, Edit edit) {
  return options_of<RedissonOptions>([=](RedissonOptions& o) {
    o = RedissonOptions::of(release);
    edit(o);
  });
}
void as_released(RedissonOptions&) {}

// Sets the release, as a scenario file does, and one more setting.
class Sets {
 public:
  Sets(RedissonRelease release, std::string_view also, std::size_t index)
      : release_(static_cast<std::size_t>(release)), also_(also), index_(index) {}
  void operator()(const FieldInfo& info, FieldChoice& choice) {
    if (info.name == "release") choice.index = release_;
    if (info.name == also_) choice.index = index_;
  }

 private:
  std::size_t release_;
  std::string_view also_;
  std::size_t index_;
};

template <class O>
void expect_release_sets_defaults(O (*of)(RedissonRelease)) {
  for (const RedissonRelease before : kReleases) {
    for (const RedissonRelease after : kReleases) {
      O o = of(before);
      Sets visitor(after, "", 0);
      visit_fields(o, visitor);
      EXPECT_EQ(AnyOptions::of(o), AnyOptions::of(of(after))) << static_cast<int>(before) << static_cast<int>(after);
    }
  }
}

TEST(RedissonRelease, SetsTheDefaultsOfEveryLock) {
  expect_release_sets_defaults(&RedissonOptions::of);
  expect_release_sets_defaults(&RedissonReadWriteOptions::of);
  expect_release_sets_defaults(&RedissonMultiOptions::of);
  expect_release_sets_defaults(&RedissonFairOptions::of);
  expect_release_sets_defaults<RedissonSpinOptions>([](RedissonRelease r) { return RedissonSpinOptions(r); });
}

TEST(RedissonRelease, LeavesASettingThatIsSaidBesideIt) {
  RedissonOptions o;
  Sets visitor(RedissonRelease::v3_16_8, "renewal-error", static_cast<std::size_t>(RenewalError::ends_for_name));
  visit_fields(o, visitor);
  EXPECT_EQ(o.renewal, RedissonRenewal::per_lock);
  EXPECT_EQ(o.renewal_error, RenewalError::ends_for_name);
}

TEST(RedissonWatchdog, ARefusalTakesOneThreadOrTheWholeName) {
  for (const RedissonRelease release : kReleases) {
    RedisLockLab world;
    const auto jvm = world.process(1);
    LabClient a(jvm, 1, "redisson-lock", released_as(release, as_released));
    LabClient b(jvm, 2, "redisson-lock", released_as(release, as_released));
    a.acquire();
    world.run(seconds(1));
    world.server.ask("DEL", "door");  // an operator, or a server that forgets
    b.acquire();
    world.run(seconds(2));
    ASSERT_TRUE(b.holds());
    world.run(seconds(120));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), release == RedissonRelease::v3_16_8 ? "0" : "1");
  }
}

TEST(RedissonWatchdog, ARefusalTakesOneAcquisitionOfSeveral) {
  for (const int times : {1, 2}) {
    RedisLockLab world;
    const auto jvm = world.process(1);
    LabClient a(jvm, 1, "redisson-lock"), b(jvm, 2, "redisson-lock");
    for (int i = 1; i <= times; ++i) {
      a.acquire();
      world.run(milliseconds(100 * i));
    }
    world.server.ask("DEL", "door");
    b.acquire();
    world.run(milliseconds(10'500));
    EXPECT_LT(world.pttl(), 21'000) << "the first tick asked for a";
    world.run(milliseconds(20'500));
    EXPECT_EQ(world.pttl() > 29'000, times == 1) << "the second for b, unless a's count was 2";
  }
}

TEST(RedissonWatchdog, AnUnlockWithoutAnAnswerCountsOneAcquisition) {
  RedisLockLab world;
  LabClient a(world.process(1), 1, "redisson-lock");
  for (int i = 1; i <= 2; ++i) {
    a.acquire();
    world.run(milliseconds(100 * i));
  }
  world.server.next(1, {Fate::request_lost});
  a.release(a.hold());
  world.run(seconds(100));
  EXPECT_TRUE(a.released->unknown());
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "1") << "the outer acquisition is renewed";
}

TEST(RedissonBug3194, AFailedRenewalEndsThoseOfLaterAcquisitionsToo) {
  for (const RenewalError error : {RenewalError::ends, RenewalError::ends_for_name}) {
    RedisLockLab world;
    const auto jvm = world.process(1);
    const auto edit = released_as(RedissonRelease::v3_16_8, [&](RedissonOptions& o) {
      o.retry_attempts = 0;
      o.renewal_error = error;
    });
    LabClient a(jvm, 1, "redisson-lock", edit), b(jvm, 2, "redisson-lock", edit);
    a.acquire();
    world.run(seconds(1));
    world.server.next(1, {Fate::request_lost});
    world.run(seconds(31));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), "0") << "a was renewed no more";
    b.acquire();
    world.run(seconds(100));
    ASSERT_TRUE(b.holds());
    EXPECT_EQ(world.server.ask("EXISTS", "door"), error == RenewalError::ends ? "1" : "0");
  }
}

TEST(RedissonWatchdog, TheTimerOfANameRunsAtAThirdOfTheSharedLease) {
  for (const RedissonRenewal renewal : {RedissonRenewal::per_lock, RedissonRenewal::chain}) {
    RedisLockLab world;
    LabClient a(world.process(1), 1, "redisson-lock", released_as(RedissonRelease::v3_16_8, [&](RedissonOptions& o) {
                  o.renewal = renewal;
                  o.other_lease = seconds(6);
                  o.other_lease_by = OtherLeaseBy::first_call;
                }));
    a.acquire();
    world.run(milliseconds(10));
    a.release(a.hold());
    world.run(milliseconds(20));
    a.acquire();
    world.run(milliseconds(2100));
    EXPECT_EQ(world.pttl() > 5000, renewal == RedissonRenewal::per_lock) << "after 2 s of 6";
    world.run(seconds(60));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), renewal == RedissonRenewal::per_lock ? "1" : "0");
  }
}

TEST(RedissonLeaseField, HoldsAnotherThreadsLeaseUntilAnUnlockIsAnswered) {
  for (const LeaseField field : {LeaseField::until_unlock, LeaseField::of_the_call}) {
    RedisLockLab world;
    const auto jvm = world.process(1);
    const auto edit = released_as(RedissonRelease::v4_7, [&](RedissonOptions& o) {
      o.lease_field = field;
      o.other_lease = seconds(5);
      o.other_lease_by = OtherLeaseBy::other_threads;
    });
    LabClient a(jvm, 1, "redisson-lock", edit), b(jvm, 2, "redisson-lock", edit);
    b.acquire();
    world.run(milliseconds(100));
    b.release(b.hold());
    a.acquire();  // the unlock has not been answered yet
    world.run(seconds(1));
    ASSERT_TRUE(a.holds());
    const bool short_lease = field == LeaseField::until_unlock;
    EXPECT_EQ(world.pttl() < 5000, short_lease);
    world.run(seconds(9));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), short_lease ? "0" : "1") << "the first tick is after 10 s";
    a.release(a.hold());
    world.run(seconds(10));
    a.acquire();
    world.run(seconds(11));
    EXPECT_GT(world.pttl(), 28'000) << "what an unlock leaves there";
  }
}

TEST(RedissonUnlock, OneServerIsSentItOnceSince3_37) {
  for (const RedissonRelease release : kReleases) {
    RedisLockLab world;
    LabClient a(world.process(1), 1, "redisson-lock", released_as(release, as_released));
    a.acquire();
    world.run(seconds(1));
    world.server.next(1, {Fate::request_lost});
    a.release(a.hold());
    world.run(seconds(20));
    const bool again = release == RedissonRelease::v3_16_8;
    EXPECT_EQ(a.released->yes(), again);
    EXPECT_EQ(world.server.ask("EXISTS", "door"), again ? "0" : "1");
    world.run(seconds(60));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), "0") << "and is not renewed";
  }
}

TEST(RedissonRetries, TheFirstPauseIsHalfAsLongSince3_48) {
  for (const RetryJitter jitter : {RetryJitter::none, RetryJitter::equal}) {
    RedisLockLab world;
    LabClient a(world.process(1), 1, "redisson-lock", released_as(RedissonRelease::v4_7, [&](RedissonOptions& o) {
                  o.acquire_resend = ScriptResend::on_timeout;
                  o.retry_delay = Law::constant(seconds(2));
                  o.retry_jitter = jitter;
                }));
    world.server.next(1, {Fate::request_lost, Fate::request_lost});
    a.acquire();
    const std::int64_t granted_ms = (jitter == RetryJitter::equal ? 1000 : 2000) + 2000;
    world.run(milliseconds(granted_ms - 50));
    EXPECT_FALSE(a.holds());
    world.run(milliseconds(granted_ms + 100));  // two timeouts of 20 ms are included
    EXPECT_TRUE(a.holds());
  }
}

TEST(RedissonUnlockLatch, LastsForAllAttemptsAndTheirPauses) {
  const RedissonOptions o;
  EXPECT_EQ(o.latch_ttl(seconds(1)), seconds(16));  // (3 s + the pause) × 4 attempts
  EXPECT_EQ(o.latch_ttl(seconds(2)), seconds(20));
}

TEST(RedissonMultiLock, AnUnlockThatFailsLeavesTheMembersBehindItLocked) {
  for (const RedissonRelease release : kReleases) {
    RedisLockLab world;
    const auto process = world.process(1);
    const std::string_view names[] = {"x", "y"};
    LockContext context = process->context(1);
    context.names = names;
    RedissonMultiLock lock(context, RedissonMultiOptions::of(release));
    std::optional<Outcome<>> released;
    struct Client {
      static Task<void> run(Host host, RedissonMultiLock* l, RedisLockLab* w, std::optional<Outcome<>>* answer) {
        auto acquired = co_await l->acquire(Patience::unlimited(host));
        w->server.ask("DEL", "x");
        auto outcome = co_await l->release(acquired.value());
        *answer = std::move(outcome);
      }
    };
    process->host().spawn("client", Client::run(process->host(), &lock, &world, &released));
    world.run(seconds(1));
    ASSERT_TRUE(released);
    EXPECT_EQ(released->why(), Why::refused);
    world.run(seconds(100));
    EXPECT_EQ(world.server.ask("EXISTS", "y"), release == RedissonRelease::v3_16_8 ? "0" : "1");
    world.runtime.kill(1);
  }
}

TEST(RedissonMultiLock, OnlyTheOldLockTriesForTwoSecondsAtLeast) {
  for (const RedissonRelease release : kReleases) {
    RedisLockLab world;
    (void)world.server.ask("HSET", "door", "somebody:1", "1");
    LabClient a(world.process(1), 1, "redisson-multi-lock", options_of<RedissonMultiOptions>([&](auto& o) {
                  o = RedissonMultiOptions::of(release);
                  o.lock.renewal = RedissonRenewal::none;
                  o.lock.lease = milliseconds(400);
                }));
    a.acquire();
    world.run(milliseconds(1900));
    // A round asks before and after it subscribes, and then waits for a message.
    EXPECT_EQ(world.count("EVAL redisson-acquire") == 2, release == RedissonRelease::v3_16_8);
  }
}

TEST(RedissonFencedLock, AnotherLocksEndlessKeyIsAGrantWithTokenMinusOne) {
  for (const FencedEndlessKey endless : {FencedEndlessKey::granted, FencedEndlessKey::refused}) {
    RedisLockLab world;
    (void)world.server.ask("HSET", "door", "somebody:1", "1");
    LabClient a(world.process(1), 1, "redisson-fenced-lock",
                options_of<RedissonFencedOptions>([&](RedissonFencedOptions& o) { o.endless_key = endless; }));
    a.acquire();
    world.run(seconds(1));
    EXPECT_EQ(a.holds(), endless == FencedEndlessKey::granted);
    EXPECT_EQ(a.holds() ? a.hold().token : std::nullopt,
              endless == FencedEndlessKey::granted ? std::optional<std::int64_t>(-1) : std::nullopt);
  }
}

TEST(RedissonFairLock, TryLockWithoutArgumentsDoesNotQueue) {
  for (const ZeroPatience zero : {ZeroPatience::try_lock_0, ZeroPatience::try_lock}) {
    RedisLockLab world;
    const auto edit = options_of<RedissonFairOptions>([&](RedissonFairOptions& o) { o.zero_patience = zero; });
    LabClient a(world.process(1), 1, "redisson-fair-lock", edit), b(world.process(2), 1, "redisson-fair-lock", edit);
    a.acquire();
    world.run(seconds(1));
    b.acquire(Patience::one_attempt(b.host()));
    world.run(seconds(2));
    ASSERT_TRUE(b.acquired);
    EXPECT_EQ(b.acquired->why(), Why::refused);
    const bool queues = zero == ZeroPatience::try_lock_0;
    EXPECT_EQ(world.count("EVAL redisson-fair-give-up"), queues ? 1 : 0);
    EXPECT_EQ(world.count("EVAL redisson-fair-acquire-once"), queues ? 0 : 1);
  }
}

TEST(RedissonFairLock, AWaitTimeOfZeroIsFiveMinutesInTheQueueSince3_20) {
  for (const RedissonRelease release : kReleases) {
    RedisLockLab world;
    const auto edit =
        options_of<RedissonFairOptions>([&](RedissonFairOptions& o) { o = RedissonFairOptions::of(release); });
    LabClient a(world.process(1), 1, "redisson-fair-lock", edit), b(world.process(2), 1, "redisson-fair-lock", edit);
    a.acquire();
    world.run(seconds(1));
    world.server.next(2, {Fate::answered, Fate::request_lost});  // it does not leave the queue at once
    b.acquire(Patience::one_attempt(b.host()));
    world.run(milliseconds(1010));
    const std::string last = world.server.ask("ZRANGE", "redisson_lock_timeout:{door}", -1, -1, "WITHSCORES");
    const auto score = std::stoll(last.substr(last.rfind(", \"") + 3));
    const std::int64_t now_ms = (testing::LabRuntime::kEpochNs + world.runtime.now) / 1'000'000;
    EXPECT_EQ(score - now_ms > 300'000, release != RedissonRelease::v3_16_8);
  }
}

TEST(RedissonFairLock, AHeadWithoutATimeBlocksTheQueue) {
  RedisLockLab world;
  (void)world.server.ask("RPUSH", "redisson_lock_queue:{door}", "somebody:1");
  LabClient a(world.process(1), 1, "redisson-fair-lock");
  a.acquire(Patience::lasting(a.host(), seconds(5)));
  world.run(seconds(20));
  ASSERT_TRUE(a.acquired);
  EXPECT_FALSE(a.holds());
  EXPECT_EQ(world.server.ask("LRANGE", "redisson_lock_queue:{door}", 0, -1), "[\"somebody:1\"]");
}

TEST(RedissonSpinLock, ARefusedAttemptLeavesItsLeaseToOtherThreads) {
  for (const LeaseField field : {LeaseField::asked_until_unlock, LeaseField::until_unlock}) {
    RedisLockLab world;
    const auto jvm = world.process(1);
    const auto edit = options_of<RedissonSpinOptions>([&](RedissonSpinOptions& o) {
      if (field == LeaseField::until_unlock) o.lock.lease_field = field;
      o.lock.other_lease = seconds(5);
      o.lock.other_lease_by = OtherLeaseBy::other_threads;
    });
    LabClient a(jvm, 1, "redisson-spin-lock", edit), b(jvm, 2, "redisson-spin-lock", edit);
    LabClient c(world.process(2), 1, "redisson-spin-lock");
    c.acquire();
    world.run(milliseconds(100));
    b.acquire(Patience::one_attempt(b.host()));
    world.run(milliseconds(200));
    a.acquire();
    world.run(milliseconds(300));
    c.release(c.hold());
    world.run(seconds(1));
    ASSERT_TRUE(a.holds());
    EXPECT_EQ(world.pttl() < 5000, field == LeaseField::asked_until_unlock);
  }
}

TEST(RedissonSpinLock, AGrantThatComesTooLateIsForgotten) {
  for (const RedissonRelease release : kReleases) {
    RedisLockLab world;
    const auto edit =
        options_of<RedissonSpinOptions>([&](RedissonSpinOptions& o) { o = RedissonSpinOptions(release); });
    (void)world.server.ask("HSET", "door", "somebody:1", "1");
    LabClient a(world.process(1), 1, "redisson-spin-lock", edit);
    // Attempts after about 0, 1, 3, 7, 15, 31, 63, 127, 255 ms; one is under way when 200 ms are over.
    a.acquire(Patience::lasting(a.host(), milliseconds(200)));
    world.run(milliseconds(195));
    world.server.ask("DEL", "door");
    world.run(seconds(100));
    ASSERT_TRUE(a.acquired);
    EXPECT_EQ(a.holds(), release != RedissonRelease::v3_16_8);
    EXPECT_EQ(world.server.ask("EXISTS", "door"), "1") << "renewed in either case";
  }
}

// #5019: a tryLock whose second script has no answer.
TEST(RedissonTryLock, ARequestWithoutAnAnswerIsFalseSince47AndAnExceptionBefore) {
  for (const RedissonRelease release : kReleases) {
    RedisLockLab world;
    LabClient a(world.process(1), 1, "redisson-lock");
    LabClient b(world.process(2), 1, "redisson-lock", released_as(release, [](auto& o) { o.retry_attempts = 0; }));
    a.acquire();
    world.run(milliseconds(10));
    world.server.next(2, {Fate::answered, Fate::answered, Fate::reply_lost});  // loses the subscription, too
    b.acquire(Patience::lasting(b.host(), seconds(5)));
    world.run(milliseconds(100));
    ASSERT_TRUE(b.acquired);
    EXPECT_EQ(b.acquired->why(), release == RedissonRelease::v4_7 ? Why::refused : Why::timed_out);
  }
}

TEST(RedissonTryLock, AFirstRequestWithoutAnAnswerIsAnExceptionInEveryRelease) {
  for (const RedissonRelease release : kReleases) {
    RedisLockLab world;
    LabClient b(world.process(2), 1, "redisson-lock", released_as(release, [](auto& o) { o.retry_attempts = 0; }));
    world.server.next(2, {Fate::reply_lost});
    b.acquire(Patience::lasting(b.host(), seconds(5)));
    world.run(milliseconds(100));
    ASSERT_TRUE(b.acquired);
    EXPECT_TRUE(b.acquired->unknown());
  }
}

TEST(RedissonFairLock, AnExceptionLeavesThePlaceInTheQueueUntil46) {
  for (const RedissonRelease release : kReleases) {
    RedisLockLab world;
    const auto as = options_of<RedissonFairOptions>([=](RedissonFairOptions& o) {
      o = RedissonFairOptions::of(release);
      o.lock.retry_attempts = 0;
    });
    LabClient a(world.process(1), 1, "redisson-fair-lock", as), b(world.process(2), 1, "redisson-fair-lock", as);
    a.acquire();
    world.run(milliseconds(10));
    world.server.next(2, {Fate::answered, Fate::answered, Fate::reply_lost});  // loses the subscription, too
    b.acquire(Patience::lasting(b.host(), seconds(5)));
    world.run(milliseconds(100));
    ASSERT_TRUE(b.acquired);
    EXPECT_FALSE(b.acquired->yes());
    EXPECT_EQ(world.server.ask("LLEN", "redisson_lock_queue:{door}"), release == RedissonRelease::v4_7 ? "0" : "1");
  }
}

// acquireFailed is sent again, or not; without an answer tryLock throws.
TEST(RedissonFairLock, LeavesTheQueueByARequestThatIsSentAgainExceptFrom324To46) {
  for (const RedissonRelease release : kReleases) {
    RedisLockLab world;
    const auto as =
        options_of<RedissonFairOptions>([=](RedissonFairOptions& o) { o = RedissonFairOptions::of(release); });
    LabClient a(world.process(1), 1, "redisson-fair-lock", as), b(world.process(2), 1, "redisson-fair-lock", as);
    a.acquire();
    world.run(milliseconds(10));
    b.acquire(Patience::lasting(b.host(), milliseconds(200)));
    world.run(milliseconds(100));
    world.server.next(2, {Fate::request_lost});
    world.run(seconds(5));
    ASSERT_TRUE(b.acquired);
    const bool once = release == RedissonRelease::v3_52;
    EXPECT_EQ(b.acquired->why(), once ? Why::timed_out : Why::refused);
    EXPECT_EQ(world.server.ask("LLEN", "redisson_lock_queue:{door}"), once ? "1" : "0");
  }
}

Task<void> lock_for(Host host, Lock* lock, std::optional<Duration> lease) {
  auto* const redisson = dynamic_cast<RedissonBaseLock*>(lock);
  const auto acquired = co_await redisson->acquire_for(Patience::unlimited(host), lease);
  EXPECT_TRUE(acquired.yes());
}

// Every request sets the key's time anew, even a shorter one.
TEST(RedissonLock, ItsDeadlineIsThatOfItsLastRequest) {
  RedisLockLab world;
  LabClient a(world.process(1), 1, "redisson-lock");
  const auto until_deadline = [&] { return a.lock->deadline(Hold())->ns - world.runtime.now; };
  a.host().spawn("client", lock_for(a.host(), a.lock.get(), std::nullopt));
  world.run(milliseconds(10'100));
  EXPECT_GT(until_deadline(), seconds(29).ns) << "renewed at 10 s";
  a.host().spawn("client", lock_for(a.host(), a.lock.get(), seconds(1)));
  world.run(milliseconds(10'200));
  EXPECT_EQ(world.pttl() * 1'000'000, until_deadline() + milliseconds(1).ns) << "the way to the server";
  EXPECT_LT(until_deadline(), seconds(1).ns);
  a.release(Hold());
  world.run(milliseconds(10'300));
  EXPECT_EQ(world.pttl() * 1'000'000, until_deadline() + milliseconds(1).ns) << "an inner unlock";
}

// subscriptionTimeout came with #5377.
TEST(RedissonOptions, ASubscriptionIsWaitedForAsLongAsACommandUntilItHasATimeoutOfItsOwn) {
  for (const RedissonRelease release : kReleases) {
    RedissonOptions o = RedissonOptions::of(release);
    o.timeout = seconds(1);
    const bool follows = release == RedissonRelease::v3_16_8;
    EXPECT_EQ(o.longest_subscription(), follows ? seconds(1) : milliseconds(7500));
  }
}

}  // namespace
}  // namespace picklock
