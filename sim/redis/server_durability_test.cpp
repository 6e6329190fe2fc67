// What is lost, and what is not, when the process or the power goes.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <optional>

#include "sim/core/mix.hpp"
#include "sim/redis/append_only_file.hpp"
#include "sim/redis/server_bench.hpp"

namespace picklock {
namespace {

RedisOptions with(AppendOnly appendonly) {
  RedisOptions options;
  options.appendonly = appendonly;
  return options;
}

enum class Blow : std::uint8_t { kill, power };

void strike(RedisBench& bench, Blow blow) {
  if (blow == Blow::kill) {
    bench.world.kill(bench.redis);
  } else {
    bench.world.lose_power(bench.redis);
  }
}

std::string value(const RedisBench& bench, std::string_view key) {
  RedisInspect::Key found;
  return bench.server.inspect(bench.world, bench.redis).find(key, found) ? std::string(found.text) : "none";
}

TEST(RedisServerDurability, WithoutAFileARestartIsEmpty) {
  for (const Blow blow : {Blow::kill, Blow::power}) {
    RedisBench bench(with(AppendOnly::no));
    RpcChannel& a = bench.client("a");
    bench.ask(a, "SET", "k", "v");
    bench.pass(seconds(60));
    strike(bench, blow);
    bench.reboot();
    EXPECT_FALSE(bench.has("k"));
  }
}

// "Delayed restarts": whoever asks before is turned away, and nothing of it is executed later.
TEST(RedisServerDurability, StaysOutOfServiceForTheRestartDelay) {
  for (const RestartClock clock : {RestartClock::monotonic, RestartClock::wall}) {
    RedisOptions options;
    options.restart_delay = seconds(10);
    options.restart_delay_clock = clock;
    RedisBench bench(options);
    RpcChannel& a = bench.client("a");
    EXPECT_EQ(bench.ask(a, "SET", "k", "v"), "OK") << "the first start is at once";
    strike(bench, Blow::power);
    bench.reboot();
    EXPECT_NE(bench.ask(a, "SET", "early", "v"), "OK");
    bench.pass(seconds(4));
    bench.world.step_clock(bench.redis, seconds(5));
    bench.pass(seconds(2));
    const bool fooled = clock == RestartClock::wall;  // 6 s have passed, and a step of 5
    EXPECT_EQ(bench.ask(a, "SET", "late", "v") == "OK", fooled);
    bench.pass(seconds(5));
    EXPECT_EQ(bench.ask(a, "SET", "k", "v"), "OK");
    EXPECT_FALSE(bench.has("early"));
  }
}

// write() came before the reply: what the kernel has, survives the process.
TEST(RedisServerDurability, EverysecAKillLosesNothing) {
  RedisBench bench(with(AppendOnly::everysec));
  RpcChannel& a = bench.client("a");
  bench.ask(a, "SET", "k", "v", "PX", 30'000);
  bench.ask(a, "INCR", "n");
  strike(bench, Blow::kill);
  bench.pass(seconds(10));
  bench.reboot();
  EXPECT_EQ(bench.ask(a, "GET", "k"), "\"v\"");
  EXPECT_EQ(bench.ask(a, "INCR", "n"), "2");
  EXPECT_EQ(bench.ask(a, "PTTL", "k"), "20000") << "deadlines are absolute: time passed meanwhile";
}

TEST(RedisServerDurability, EverysecALossOfPowerLosesTheLastSecond) {
  RedisBench bench(with(AppendOnly::everysec));
  RpcChannel& a = bench.client("a");
  bench.ask(a, "SET", "k", "old");
  bench.pass(milliseconds(2500));
  bench.ask(a, "SET", "k", "new");  // a second has passed since the last fsync: this begins the next
  bench.pass(milliseconds(100));
  bench.ask(a, "SET", "k", "newest");
  bench.pass(milliseconds(100));
  strike(bench, Blow::power);
  bench.reboot();
  EXPECT_EQ(value(bench, "k"), "new");
}

TEST(RedisServerDurability, EverysecSyncsOnItsOwn) {
  RedisBench bench(with(AppendOnly::everysec));
  RpcChannel& a = bench.client("a");
  bench.ask(a, "SET", "k", "v");
  bench.pass(milliseconds(2500));  // no further command
  strike(bench, Blow::power);
  bench.reboot();
  EXPECT_EQ(value(bench, "k"), "v");
}

TEST(RedisServerDurability, EverysecGoesQuietOnceAllIsOnThePlatter) {
  RedisBench bench(with(AppendOnly::everysec));
  RpcChannel& a = bench.client("a");
  bench.ask(a, "SET", "k", "v");
  EXPECT_EQ(bench.world.run(), RunEnd::quiescent);
  EXPECT_GE(bench.world.now(), TrueTime{} + milliseconds(900));
  EXPECT_LE(bench.world.now(), TrueTime{} + milliseconds(1300));
  const std::uint64_t events = bench.world.events();
  bench.pass(seconds(1000));
  EXPECT_EQ(bench.world.events(), events);
}

// While an fsync runs, a write is put off, and its client is answered all the same: then even the
// death of the process alone loses it.  After two seconds the write waits for the disk, and so
// does everybody.
class SlowSync : public ::testing::Test {
 protected:
  SlowSync() : bench_(with(AppendOnly::everysec)), a_(bench_.client("a", {.request_timeout = seconds(100)})) {
    bench_.world.disk(bench_.redis).sync_latency = Law::constant(seconds(6));
    bench_.pass(seconds(1));
    EXPECT_EQ(bench_.ask(a_, "SET", "first", "1"), "OK");  // begins an fsync that lasts until 7 s
    bench_.pass(milliseconds(10));
    EXPECT_EQ(bench_.ask(a_, "SET", "postponed", "1"), "OK");
  }
  RedisBench bench_;
  RpcChannel& a_;
};

TEST_F(SlowSync, AKillLosesThePostponedWrite) {
  strike(bench_, Blow::kill);
  bench_.reboot();
  EXPECT_TRUE(bench_.has("first"));
  EXPECT_FALSE(bench_.has("postponed"));
}

TEST_F(SlowSync, ALossOfPowerLosesBoth) {
  strike(bench_, Blow::power);
  bench_.reboot();
  EXPECT_FALSE(bench_.has("first"));
  EXPECT_FALSE(bench_.has("postponed"));
}

TEST_F(SlowSync, AfterTwoSecondsTheWriteWaitsForTheDisk) {
  bench_.pass(milliseconds(3500));
  const TrueTime asked = bench_.world.now();
  EXPECT_EQ(bench_.ask(a_, "GET", "first"), "\"1\"");
  EXPECT_GE(bench_.world.now() - asked, seconds(2)) << "blocked until the fsync had ended";
  strike(bench_, Blow::kill);
  bench_.reboot();
  EXPECT_TRUE(bench_.has("postponed"));
}

TEST(RedisServerDurability, AlwaysAnswersOnlyWhatIsOnThePlatter) {
  RedisBench bench(with(AppendOnly::always));
  RpcChannel& a = bench.client("a");
  const TrueTime asked = bench.world.now();
  bench.ask(a, "SET", "k", "v");
  EXPECT_GE(bench.world.now() - asked, microseconds(205)) << "a write and an fsync";
  strike(bench, Blow::power);
  bench.reboot();
  EXPECT_EQ(value(bench, "k"), "v");
  a.disconnect();  // or its first request would tell it that the connection is gone
  const TrueTime reads = bench.world.now();
  bench.ask(a, "GET", "k");
  EXPECT_EQ(bench.world.now(), reads) << "nothing to wait for";
}

// All that was received together is synced once, and answered afterwards.
TEST(RedisServerDurability, AlwaysSyncsABatchOnce) {
  RedisBench bench(with(AppendOnly::always));
  bench.world.disk(bench.redis).sync_latency = Law::constant(milliseconds(10));
  bench.world.disk(bench.redis).write_latency = Law();
  RpcChannel &a = bench.client("a"), &b = bench.client("b"), &c = bench.client("c");
  std::string first, second, third, reader;
  bench.send(a, RedisCommand("SET", "k", "v"), first);
  bench.pass(milliseconds(1));  // the disk is busy with the first
  bench.send(b, RedisCommand("INCR", "n"), second);
  bench.send(c, RedisCommand("INCR", "n"), third);
  bench.send(a, RedisCommand("GET", "k"), reader);
  bench.pass(milliseconds(9));
  EXPECT_EQ(first + second + third, "OK");
  bench.pass(milliseconds(10));
  EXPECT_EQ(second + third + reader, "12\"v\"");
}

TEST(RedisServerDurability, ExpiredKeysAreLoadedAndThenExpire) {
  RedisBench bench(with(AppendOnly::always));
  RpcChannel& a = bench.client("a");
  bench.ask(a, "SET", "k", "v", "PX", 1000);
  strike(bench, Blow::kill);
  bench.pass(seconds(5));
  bench.reboot();
  EXPECT_TRUE(bench.has("k"));
  EXPECT_EQ(bench.ask(a, "SET", "k", "w", "NX"), "OK");
}

TEST(RedisServerDurability, LoadedKeysThatNobodyAsksForExpireInTheCycle) {
  RedisBench bench(with(AppendOnly::always));
  RpcChannel& a = bench.client("a");
  bench.ask(a, "SET", "k", "v", "PX", 1000);
  bench.ask(a, "SET", "later", "v", "PX", 20'000);
  strike(bench, Blow::kill);
  bench.pass(seconds(5));
  bench.reboot();
  bench.pass(milliseconds(120));
  EXPECT_FALSE(bench.has("k"));
  EXPECT_TRUE(bench.has("later"));
  bench.pass(seconds(16));
  EXPECT_FALSE(bench.has("later"));
}

// The deletion of an expired key is in the file: a restart with a clock that was set back in between
// does not bring it back.
TEST(RedisServerDurability, AnExpiryIsWrittenDown) {
  RedisBench bench(with(AppendOnly::always));
  RpcChannel& a = bench.client("a");
  bench.ask(a, "SET", "k", "v", "PX", 1000);
  bench.pass(seconds(2));
  strike(bench, Blow::kill);
  bench.world.step_clock(bench.redis, seconds(-10));
  bench.reboot();
  EXPECT_FALSE(bench.has("k"));
}

TEST(RedisServerDurability, ATornTailIsCutOff) {
  RedisBench bench(with(AppendOnly::always));
  RpcChannel& a = bench.client("a");
  bench.ask(a, "SET", "k", "v");
  Disk& disk = bench.world.disk(bench.redis);
  const FileId file = disk.open("appendonly.aof");
  const std::size_t good = disk.contents(file).size();
  strike(bench, Blow::kill);
  const RedisCommand half("SET", "other", "value");
  std::string entry;
  append_to_log(half, entry);
  disk.append(file, std::string_view(entry).substr(0, entry.size() - 3));
  bench.reboot();
  EXPECT_TRUE(bench.has("k"));
  EXPECT_FALSE(bench.has("other"));
  EXPECT_EQ(bench.world.disk(bench.redis).contents(file).size(), good);
  bench.ask(a, "SET", "more", "v");
  strike(bench, Blow::power);
  bench.reboot();
  EXPECT_TRUE(bench.has("more"));
}

TEST(RedisServerDurability, AFileThatIsNotToBeLoaded) {
  RedisOptions options = with(AppendOnly::always);
  options.auto_aof_load = false;
  RedisBench bench(options);
  RpcChannel& a = bench.client("a");
  bench.ask(a, "SET", "k", "v");
  strike(bench, Blow::kill);
  bench.reboot();
  EXPECT_FALSE(bench.has("k"));
}

TEST(RedisServerDurability, TheJournalSaysWhatWasLoaded) {
  RedisBench bench(with(AppendOnly::always));
  RpcChannel& a = bench.client("a");
  bench.ask(a, "SET", "k", "v", "PX", 5000);
  bench.ask(a, "SET", "n", "1");
  strike(bench, Blow::kill);
  bench.pass(seconds(1));
  bench.reboot();
  std::string loaded;
  for (const TraceRecord& r : bench.world.trace.journal()) {
    if (r.kind == trace::redis_loaded) loaded += fmt::format("loaded {}\n", r.a);
    if (r.kind == trace::redis_key_loaded) {
      loaded += fmt::format("{} {}\n", r.b == hash_of("k") ? "k" : "n", trace::redis_change_ttl_ms(r.c));
    }
  }
  const std::int64_t left = 4000 - (bench.world.now().ns - seconds(1).ns) / 1'000'000;
  EXPECT_EQ(loaded, fmt::format("loaded 0\nloaded 2\nk {}\nn -1\n", left));
}

// --- at any instant ----------------------------------------------------------------------------------

// A client that counts upwards as fast as it is answered, and a blow at any instant.
struct Counted {
  std::int64_t acknowledged = 0, recovered = 0;
};

Task<void> count_up(Host, RpcChannel* channel, std::int64_t* acknowledged) {
  const Redis redis(*channel);
  for (;;) {
    const RedisCommand incr("INCR", "n");
    const auto answer = co_await redis.command(incr);
    if (!answer.yes()) co_return;
    *acknowledged = answer.value().integer();
  }
}

Counted counted(AppendOnly appendonly, Blow blow, Duration at, std::uint64_t seed) {
  RedisBench bench(with(appendonly), seed);
  bench.world.network.set_latency(Law::constant(microseconds(100)));
  RpcChannel& a = bench.client("a");
  Counted result;
  bench.world.start(a.host().node(), "main", count_up(a.host(), &a, &result.acknowledged));
  bench.pass(at);
  strike(bench, blow);
  bench.pass(seconds(1));
  bench.reboot();
  RedisInspect::Key n;
  if (bench.server.inspect(bench.world, bench.redis).find("n", n)) {
    result.recovered = std::stoll(std::string(n.text));
  }
  return result;
}

RC_GTEST_PROP(RedisServerDurability, AlwaysKeepsEveryAnsweredWrite, ()) {
  const Blow blow = *rc::gen::element(Blow::kill, Blow::power);
  const auto at = microseconds(*rc::gen::inRange(0, 100'000));
  const Counted c = counted(AppendOnly::always, blow, at, *rc::gen::arbitrary<std::uint16_t>());
  RC_ASSERT(c.recovered >= c.acknowledged);
  RC_ASSERT(c.recovered <= c.acknowledged + 1);  // the one in flight may have taken
}

RC_GTEST_PROP(RedisServerDurability, EverysecKeepsWhatTheKernelHas, ()) {
  const auto at = microseconds(*rc::gen::inRange(0, 100'000));  // before the first fsync
  const Counted c = counted(AppendOnly::everysec, Blow::kill, at, *rc::gen::arbitrary<std::uint16_t>());
  RC_ASSERT(c.recovered >= c.acknowledged);
}

TEST(RedisServerDurability, EverysecLosesAtMostTwoSecondsOfPower) {
  const Counted early = counted(AppendOnly::everysec, Blow::power, milliseconds(900), 1);
  EXPECT_EQ(early.recovered, 0) << "nothing had been synced";
  EXPECT_GT(early.acknowledged, 1000);
  const Counted late = counted(AppendOnly::everysec, Blow::power, milliseconds(3'700), 1);
  const Counted at_2 = counted(AppendOnly::everysec, Blow::kill, milliseconds(1'700), 1);
  EXPECT_LT(late.recovered, late.acknowledged);
  EXPECT_GT(late.recovered, at_2.acknowledged);
}

// --- determinism -------------------------------------------------------------------------------------

// A busy run with every fault that concerns a server.
std::uint64_t turmoil(RedisBench& bench, AppendOnly appendonly, std::uint64_t seed) {
  bench.server.set_options(with(appendonly));
  bench.begin(seed);
  World& world = bench.world;
  world.network.set_latency(Law::uniform(microseconds(50), microseconds(150)));
  world.set_cpu_cost(bench.redis, Law::uniform(microseconds(1), microseconds(20)));
  std::vector<RpcChannel*> clients = {&bench.client("a"), &bench.client("b"), &bench.client("c")};
  std::vector<std::string> answers(100);
  std::uint64_t chance = mix(seed, 1);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    chance = mix(chance, i);
    const std::string key(1, static_cast<char>('a' + chance % 4));
    const std::int64_t number = static_cast<std::int64_t>(chance >> 20 & 127);
    RpcChannel& who = *clients[chance >> 10 & 1];
    switch (chance >> 40 & 7) {
      case 0:
        bench.send(who, RedisCommand("SET", key, number, "NX", "PX", number * 10 + 1), answers[i]);
        break;
      case 1:
        bench.send(who, RedisCommand("DEL", key), answers[i]);
        break;
      case 2:
        bench.send(who, RedisCommand("INCR", key), answers[i]);
        break;
      case 3:
        bench.send(who, RedisCommand("PUBLISH", "news", key), answers[i]);
        break;
      case 4:
        bench.send(*clients[2], RedisCommand("SUBSCRIBE", "news"), answers[i]);
        break;
      case 5:
        bench.send(who, RedisCommand("MULTI"), answers[i]);
        break;
      case 6:
        bench.send(who, RedisCommand("EXEC"), answers[i]);
        break;
      default:
        bench.send(who, RedisCommand("PTTL", key), answers[i]);
        break;
    }
    if (i == 30) world.step_clock(bench.redis, milliseconds(number * 20 - 1000));
    if (i == 40) world.pause(bench.redis);
    if (i == 50) world.resume(bench.redis, world.incarnation(bench.redis));
    if (i == 60) world.kill(bench.redis);
    if (i == 80) world.lose_power(bench.redis);
    if (i == 65 || i == 85) world.restart(bench.redis);
    bench.pass(milliseconds(number));
  }
  world.run({.until = world.now() + seconds(5)});
  std::uint64_t all = world.trace.digest();
  for (const std::string& answer : answers) all = mix(all, hash_of(answer));
  return all;
}

TEST(RedisServerDurability, EverySeedTwiceTheSame) {
  RedisBench used;  // through all of it: a server that is used again must remember nothing
  std::vector<std::uint64_t> digests;
  for (const AppendOnly appendonly : {AppendOnly::no, AppendOnly::everysec, AppendOnly::always}) {
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
      RedisBench fresh;
      const std::uint64_t digest = turmoil(fresh, appendonly, seed);
      EXPECT_EQ(digest, turmoil(used, appendonly, seed));
      EXPECT_EQ(digest, turmoil(used, appendonly, seed));
      digests.push_back(digest);
    }
  }
  std::sort(digests.begin(), digests.end());
  EXPECT_EQ(std::adjacent_find(digests.begin(), digests.end()), digests.end()) << "and seeds differ";
}

}  // namespace
}  // namespace picklock
