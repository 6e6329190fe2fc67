// The server and time: its clocks, its pauses, the active cycle.  Behaviour measured on real servers
// (Debian's redis 7.0.15) is pinned here.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "sim/redis/redis_lab.hpp"

namespace picklock {
namespace {

TEST(RedisServerTime, ExpiryIsStrict) {
  RedisLab lab;
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "k", "v", "PX", 300);
  lab.pass(milliseconds(300));
  EXPECT_EQ(lab.ask(a, "PTTL", "k"), "0") << "at its deadline a key lives";
  EXPECT_EQ(lab.ask(a, "GET", "k"), "\"v\"");
  EXPECT_EQ(lab.ask(a, "SET", "k", "w", "NX"), "nil");
  lab.pass(milliseconds(1));
  EXPECT_EQ(lab.ask(a, "PTTL", "k"), "-2");
  EXPECT_EQ(lab.ask(a, "SET", "k", "w", "NX"), "OK");
}

// The server counts in whole milliseconds: rounded down when it sets, and when it looks.
TEST(RedisServerTime, MillisecondsAreRoundedDown) {
  RedisLab lab;
  RpcChannel& a = lab.client("a");
  lab.pass(microseconds(900));
  lab.ask(a, "SET", "k", "v", "PX", 10);
  lab.pass(microseconds(10'099));
  EXPECT_EQ(lab.ask(a, "GET", "k"), "\"v\"") << "10.999 ms";
  lab.pass(microseconds(1));
  EXPECT_EQ(lab.ask(a, "GET", "k"), "nil");
}

TEST(RedisServerTime, AStepForwardShortensALease) {
  RedisLab lab;
  RpcChannel &a = lab.client("a"), &b = lab.client("b");
  lab.ask(a, "SET", "k", "a", "NX", "PX", 30'000);
  lab.world.faults.step_clock(lab.redis, seconds(20));
  EXPECT_EQ(lab.ask(a, "PTTL", "k"), "10000");
  lab.world.faults.step_clock(lab.redis, seconds(20));
  EXPECT_EQ(lab.ask(a, "PTTL", "k"), "-2");
  EXPECT_EQ(lab.ask(b, "SET", "k", "b", "NX", "PX", 30'000), "OK") << "a second holder";
}

TEST(RedisServerTime, AStepBackProlongsALease) {
  RedisLab lab;
  RpcChannel &a = lab.client("a"), &b = lab.client("b");
  lab.world.faults.step_clock(lab.redis, seconds(40));
  lab.ask(b, "SET", "k", "b", "NX", "PX", 70'000);
  lab.world.faults.step_clock(lab.redis, seconds(-100));
  EXPECT_EQ(lab.ask(b, "PTTL", "k"), "170000");
  lab.pass(seconds(169));
  EXPECT_EQ(lab.ask(a, "SET", "k", "a", "NX"), "nil");
}

TEST(RedisServerTime, AClientsClocksDoNotMatter) {
  RedisLab lab;
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "k", "v", "PX", 1000);
  lab.world.faults.step_clock(a.host().node(), seconds(3600));
  lab.world.faults.set_rate(a.host().node(), 500'000);
  EXPECT_EQ(lab.ask(a, "PTTL", "k"), "1000");
}

TEST(RedisServerTime, ADriftingServerExpiresByItsOwnClock) {
  RedisLab lab;
  RpcChannel& a = lab.client("a");
  lab.world.faults.set_rate(lab.redis, 100'000);  // 10 % fast
  lab.ask(a, "SET", "k", "v", "PX", 1100);
  lab.pass(milliseconds(1000));
  EXPECT_EQ(lab.ask(a, "PTTL", "k"), "0");
  lab.pass(milliseconds(1));
  EXPECT_EQ(lab.ask(a, "PTTL", "k"), "-2");
}

TEST(RedisServerTime, AFrozenHostThatCatchesUpHasExpiredItsKeys) {
  for (const Thaw how : {Thaw::lags, Thaw::catches_up}) {
    RedisLab lab;
    RpcChannel& a = lab.client("a", {.request_timeout = seconds(100)});
    lab.ask(a, "SET", "k", "v", "PX", 1000);
    const std::uint32_t boot = lab.world.faults.freeze(lab.redis);
    lab.pass(seconds(10));
    lab.world.faults.thaw(lab.redis, how, boot);
    EXPECT_EQ(lab.ask(a, "PTTL", "k"), how == Thaw::lags ? "1000" : "-2");
  }
}

// --- pauses ----------------------------------------------------------------------------------------

// The client stops with PX 300 in its hand: the next one gets the lock at 0.301 s, the first wakes to
// find it.
TEST(RedisServerTime, APausedHolderLosesItsLease) {
  RedisLab lab;
  RpcChannel &a = lab.client("a"), &b = lab.client("b");
  EXPECT_EQ(lab.ask(a, "SET", "k", "A", "NX", "PX", 300), "OK");
  const std::uint32_t incarnation = lab.world.faults.pause(a.host().node());
  const TrueTime granted = lab.world.now();
  while (lab.ask(b, "SET", "k", "B", "NX", "PX", 300) != "OK") lab.pass(milliseconds(1));
  EXPECT_EQ(lab.world.now() - granted, milliseconds(301));
  lab.world.faults.resume(a.host().node(), incarnation);
  EXPECT_EQ(lab.ask(a, "GET", "k"), "\"B\"");
}

// A stopped server executes what it had received when it goes on, even for a client that has timed
// out and closed its connection: a lock without a holder.
TEST(RedisServerTime, AZombieCommandIsExecuted) {
  RedisLab lab;
  RpcChannel &a = lab.client("a"), &b = lab.client("b", {.request_timeout = seconds(10)});
  const std::uint32_t incarnation = lab.world.faults.pause(lab.redis);
  EXPECT_EQ(lab.ask(a, "SET", "k", "zombie", "NX", "PX", 30'000), "timed out");
  EXPECT_FALSE(a.connected());
  lab.pass(seconds(2));
  lab.world.faults.resume(lab.redis, incarnation);
  EXPECT_EQ(lab.ask(b, "GET", "k"), "\"zombie\"");
  EXPECT_EQ(lab.ask(b, "PTTL", "k"), "30000") << "its lease began when it was executed";
}

TEST(RedisServerTime, APausedServerExecutesInTheOrderOfArrival) {
  RedisLab lab;
  RpcChannel &a = lab.client("a", {.request_timeout = seconds(10)}),
             &b = lab.client("b", {.request_timeout = seconds(10)});
  const std::uint32_t incarnation = lab.world.faults.pause(lab.redis);
  std::string first, second, third;
  lab.send(a, RedisCommand("SET", "k", "A", "NX"), first);
  lab.pass(milliseconds(1));
  lab.send(b, RedisCommand("SET", "k", "B", "NX"), second);
  lab.pass(milliseconds(1));
  lab.send(a, RedisCommand("GET", "k"), third);
  lab.pass(seconds(1));
  EXPECT_EQ(first + second + third, "") << "no server answers";
  lab.world.faults.resume(lab.redis, incarnation);
  lab.pass(seconds(1));
  EXPECT_EQ(first + " " + second + " " + third, "OK nil \"A\"");
}

// Commands take the time that the node's CPU needs, one after the other, and run at its end.
TEST(RedisServerTime, ComputingTakesTime) {
  RedisLab lab;
  RpcChannel &a = lab.client("a"), &b = lab.client("b");
  lab.world.nodes.set_cpu_cost(lab.redis, Law::constant(milliseconds(5)));
  std::string first, second;
  lab.send(a, RedisCommand("SET", "k", "A", "PX", 100), first);
  lab.send(b, RedisCommand("PTTL", "k"), second);
  lab.pass(milliseconds(9));
  EXPECT_EQ(second, "");
  lab.pass(milliseconds(1));
  EXPECT_EQ(first + " " + second, "OK 95");
  std::string third;
  lab.send(a, RedisCommand("PTTL", "k"), third);
  lab.pass(milliseconds(2));
  const std::uint32_t incarnation = lab.world.faults.pause(lab.redis);
  lab.pass(milliseconds(10));
  lab.world.faults.resume(lab.redis, incarnation);
  lab.pass(milliseconds(2));
  EXPECT_EQ(third, "");
  lab.pass(milliseconds(1));
  EXPECT_EQ(third, "80") << "5 ms of work, and 10 ms of pause in between";
}

// --- the active cycle --------------------------------------------------------------------------------

TEST(RedisServerTime, TheCycleDeletesKeysThatNoClientAsksFor) {
  RedisLab lab;
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "k", "v", "PX", 1000);
  lab.pass(milliseconds(1000));
  EXPECT_TRUE(lab.has("k"));
  lab.pass(milliseconds(101));
  EXPECT_FALSE(lab.has("k")) << "ten times a second";
}

TEST(RedisServerTime, WithoutTheCycleAKeyStaysAndIsHidden) {
  RedisLab lab;
  RpcChannel& a = lab.client("a");
  lab.world.faults.pause_task(lab.redis, "cron");
  lab.ask(a, "SET", "k", "v", "PX", 1000);
  lab.pass(seconds(10));
  EXPECT_TRUE(lab.has("k"));
  EXPECT_EQ(lab.ask(a, "EXISTS", "k"), "0");
  EXPECT_FALSE(lab.has("k")) << "the lookup has deleted it";
  lab.ask(a, "SET", "k", "v", "PX", 1000);
  lab.pass(seconds(10));
  lab.world.faults.resume_task(lab.redis, "cron");
  lab.pass(milliseconds(100));
  EXPECT_FALSE(lab.has("k"));
}

TEST(RedisServerTime, TheCycleFollowsASteppedClock) {
  RedisLab lab;
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "k", "v", "PX", 60'000);
  lab.pass(seconds(1));
  lab.world.faults.step_clock(lab.redis, seconds(60));
  EXPECT_TRUE(lab.has("k"));
  lab.pass(milliseconds(101));
  EXPECT_FALSE(lab.has("k"));
  lab.ask(a, "SET", "k", "v", "PX", 1000);
  lab.world.faults.step_clock(lab.redis, seconds(-5));
  lab.pass(milliseconds(5900));
  EXPECT_TRUE(lab.has("k"));
  lab.pass(milliseconds(202));
  EXPECT_FALSE(lab.has("k"));
}

// A later key with an earlier deadline must wake the sleeping cycle.
TEST(RedisServerTime, TheCycleHearsOfAnEarlierDeadline) {
  RedisLab lab;
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "late", "v", "PX", 60'000);
  lab.pass(seconds(1));
  lab.ask(a, "SET", "soon", "v", "PX", 100);
  lab.pass(milliseconds(202));
  EXPECT_FALSE(lab.has("soon"));
  lab.ask(a, "PEXPIRE", "late", 100);
  lab.pass(milliseconds(202));
  EXPECT_FALSE(lab.has("late"));
}

TEST(RedisServerTime, HzSaysHowOften) {
  std::set<std::int64_t> stays;
  const auto longest_stay_ms = [&stays](std::int64_t hz) {
    RedisOptions options;
    options.hz = hz;
    std::int64_t longest = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      RedisLab lab(options, seed);
      RpcChannel& a = lab.client("a");
      lab.ask(a, "SET", "k", "v", "PX", 1000);
      lab.pass(milliseconds(1000));
      std::int64_t stay = 0;
      for (; lab.has("k"); ++stay) lab.pass(milliseconds(1));
      longest = std::max(longest, stay);
      stays.insert(stay);
    }
    return longest;
  };
  const std::int64_t ten = longest_stay_ms(10), hundred = longest_stay_ms(100);
  EXPECT_TRUE(ten > 50 && ten <= 101) << ten;
  EXPECT_GT(stays.size(), 10u) << "where its ticks lie is drawn";
  EXPECT_TRUE(hundred > 5 && hundred <= 11) << hundred;
}

TEST(RedisServerTime, AtTheDeadlineOrAfterIt) {
  for (const bool at : {false, true}) {
    RedisOptions options;
    options.hz = 500;
    options.expire_at_deadline = at;
    bool gone_at_deadline = false;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      RedisLab lab(options, seed);
      RpcChannel& a = lab.client("a");
      lab.ask(a, "SET", "k", "v", "PX", 100);
      lab.pass(microseconds(100'999));
      gone_at_deadline = gone_at_deadline || !lab.has("k");
    }
    EXPECT_EQ(gone_at_deadline, at);
  }
}

// Nothing that can happen is left: a run that waits for it ends.
TEST(RedisServerTime, AnIdleServerIsQuiescent) {
  RedisLab lab;
  RpcChannel& a = lab.client("a");
  EXPECT_EQ(lab.world.run(), RunEnd::quiescent);
  EXPECT_EQ(lab.world.now().ns, 0);
  lab.ask(a, "SET", "k", "v");
  EXPECT_EQ(lab.world.run(), RunEnd::quiescent);
  EXPECT_EQ(lab.world.now().ns, 0) << "a key without deadline";
  lab.ask(a, "SET", "k", "v", "PX", 30'000);
  lab.pass(seconds(1));
  lab.ask(a, "DEL", "k");
  EXPECT_EQ(lab.world.run(), RunEnd::quiescent);
  EXPECT_EQ(lab.world.now(), TrueTime{} + seconds(1)) << "the last deadline has gone";
  lab.ask(a, "SET", "k", "v", "PX", 30'000);
  EXPECT_EQ(lab.world.run(), RunEnd::quiescent);
  EXPECT_GT(lab.world.now(), TrueTime{} + seconds(31));
  EXPECT_LE(lab.world.now(), TrueTime{} + milliseconds(31'101));
  EXPECT_FALSE(lab.has("k"));
}

TEST(RedisServerTime, ADeadlineFarBeyondAnyRunIsNone) {
  RedisLab lab;
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "k", "v", "PXAT", INT64_MAX);
  EXPECT_EQ(lab.world.run(), RunEnd::quiescent);
  EXPECT_TRUE(lab.has("k"));
}

// With very many expired keys, a cycle looks at twenty at a time, drawn by name, until few are stale.
TEST(RedisServerTime, TheCycleSamples) {
  const auto left_after_one_cycle = [](std::uint64_t seed) {
    RedisLab lab({}, seed);
    lab.world.draws.log(true);
    RpcChannel& a = lab.client("a");
    for (int i = 0; i < 300; ++i) {
      lab.ask(a, "SET", "k" + std::to_string(i), "v", "PX", i % 6 == 0 ? 500 : 600'000);
    }
    lab.pass(milliseconds(605));
    std::size_t draws = 0;
    for (const DrawRecord& r : lab.world.draws.logged()) draws += r.purpose == Purpose::expire_sample;
    EXPECT_GE(draws, 20u);
    const std::string name = lab.world.tasks.draw_name(lab.world.draws.logged().back());
    EXPECT_TRUE(name.starts_with("redis/expire-sample@redis#6.") || name.starts_with("redis/expire-sample@redis#7."))
        << name << ": the number of the cycle since the boot";
    return lab.server.inspect(lab.world, lab.redis).size();
  };
  bool some_stay = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::size_t left = left_after_one_cycle(seed);
    EXPECT_EQ(left, left_after_one_cycle(seed)) << "deterministic";
    EXPECT_GE(left, 250u);
    some_stay = some_stay || left > 250;
  }
  EXPECT_TRUE(some_stay);
}

// --- fingerprints ------------------------------------------------------------------------------------

TEST(RedisServerTime, FingerprintsAreRelativeToNow) {
  const auto after = [](Duration before, std::int64_t px, Duration later) {
    RedisLab lab;
    RpcChannel& a = lab.client("a");
    lab.pass(before);
    lab.ask(a, "SET", "k", "v", "PX", px);
    lab.pass(later);
    return lab.server.fingerprint(lab.world, lab.redis);
  };
  const std::uint64_t one = after(seconds(1), 1000, milliseconds(10));
  EXPECT_EQ(one, after(seconds(7), 1000, milliseconds(10)));
  EXPECT_NE(one, after(seconds(1), 1001, milliseconds(10)));
  EXPECT_NE(one, after(seconds(1), 1000, microseconds(10'100)));
}

}  // namespace
}  // namespace picklock
