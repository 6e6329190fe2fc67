// The server and time: its clocks, its pauses, the active cycle.  What was measured on real servers
// (Debian's redis 7.0.15) is pinned here.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "sim/redis/server_bench.hpp"

namespace picklock {
namespace {

TEST(RedisServerTime, ExpiryIsStrict) {
  RedisBench bench;
  RpcChannel& a = bench.client("a");
  bench.ask(a, "SET", "k", "v", "PX", 300);
  bench.pass(milliseconds(300));
  EXPECT_EQ(bench.ask(a, "PTTL", "k"), "0") << "at its deadline a key lives";
  EXPECT_EQ(bench.ask(a, "GET", "k"), "\"v\"");
  EXPECT_EQ(bench.ask(a, "SET", "k", "w", "NX"), "nil");
  bench.pass(milliseconds(1));
  EXPECT_EQ(bench.ask(a, "PTTL", "k"), "-2");
  EXPECT_EQ(bench.ask(a, "SET", "k", "w", "NX"), "OK");
}

// The server counts in whole milliseconds: rounded down when it sets, and when it looks.
TEST(RedisServerTime, MillisecondsAreRoundedDown) {
  RedisBench bench;
  RpcChannel& a = bench.client("a");
  bench.pass(microseconds(900));
  bench.ask(a, "SET", "k", "v", "PX", 10);
  bench.pass(microseconds(10'099));
  EXPECT_EQ(bench.ask(a, "GET", "k"), "\"v\"") << "10.999 ms";
  bench.pass(microseconds(1));
  EXPECT_EQ(bench.ask(a, "GET", "k"), "nil");
}

TEST(RedisServerTime, AStepForwardShortensALease) {
  RedisBench bench;
  RpcChannel &a = bench.client("a"), &b = bench.client("b");
  bench.ask(a, "SET", "k", "a", "NX", "PX", 30'000);
  bench.world.step_clock(bench.redis, seconds(20));
  EXPECT_EQ(bench.ask(a, "PTTL", "k"), "10000");
  bench.world.step_clock(bench.redis, seconds(20));
  EXPECT_EQ(bench.ask(a, "PTTL", "k"), "-2");
  EXPECT_EQ(bench.ask(b, "SET", "k", "b", "NX", "PX", 30'000), "OK") << "a second holder";
}

TEST(RedisServerTime, AStepBackProlongsALease) {
  RedisBench bench;
  RpcChannel &a = bench.client("a"), &b = bench.client("b");
  bench.world.step_clock(bench.redis, seconds(40));
  bench.ask(b, "SET", "k", "b", "NX", "PX", 70'000);
  bench.world.step_clock(bench.redis, seconds(-100));
  EXPECT_EQ(bench.ask(b, "PTTL", "k"), "170000");
  bench.pass(seconds(169));
  EXPECT_EQ(bench.ask(a, "SET", "k", "a", "NX"), "nil");
}

TEST(RedisServerTime, AClientsClocksDoNotMatter) {
  RedisBench bench;
  RpcChannel& a = bench.client("a");
  bench.ask(a, "SET", "k", "v", "PX", 1000);
  bench.world.step_clock(a.host().node(), seconds(3600));
  bench.world.set_rate(a.host().node(), 500'000);
  EXPECT_EQ(bench.ask(a, "PTTL", "k"), "1000");
}

TEST(RedisServerTime, ADriftingServerExpiresByItsOwnClock) {
  RedisBench bench;
  RpcChannel& a = bench.client("a");
  bench.world.set_rate(bench.redis, 100'000);  // 10 % fast
  bench.ask(a, "SET", "k", "v", "PX", 1100);
  bench.pass(milliseconds(1000));
  EXPECT_EQ(bench.ask(a, "PTTL", "k"), "0");
  bench.pass(milliseconds(1));
  EXPECT_EQ(bench.ask(a, "PTTL", "k"), "-2");
}

TEST(RedisServerTime, AFrozenHostThatCatchesUpHasExpiredItsKeys) {
  for (const Thaw how : {Thaw::lags, Thaw::catches_up}) {
    RedisBench bench;
    RpcChannel& a = bench.client("a", {.request_timeout = seconds(100)});
    bench.ask(a, "SET", "k", "v", "PX", 1000);
    const std::uint32_t boot = bench.world.freeze(bench.redis);
    bench.pass(seconds(10));
    bench.world.thaw(bench.redis, how, boot);
    EXPECT_EQ(bench.ask(a, "PTTL", "k"), how == Thaw::lags ? "1000" : "-2");
  }
}

// --- pauses ----------------------------------------------------------------------------------------

// The client stops with PX 300 in its hand: the next one gets the lock at 0.301 s, the first wakes to
// find it.
TEST(RedisServerTime, APausedHolderLosesItsLease) {
  RedisBench bench;
  RpcChannel &a = bench.client("a"), &b = bench.client("b");
  EXPECT_EQ(bench.ask(a, "SET", "k", "A", "NX", "PX", 300), "OK");
  const std::uint32_t incarnation = bench.world.pause(a.host().node());
  const TrueTime granted = bench.world.now();
  while (bench.ask(b, "SET", "k", "B", "NX", "PX", 300) != "OK") bench.pass(milliseconds(1));
  EXPECT_EQ(bench.world.now() - granted, milliseconds(301));
  bench.world.resume(a.host().node(), incarnation);
  EXPECT_EQ(bench.ask(a, "GET", "k"), "\"B\"");
}

// A stopped server executes what it had received when it goes on, even for a client that has timed
// out and closed its connection: a lock that nobody holds.
TEST(RedisServerTime, AZombieCommandIsExecuted) {
  RedisBench bench;
  RpcChannel &a = bench.client("a"), &b = bench.client("b", {.request_timeout = seconds(10)});
  const std::uint32_t incarnation = bench.world.pause(bench.redis);
  EXPECT_EQ(bench.ask(a, "SET", "k", "zombie", "NX", "PX", 30'000), "timed out");
  EXPECT_FALSE(a.connected());
  bench.pass(seconds(2));
  bench.world.resume(bench.redis, incarnation);
  EXPECT_EQ(bench.ask(b, "GET", "k"), "\"zombie\"");
  EXPECT_EQ(bench.ask(b, "PTTL", "k"), "30000") << "its lease began when it was executed";
}

TEST(RedisServerTime, APausedServerExecutesInTheOrderOfArrival) {
  RedisBench bench;
  RpcChannel &a = bench.client("a", {.request_timeout = seconds(10)}),
             &b = bench.client("b", {.request_timeout = seconds(10)});
  const std::uint32_t incarnation = bench.world.pause(bench.redis);
  std::string first, second, third;
  bench.send(a, RedisCommand("SET", "k", "A", "NX"), first);
  bench.pass(milliseconds(1));
  bench.send(b, RedisCommand("SET", "k", "B", "NX"), second);
  bench.pass(milliseconds(1));
  bench.send(a, RedisCommand("GET", "k"), third);
  bench.pass(seconds(1));
  EXPECT_EQ(first + second + third, "") << "nobody answers";
  bench.world.resume(bench.redis, incarnation);
  bench.pass(seconds(1));
  EXPECT_EQ(first + " " + second + " " + third, "OK nil \"A\"");
}

// Commands take the time that the node's CPU needs, one after the other, and run at its end.
TEST(RedisServerTime, ComputingTakesTime) {
  RedisBench bench;
  RpcChannel &a = bench.client("a"), &b = bench.client("b");
  bench.world.set_cpu_cost(bench.redis, Law::constant(milliseconds(5)));
  std::string first, second;
  bench.send(a, RedisCommand("SET", "k", "A", "PX", 100), first);
  bench.send(b, RedisCommand("PTTL", "k"), second);
  bench.pass(milliseconds(9));
  EXPECT_EQ(second, "");
  bench.pass(milliseconds(1));
  EXPECT_EQ(first + " " + second, "OK 95");
  std::string third;
  bench.send(a, RedisCommand("PTTL", "k"), third);
  bench.pass(milliseconds(2));
  const std::uint32_t incarnation = bench.world.pause(bench.redis);
  bench.pass(milliseconds(10));
  bench.world.resume(bench.redis, incarnation);
  bench.pass(milliseconds(2));
  EXPECT_EQ(third, "");
  bench.pass(milliseconds(1));
  EXPECT_EQ(third, "80") << "5 ms of work, and 10 ms of pause in between";
}

// --- the active cycle --------------------------------------------------------------------------------

TEST(RedisServerTime, TheCycleDeletesWhatNobodyAsksFor) {
  RedisBench bench;
  RpcChannel& a = bench.client("a");
  bench.ask(a, "SET", "k", "v", "PX", 1000);
  bench.pass(milliseconds(1000));
  EXPECT_TRUE(bench.has("k"));
  bench.pass(milliseconds(101));
  EXPECT_FALSE(bench.has("k")) << "ten times a second";
}

TEST(RedisServerTime, WithoutTheCycleAKeyStaysAndIsHidden) {
  RedisBench bench;
  RpcChannel& a = bench.client("a");
  bench.world.pause_task(bench.redis, "cron");
  bench.ask(a, "SET", "k", "v", "PX", 1000);
  bench.pass(seconds(10));
  EXPECT_TRUE(bench.has("k"));
  EXPECT_EQ(bench.ask(a, "EXISTS", "k"), "0");
  EXPECT_FALSE(bench.has("k")) << "the lookup has deleted it";
  bench.ask(a, "SET", "k", "v", "PX", 1000);
  bench.pass(seconds(10));
  bench.world.resume_task(bench.redis, "cron");
  bench.pass(milliseconds(100));
  EXPECT_FALSE(bench.has("k"));
}

TEST(RedisServerTime, TheCycleFollowsASteppedClock) {
  RedisBench bench;
  RpcChannel& a = bench.client("a");
  bench.ask(a, "SET", "k", "v", "PX", 60'000);
  bench.pass(seconds(1));
  bench.world.step_clock(bench.redis, seconds(60));
  EXPECT_TRUE(bench.has("k"));
  bench.pass(milliseconds(101));
  EXPECT_FALSE(bench.has("k"));
  bench.ask(a, "SET", "k", "v", "PX", 1000);
  bench.world.step_clock(bench.redis, seconds(-5));
  bench.pass(milliseconds(5900));
  EXPECT_TRUE(bench.has("k"));
  bench.pass(milliseconds(202));
  EXPECT_FALSE(bench.has("k"));
}

// A later key with an earlier deadline must wake the sleeping cycle.
TEST(RedisServerTime, TheCycleHearsOfAnEarlierDeadline) {
  RedisBench bench;
  RpcChannel& a = bench.client("a");
  bench.ask(a, "SET", "late", "v", "PX", 60'000);
  bench.pass(seconds(1));
  bench.ask(a, "SET", "soon", "v", "PX", 100);
  bench.pass(milliseconds(202));
  EXPECT_FALSE(bench.has("soon"));
  bench.ask(a, "PEXPIRE", "late", 100);
  bench.pass(milliseconds(202));
  EXPECT_FALSE(bench.has("late"));
}

TEST(RedisServerTime, HzSaysHowOften) {
  std::set<std::int64_t> stays;
  const auto longest_stay_ms = [&stays](std::int64_t hz) {
    RedisOptions options;
    options.hz = hz;
    std::int64_t longest = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      RedisBench bench(options, seed);
      RpcChannel& a = bench.client("a");
      bench.ask(a, "SET", "k", "v", "PX", 1000);
      bench.pass(milliseconds(1000));
      std::int64_t stay = 0;
      for (; bench.has("k"); ++stay) bench.pass(milliseconds(1));
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
      RedisBench bench(options, seed);
      RpcChannel& a = bench.client("a");
      bench.ask(a, "SET", "k", "v", "PX", 100);
      bench.pass(microseconds(100'999));
      gone_at_deadline = gone_at_deadline || !bench.has("k");
    }
    EXPECT_EQ(gone_at_deadline, at);
  }
}

// Nothing that can happen is left: a run that waits for it ends.
TEST(RedisServerTime, AnIdleServerIsQuiescent) {
  RedisBench bench;
  RpcChannel& a = bench.client("a");
  EXPECT_EQ(bench.world.run(), RunEnd::quiescent);
  EXPECT_EQ(bench.world.now().ns, 0);
  bench.ask(a, "SET", "k", "v");
  EXPECT_EQ(bench.world.run(), RunEnd::quiescent);
  EXPECT_EQ(bench.world.now().ns, 0) << "a key without deadline";
  bench.ask(a, "SET", "k", "v", "PX", 30'000);
  bench.pass(seconds(1));
  bench.ask(a, "DEL", "k");
  EXPECT_EQ(bench.world.run(), RunEnd::quiescent);
  EXPECT_EQ(bench.world.now(), TrueTime{} + seconds(1)) << "the last deadline has gone";
  bench.ask(a, "SET", "k", "v", "PX", 30'000);
  EXPECT_EQ(bench.world.run(), RunEnd::quiescent);
  EXPECT_GT(bench.world.now(), TrueTime{} + seconds(31));
  EXPECT_LE(bench.world.now(), TrueTime{} + milliseconds(31'101));
  EXPECT_FALSE(bench.has("k"));
}

TEST(RedisServerTime, ADeadlineFarBeyondAnyRunIsNone) {
  RedisBench bench;
  RpcChannel& a = bench.client("a");
  bench.ask(a, "SET", "k", "v", "PXAT", INT64_MAX);
  EXPECT_EQ(bench.world.run(), RunEnd::quiescent);
  EXPECT_TRUE(bench.has("k"));
}

// Of very many expired keys a cycle looks at twenty at a time, drawn by name, until few are stale.
TEST(RedisServerTime, TheCycleSamples) {
  const auto left_after_one_cycle = [](std::uint64_t seed) {
    RedisBench bench({}, seed);
    bench.world.draws.log(true);
    RpcChannel& a = bench.client("a");
    for (int i = 0; i < 300; ++i) {
      bench.ask(a, "SET", "k" + std::to_string(i), "v", "PX", i % 6 == 0 ? 500 : 600'000);
    }
    bench.pass(milliseconds(605));
    std::size_t draws = 0;
    for (const DrawRecord& r : bench.world.draws.logged()) draws += r.purpose == Purpose::expire_sample;
    EXPECT_GE(draws, 20u);
    const std::string name = bench.world.draw_name(bench.world.draws.logged().back());
    EXPECT_TRUE(name.starts_with("redis/expire-sample@redis#6.") || name.starts_with("redis/expire-sample@redis#7."))
        << name << ": the number of the cycle since the boot";
    return bench.server.inspect(bench.world, bench.redis).size();
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
    RedisBench bench;
    RpcChannel& a = bench.client("a");
    bench.pass(before);
    bench.ask(a, "SET", "k", "v", "PX", px);
    bench.pass(later);
    return bench.server.fingerprint(bench.world, bench.redis);
  };
  const std::uint64_t one = after(seconds(1), 1000, milliseconds(10));
  EXPECT_EQ(one, after(seconds(7), 1000, milliseconds(10)));
  EXPECT_NE(one, after(seconds(1), 1001, milliseconds(10)));
  EXPECT_NE(one, after(seconds(1), 1000, microseconds(10'100)));
}

}  // namespace
}  // namespace picklock
