#include "sim/core/clock.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/core/world_lab.hpp"

namespace picklock {
namespace {

using testing::Lab;
using testing::ms;
using testing::true_at;
__extension__ using Wide = __int128;

constexpr std::int64_t kYear = seconds(31'557'600).ns;

// The definition, without any trick.
std::int64_t local_after(std::int64_t passed, std::int32_t ppm) {
  return static_cast<std::int64_t>(static_cast<Wide>(passed) * (1'000'000 + ppm) / 1'000'000);
}

rc::Gen<std::int32_t> any_rate() {
  return rc::gen::oneOf(rc::gen::inRange(Clock::kLeastPpm, Clock::kMostPpm + 1), rc::gen::inRange(-200, 201),
                        rc::gen::element(0, 1, -1, Clock::kLeastPpm, Clock::kMostPpm));
}

// Instants of every order of magnitude up to twenty years.
rc::Gen<std::int64_t> any_time() {
  return rc::gen::map(rc::gen::pair(rc::gen::inRange<std::int64_t>(0, 20 * kYear), rc::gen::inRange(0, 60)),
                      [](const auto& p) { return p.first >> p.second; });
}

RC_GTEST_PROP(Clock, ReadsAsDefinedForTwentyYears, ()) {
  const auto ppm = *any_rate();
  Clock clock;
  clock.set_rate(TrueTime{}, ppm);
  const auto t = *any_time();
  RC_ASSERT(clock.monotonic(TrueTime{t}).ns == local_after(t, ppm));
  RC_ASSERT(clock.wall(TrueTime{t}).ns == Clock::kEpoch.ns + local_after(t, ppm));
}

RC_GTEST_PROP(Clock, WhenIsTheFirstTrueInstant, ()) {
  Clock clock;
  std::int64_t now = 0;
  for (const auto ppm : *rc::gen::container<std::vector<std::int32_t>>(any_rate())) {
    now += *any_time() >> 5;
    clock.set_rate(TrueTime{now}, ppm);
    if (now > 10 * kYear) break;
  }
  const MonoTime due = clock.monotonic(TrueTime{now}) + Duration{*any_time() >> 4};
  const TrueTime t = clock.when(due);
  RC_ASSERT(t >= TrueTime{now});
  RC_ASSERT(clock.monotonic(t) >= due);
  RC_ASSERT(t == TrueTime{now} || clock.monotonic(t - nanoseconds(1)) < due);
}

RC_GTEST_PROP(Clock, NeverRunsBackwardsWhateverItsRates, ()) {
  Clock clock;
  std::int64_t now = 0;
  MonoTime before{};
  for (const auto ppm : *rc::gen::container<std::vector<std::int32_t>>(any_rate())) {
    now += *rc::gen::inRange<std::int64_t>(0, 1'000'000'000);
    const MonoTime at_change = clock.monotonic(TrueTime{now});
    RC_ASSERT(at_change >= before);
    clock.set_rate(TrueTime{now}, ppm);
    RC_ASSERT(clock.monotonic(TrueTime{now}) == at_change);
    before = at_change;
  }
}

TEST(Clock, AStepMovesTheWallClockAlone) {
  Clock clock;
  clock.step(seconds(-5));
  EXPECT_EQ(clock.monotonic(true_at(seconds(7))), MonoTime{seconds(7).ns});
  EXPECT_EQ(clock.wall(true_at(seconds(7))).ns, (Clock::kEpoch + seconds(2)).ns);
  EXPECT_EQ(clock.when(MonoTime{seconds(9).ns}), true_at(seconds(9)));
}

TEST(Clock, StandsStillWhileFrozen) {
  Clock clock;
  clock.freeze(true_at(seconds(3)));
  EXPECT_EQ(clock.monotonic(true_at(seconds(90))), MonoTime{seconds(3).ns});
  EXPECT_EQ(clock.when(MonoTime{seconds(4).ns}), kNever);
  clock.set_rate(true_at(seconds(50)), 500'000);
  EXPECT_EQ(clock.monotonic(true_at(seconds(90))), MonoTime{seconds(3).ns});
  clock.thaw(true_at(seconds(100)));
  EXPECT_EQ(clock.monotonic(true_at(seconds(102))), MonoTime{seconds(6).ns});
}

TEST(Clock, AnInstantBeyondAnyRunIsNever) {
  for (const std::int32_t ppm : {Clock::kLeastPpm, -1, 1, Clock::kMostPpm}) {
    Clock clock;
    clock.set_rate(TrueTime{}, ppm);
    EXPECT_EQ(clock.when(MonoTime{} + kForever), kNever) << ppm;
  }
}

// --- timers on these clocks, through a world

struct Woken {
  TrueTime truly;
  MonoTime locally;
};

Task<void> sleeper(Host host, World* world, Duration d, Woken* out) {
  co_await host.sleep(d);
  *out = {world->now(), host.monotonic_now()};
}

TEST(ClockInWorld, AChangeOfRateMovesTimers) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  Woken woken;
  lab.world.tasks.start(n, "main", sleeper(lab.world.host(n), &lab.world, ms(100), &woken));
  lab.at(ms(50), [n](World& w) {
    w.faults.set_rate(n, 1'000'000);  // twice as fast from half-way on
    w.faults.step_clock(n, seconds(77'777));
  });
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_EQ(woken.truly, true_at(ms(75)));
  EXPECT_EQ(woken.locally, MonoTime{ms(100).ns});
}

TEST(ClockInWorld, TrueTimeNeverRunsBackwardsOnASlowClock) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  lab.world.nodes.initial_clock(n).set_rate(TrueTime{}, -900'000);
  // At every true instant the slow clock shows what it showed up to nine nanoseconds ago, so that
  // "now" in local time may have begun in the true past.
  struct Yields {
    static Task<void> many(Host host, World* world, bool* backwards) {
      TrueTime last{};
      for (int i = 0; i < 1000; ++i) {
        co_await host.sleep(nanoseconds(i % 3));
        if (world->now() < last) *backwards = true;
        last = world->now();
        co_await host.sleep(nanoseconds(-5));
        if (world->now() < last) *backwards = true;
        last = world->now();
      }
    }
    static Task<void> ticks(Host host) {
      for (int i = 0; i < 3000; ++i) co_await host.sleep(nanoseconds(1));
    }
  };
  bool backwards = false;
  const NodeId exact = lab.world.nodes.add("exact");
  lab.world.tasks.start(exact, "main", Yields::ticks(lab.world.host(exact)));
  lab.world.tasks.start(n, "main", Yields::many(lab.world.host(n), &lab.world, &backwards));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_FALSE(backwards);
}

TEST(ClockInWorld, YearsPassWithoutOverflow) {
  for (const std::int32_t ppm : {Clock::kLeastPpm, -37, 0, 37, Clock::kMostPpm}) {
    Lab lab;
    const NodeId n = lab.world.nodes.add("n");
    lab.world.nodes.initial_clock(n).set_rate(TrueTime{}, ppm);
    Woken woken{};
    const Duration year{kYear};
    lab.world.tasks.start(n, "main", sleeper(lab.world.host(n), &lab.world, year, &woken));
    for (int k = 1; k < 20; ++k) lab.at(year * k, [n, ppm](World& w) { w.faults.set_rate(n, ppm); });
    lab.run_until(year * 20);
    EXPECT_EQ(lab.world.now(), true_at(year * 20));
    EXPECT_GE(woken.locally, MonoTime{year.ns});
    EXPECT_LE(woken.locally, MonoTime{year.ns + 10});
    EXPECT_LE((lab.world.tasks.monotonic_now(n) - MonoTime{}).ns, local_after(20 * kYear, ppm));
    EXPECT_GE((lab.world.tasks.monotonic_now(n) - MonoTime{}).ns, local_after(20 * kYear, ppm) - 20);
  }
}

TEST(ClockInWorld, WhoSleepsForeverNeverWakes) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  Woken woken{};
  lab.world.tasks.start(n, "main", sleeper(lab.world.host(n), &lab.world, kForever, &woken));
  lab.at(seconds(1), [n](World& w) { w.faults.set_rate(n, Clock::kLeastPpm); });
  lab.at(seconds(2), [n](World& w) { w.faults.set_rate(n, Clock::kMostPpm); });
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_EQ(lab.world.now(), true_at(seconds(2)));
  EXPECT_EQ(woken.truly, TrueTime{});
}

TEST(ClockInWorld, TwoWaysToThaw) {
  for (const Thaw how : {Thaw::lags, Thaw::catches_up}) {
    Lab lab;
    const NodeId n = lab.world.nodes.add("n");
    Woken woken{};
    lab.world.tasks.start(n, "main", sleeper(lab.world.host(n), &lab.world, ms(100), &woken));
    lab.freeze(n, ms(40), seconds(10), how);
    lab.run();
    EXPECT_EQ(woken.truly, true_at(ms(100) + seconds(10)));
    EXPECT_EQ(woken.locally, MonoTime{ms(100).ns});
    const Duration behind = true_at(Clock::kEpoch) + ms(100) + seconds(10) - TrueTime{lab.world.tasks.wall_now(n).ns};
    EXPECT_EQ(behind, how == Thaw::lags ? seconds(10) : Duration{});
  }
}

}  // namespace
}  // namespace picklock
