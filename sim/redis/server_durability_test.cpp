// Durability: the writes that are lost, and those that are not, when the process or the power goes.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <optional>

#include "base/hash.hpp"
#include "base/sha1.hpp"
#include "sim/redis/append_only_file.hpp"
#include "sim/redis/redis_lab.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {
namespace {

RedisOptions with(AppendOnly appendonly) {
  RedisOptions options;
  options.appendonly = appendonly;
  return options;
}

enum class Blow : std::uint8_t { kill, power };

void inject(RedisLab& lab, Blow blow) {
  if (blow == Blow::kill) {
    lab.world.faults.kill(lab.redis);
  } else {
    lab.world.faults.lose_power(lab.redis);
  }
}

std::string value(const RedisLab& lab, std::string_view key) {
  RedisInspect::Key found;
  return lab.server.inspect(lab.world, lab.redis).find(key, found) ? std::string(found.text) : "none";
}

TEST(RedisServerDurability, WithoutAFileARestartIsEmpty) {
  for (const Blow blow : {Blow::kill, Blow::power}) {
    RedisLab lab(with(AppendOnly::no));
    RpcChannel& a = lab.client("a");
    lab.ask(a, "SET", "k", "v");
    lab.pass(seconds(60));
    inject(lab, blow);
    lab.reboot();
    EXPECT_FALSE(lab.has("k"));
  }
}

// The file has a script's effects, and not its text.
TEST(RedisServerDurability, ARestartForgetsTheTextsOfScripts) {
  RedisLab lab(with(AppendOnly::always));
  RpcChannel& a = lab.client("a");
  const std::string_view text = "return redis.call('SET', KEYS[1], ARGV[1])";
  const std::string sha1 = sha1_hex(text);
  EXPECT_EQ(lab.ask(a, "SCRIPT", "LOAD", text), '"' + sha1 + '"');
  EXPECT_EQ(lab.ask(a, "EVALSHA", sha1, 1, "k", "v"), "OK");
  inject(lab, Blow::kill);
  lab.reboot();
  EXPECT_TRUE(lab.has("k"));
  EXPECT_EQ(lab.ask(a, "EVALSHA", sha1, 1, "k", "w"), "!NOSCRIPT No matching script. Please use EVAL.");
  EXPECT_EQ(lab.ask(a, "EVAL", text, 1, "k", "w"), "OK");
  EXPECT_EQ(lab.ask(a, "EVALSHA", sha1, 1, "k", "x"), "OK") << "EVAL leaves its text there, too";
}

// "Delayed restarts": the server refuses earlier requests, and executes none of them later.
TEST(RedisServerDurability, StaysOutOfServiceForTheRestartDelay) {
  for (const RestartClock clock : {RestartClock::monotonic, RestartClock::wall}) {
    RedisOptions options;
    options.restart_delay = seconds(10);
    options.restart_delay_clock = clock;
    RedisLab lab(options);
    RpcChannel& a = lab.client("a");
    EXPECT_EQ(lab.ask(a, "SET", "k", "v"), "OK") << "the first start is at once";
    inject(lab, Blow::power);
    lab.reboot();
    EXPECT_NE(lab.ask(a, "SET", "early", "v"), "OK");
    lab.pass(seconds(4));
    lab.world.faults.step_clock(lab.redis, seconds(5));
    lab.pass(seconds(2));
    const bool fooled = clock == RestartClock::wall;  // 6 s have passed, and a step of 5
    EXPECT_EQ(lab.ask(a, "SET", "late", "v") == "OK", fooled);
    lab.pass(seconds(5));
    EXPECT_EQ(lab.ask(a, "SET", "k", "v"), "OK");
    EXPECT_FALSE(lab.has("early"));
  }
}

// write() came before the reply: what the kernel has, survives the process.
TEST(RedisServerDurability, EverysecAKillLosesNothing) {
  RedisLab lab(with(AppendOnly::everysec));
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "k", "v", "PX", 30'000);
  lab.ask(a, "INCR", "n");
  inject(lab, Blow::kill);
  lab.pass(seconds(10));
  lab.reboot();
  EXPECT_EQ(lab.ask(a, "GET", "k"), "\"v\"");
  EXPECT_EQ(lab.ask(a, "INCR", "n"), "2");
  EXPECT_EQ(lab.ask(a, "PTTL", "k"), "20000") << "deadlines are absolute: time passed meanwhile";
}

TEST(RedisServerDurability, EverysecALossOfPowerLosesTheLastSecond) {
  RedisLab lab(with(AppendOnly::everysec));
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "k", "old");
  lab.pass(milliseconds(2500));
  lab.ask(a, "SET", "k", "new");  // a second has passed since the last fsync: this begins the next
  lab.pass(milliseconds(100));
  lab.ask(a, "SET", "k", "newest");
  lab.pass(milliseconds(100));
  inject(lab, Blow::power);
  lab.reboot();
  EXPECT_EQ(value(lab, "k"), "new");
}

TEST(RedisServerDurability, EverysecSyncsOnItsOwn) {
  RedisLab lab(with(AppendOnly::everysec));
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "k", "v");
  lab.pass(milliseconds(2500));  // no further command
  inject(lab, Blow::power);
  lab.reboot();
  EXPECT_EQ(value(lab, "k"), "v");
}

TEST(RedisServerDurability, EverysecGoesQuietOnceAllIsOnThePlatter) {
  RedisLab lab(with(AppendOnly::everysec));
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "k", "v");
  EXPECT_EQ(lab.world.run(), RunEnd::quiescent);
  EXPECT_GE(lab.world.now(), TrueTime{} + milliseconds(900));
  EXPECT_LE(lab.world.now(), TrueTime{} + milliseconds(1300));
  const std::uint64_t events = lab.world.events();
  lab.pass(seconds(1000));
  EXPECT_EQ(lab.world.events(), events);
}

// A write during an fsync is put off, but its client is answered: then even the
// death of the process alone loses it.  After two seconds the write waits for the disk, and so
// do all clients.
class SlowSync : public ::testing::Test {
 protected:
  SlowSync() : lab_(with(AppendOnly::everysec)), a_(lab_.client("a", {.request_timeout = seconds(100)})) {
    lab_.world.nodes.disk(lab_.redis).sync_latency = Law::constant(seconds(6));
    lab_.pass(seconds(1));
    EXPECT_EQ(lab_.ask(a_, "SET", "first", "1"), "OK");  // begins an fsync that lasts until 7 s
    lab_.pass(milliseconds(10));
    EXPECT_EQ(lab_.ask(a_, "SET", "postponed", "1"), "OK");
  }
  RedisLab lab_;
  RpcChannel& a_;
};

TEST_F(SlowSync, AKillLosesThePostponedWrite) {
  inject(lab_, Blow::kill);
  lab_.reboot();
  EXPECT_TRUE(lab_.has("first"));
  EXPECT_FALSE(lab_.has("postponed"));
}

TEST_F(SlowSync, ALossOfPowerLosesBoth) {
  inject(lab_, Blow::power);
  lab_.reboot();
  EXPECT_FALSE(lab_.has("first"));
  EXPECT_FALSE(lab_.has("postponed"));
}

TEST_F(SlowSync, AfterTwoSecondsTheWriteWaitsForTheDisk) {
  lab_.pass(milliseconds(3500));
  const TrueTime asked = lab_.world.now();
  EXPECT_EQ(lab_.ask(a_, "GET", "first"), "\"1\"");
  EXPECT_GE(lab_.world.now() - asked, seconds(2)) << "blocked until the fsync had ended";
  inject(lab_, Blow::kill);
  lab_.reboot();
  EXPECT_TRUE(lab_.has("postponed"));
}

TEST(RedisServerDurability, AlwaysAnswersOnlyWhatIsOnThePlatter) {
  RedisLab lab(with(AppendOnly::always));
  RpcChannel& a = lab.client("a");
  const TrueTime asked = lab.world.now();
  lab.ask(a, "SET", "k", "v");
  EXPECT_GE(lab.world.now() - asked, microseconds(205)) << "a write and an fsync";
  inject(lab, Blow::power);
  lab.reboot();
  EXPECT_EQ(value(lab, "k"), "v");
  a.disconnect();  // otherwise its first request would report the lost connection
  const TrueTime reads = lab.world.now();
  lab.ask(a, "GET", "k");
  EXPECT_EQ(lab.world.now(), reads) << "nothing to wait for";
}

// All that was received together is synced once, and answered afterwards.
TEST(RedisServerDurability, AlwaysSyncsABatchOnce) {
  RedisLab lab(with(AppendOnly::always));
  lab.world.nodes.disk(lab.redis).sync_latency = Law::constant(milliseconds(10));
  lab.world.nodes.disk(lab.redis).write_latency = Law();
  RpcChannel &a = lab.client("a"), &b = lab.client("b"), &c = lab.client("c");
  std::string first, second, third, reader;
  lab.send(a, RedisCommand("SET", "k", "v"), first);
  lab.pass(milliseconds(1));  // the disk is busy with the first
  lab.send(b, RedisCommand("INCR", "n"), second);
  lab.send(c, RedisCommand("INCR", "n"), third);
  lab.send(a, RedisCommand("GET", "k"), reader);
  lab.pass(milliseconds(9));
  EXPECT_EQ(first + second + third, "OK");
  lab.pass(milliseconds(10));
  EXPECT_EQ(second + third + reader, "12\"v\"");
}

TEST(RedisServerDurability, ExpiredKeysAreLoadedAndThenExpire) {
  RedisLab lab(with(AppendOnly::always));
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "k", "v", "PX", 1000);
  inject(lab, Blow::kill);
  lab.pass(seconds(5));
  lab.reboot();
  EXPECT_TRUE(lab.has("k"));
  EXPECT_EQ(lab.ask(a, "SET", "k", "w", "NX"), "OK");
}

TEST(RedisServerDurability, LoadedKeysThatNoClientAsksForExpireInTheCycle) {
  RedisLab lab(with(AppendOnly::always));
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "k", "v", "PX", 1000);
  lab.ask(a, "SET", "later", "v", "PX", 20'000);
  inject(lab, Blow::kill);
  lab.pass(seconds(5));
  lab.reboot();
  lab.pass(milliseconds(120));
  EXPECT_FALSE(lab.has("k"));
  EXPECT_TRUE(lab.has("later"));
  lab.pass(seconds(16));
  EXPECT_FALSE(lab.has("later"));
}

// The deletion of an expired key is in the file: a restart with a clock that was set back in between
// does not bring it back.
TEST(RedisServerDurability, AnExpiryIsWrittenDown) {
  RedisLab lab(with(AppendOnly::always));
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "k", "v", "PX", 1000);
  lab.pass(seconds(2));
  inject(lab, Blow::kill);
  lab.world.faults.step_clock(lab.redis, seconds(-10));
  lab.reboot();
  EXPECT_FALSE(lab.has("k"));
}

TEST(RedisServerDurability, ATornTailIsCutOff) {
  RedisLab lab(with(AppendOnly::always));
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "k", "v");
  Disk& disk = lab.world.nodes.disk(lab.redis);
  const FileId file = disk.open("appendonly.aof");
  const std::size_t good = disk.contents(file).size();
  inject(lab, Blow::kill);
  const RedisCommand half("SET", "other", "value");
  std::string entry;
  append_to_log(half, entry);
  disk.append(file, std::string_view(entry).substr(0, entry.size() - 3));
  lab.reboot();
  EXPECT_TRUE(lab.has("k"));
  EXPECT_FALSE(lab.has("other"));
  EXPECT_EQ(lab.world.nodes.disk(lab.redis).contents(file).size(), good);
  lab.ask(a, "SET", "more", "v");
  inject(lab, Blow::power);
  lab.reboot();
  EXPECT_TRUE(lab.has("more"));
}

TEST(RedisServerDurability, AFileThatIsNotToBeLoaded) {
  RedisOptions options = with(AppendOnly::always);
  options.auto_aof_load = false;
  RedisLab lab(options);
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "k", "v");
  inject(lab, Blow::kill);
  lab.reboot();
  EXPECT_FALSE(lab.has("k"));
}

TEST(RedisServerDurability, TheJournalSaysWhatWasLoaded) {
  RedisLab lab(with(AppendOnly::always));
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "k", "v", "PX", 5000);
  lab.ask(a, "SET", "n", "1");
  inject(lab, Blow::kill);
  lab.pass(seconds(1));
  lab.reboot();
  std::string loaded;
  for (const TraceRecord& r : lab.world.trace.journal()) {
    if (r.kind == trace::redis_loaded) loaded += fmt::format("loaded {}\n", r.a);
    if (r.kind == trace::redis_key_loaded) {
      loaded += fmt::format("{} {}\n", r.b == hash_of("k") ? "k" : "n", trace::redis_change_ttl_ms(r.c));
    }
  }
  const std::int64_t left = 4000 - (lab.world.now().ns - seconds(1).ns) / 1'000'000;
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
  RedisLab lab(with(appendonly), seed);
  lab.world.network.set_latency(Law::constant(microseconds(100)));
  RpcChannel& a = lab.client("a");
  Counted result;
  lab.world.tasks.start(a.host().node(), "main", count_up(a.host(), &a, &result.acknowledged));
  lab.pass(at);
  inject(lab, blow);
  lab.pass(seconds(1));
  lab.reboot();
  RedisInspect::Key n;
  if (lab.server.inspect(lab.world, lab.redis).find("n", n)) {
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
  const auto at = microseconds(*rc::gen::inRange(0, 100'000));  // instants before the first fsync
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
std::uint64_t turmoil(RedisLab& lab, AppendOnly appendonly, std::uint64_t seed) {
  lab.server.set_options(with(appendonly));
  lab.begin(seed);
  World& world = lab.world;
  world.network.set_latency(Law::uniform(microseconds(50), microseconds(150)));
  world.nodes.set_cpu_cost(lab.redis, Law::uniform(microseconds(1), microseconds(20)));
  std::vector<RpcChannel*> clients = {&lab.client("a"), &lab.client("b"), &lab.client("c")};
  std::vector<std::string> answers(100);
  std::uint64_t chance = mix(seed, 1);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    chance = mix(chance, i);
    const std::string key(1, static_cast<char>('a' + chance % 4));
    const std::int64_t number = static_cast<std::int64_t>(chance >> 20 & 127);
    RpcChannel& who = *clients[chance >> 10 & 1];
    switch (chance >> 40 & 7) {
      case 0:
        lab.send(who, RedisCommand("SET", key, number, "NX", "PX", number * 10 + 1), answers[i]);
        break;
      case 1:
        lab.send(who, RedisCommand("DEL", key), answers[i]);
        break;
      case 2:
        lab.send(who, RedisCommand("INCR", key), answers[i]);
        break;
      case 3:
        lab.send(who, RedisCommand("PUBLISH", "news", key), answers[i]);
        break;
      case 4:
        lab.send(*clients[2], RedisCommand("SUBSCRIBE", "news"), answers[i]);
        break;
      case 5:
        lab.send(who, RedisCommand("MULTI"), answers[i]);
        break;
      case 6:
        lab.send(who, RedisCommand("EXEC"), answers[i]);
        break;
      default:
        lab.send(who, RedisCommand("PTTL", key), answers[i]);
        break;
    }
    if (i == 30) world.faults.step_clock(lab.redis, milliseconds(number * 20 - 1000));
    if (i == 40) world.faults.pause(lab.redis);
    if (i == 50) world.faults.resume(lab.redis, world.nodes.incarnation(lab.redis));
    if (i == 60) world.faults.kill(lab.redis);
    if (i == 80) world.faults.lose_power(lab.redis);
    if (i == 65 || i == 85) world.faults.restart(lab.redis);
    lab.pass(milliseconds(number));
  }
  world.run({.until = world.now() + seconds(5)});
  std::uint64_t all = world.trace.digest();
  for (const std::string& answer : answers) all = mix(all, hash_of(answer));
  return all;
}

TEST(RedisServerDurability, EverySeedTwiceTheSame) {
  RedisLab used;  // one server is used throughout: it must remember nothing
  std::vector<std::uint64_t> digests;
  for (const AppendOnly appendonly : {AppendOnly::no, AppendOnly::everysec, AppendOnly::always}) {
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
      RedisLab fresh;
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
