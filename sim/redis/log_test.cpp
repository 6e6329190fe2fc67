#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/redis/append_only_file.hpp"
#include "sim/redis/scripts_lab.hpp"

namespace picklock {
namespace {

class RedisLog : public ::testing::Test {
 protected:
  template <class... Args>
  void run(std::string_view name, const Args&... args) {
    RedisOutputs out;
    const RedisCommand command(name, args...);
    database.execute(session, command, now, out);
    append_to_log(out, EffectTarget::append_only_file, log);
    ends.push_back(log.size());
    prints.push_back(database.fingerprint());
  }
  void some_history() {
    run("SET", "k", "v", "PX", 100);
    run("EVAL", "reentrant", 1, "lock", 30000, "a");
    run("MULTI");
    run("INCR", "token");
    run("RPUSH", "queue", "a", "b", "c");
    run("EXEC");
    run("ZADD", "z", "1.5", "m");
    now += 200;
    run("GET", "k");  // expires it
    run("LPOP", "queue");
    run("SET", "gone", "v", "PX", 1);
  }

  RedisDatabase database{redis_lab_scripts()};
  RedisSession session{1};
  std::int64_t now = 1000;
  std::string log;
  std::vector<std::size_t> ends;      // size of the log after each command
  std::vector<std::uint64_t> prints;  // fingerprint of the data after each command
};

TEST_F(RedisLog, GivesBackTheSameData) {
  some_history();
  RedisDatabase restarted;
  const LogLoad load = load_log(log, restarted);
  EXPECT_EQ(load.end, LogLoad::End::complete);
  EXPECT_EQ(load.valid_bytes, log.size());
  EXPECT_EQ(restarted.fingerprint(), database.fingerprint());
}

// Wherever a crash cuts the file, the data is that after some command, and whole units survive or not.
TEST_F(RedisLog, ATornTailIsCutOff) {
  some_history();
  for (std::size_t cut = 0; cut <= log.size(); ++cut) {
    RedisDatabase restarted;
    const LogLoad load = load_log(std::string_view(log).substr(0, cut), restarted);
    std::size_t last = 0;  // the last command whose effects the file still holds
    std::uint64_t print = RedisDatabase().fingerprint();
    for (std::size_t i = 0; i < ends.size() && ends[i] <= cut; ++i) {
      last = ends[i];
      print = prints[i];
    }
    EXPECT_EQ(restarted.fingerprint(), print) << cut;
    EXPECT_EQ(load.valid_bytes, last) << cut;
    EXPECT_EQ(load.end, cut == last ? LogLoad::End::complete : LogLoad::End::truncated) << cut;
  }
}

TEST_F(RedisLog, WhatIsNoCommandIsCorruption) {
  run("SET", "k", "v");
  const std::size_t good = log.size();
  log += std::string("\x03\0\0\0junk", 8);
  RedisDatabase restarted;
  LogLoad load = load_log(log, restarted);
  EXPECT_EQ(load.end, LogLoad::End::corrupt);
  EXPECT_EQ(load.valid_bytes, good);

  std::string wrong;
  const RedisCommand incr("HINCRBY", "k", "f", 1);
  const RedisCommand set("SET", "k", "v");
  append_to_log(set, wrong);
  append_to_log(incr, wrong);
  EXPECT_EQ(load_log(wrong, restarted).end, LogLoad::End::corrupt);
}

TEST_F(RedisLog, ExpiredKeysAreLoadedAndGoWhenLookedAt) {
  run("SET", "k", "v", "PX", 100);
  RedisDatabase restarted;
  load_log(log, restarted);
  EXPECT_EQ(restarted.keys().size(), 1U);
  RedisOutputs out;
  const RedisCommand get("GET", "k");
  EXPECT_TRUE(restarted.execute(session, get, 1101, out).is_nil());
  EXPECT_TRUE(out.has_effects());
}

RC_GTEST_PROP(RedisLogProperty, AnyBytesLoadOrAreRefused, (std::string bytes)) {
  RedisDatabase database;
  const LogLoad load = load_log(bytes, database);
  RC_ASSERT(load.valid_bytes <= bytes.size());
}

}  // namespace
}  // namespace picklock
