// The active expiry cycle, replicas, and connections that end: golden files cannot show these.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "sim/redis/command_table.hpp"
#include "sim/redis/database.hpp"
#include "sim/redis/scripts_lab.hpp"

namespace picklock {
namespace {

class RedisDatabaseTest : public ::testing::Test {
 protected:
  template <class... Args>
  std::string run(std::string_view name, const Args&... args) {
    out.clear();
    const RedisCommand command(name, args...);
    return database.execute(session, command, now, out).to_string();
  }
  std::string effects() const {
    std::string text;
    out.for_each_effect(EffectTarget::replica, [&](const RedisCommandView& e) { text += e.to_string() + "; "; });
    return text;
  }
  static std::uint32_t first(std::uint32_t) { return 0; }

  RedisDatabase database{redis_lab_scripts()};
  RedisSession session{1};
  RedisOutputs out;
  std::int64_t now = 1000;
};

TEST_F(RedisDatabaseTest, ActiveCycleMayDeleteAtTheDeadlineAccessOnlyAfterIt) {
  run("SET", "k", "v", "PX", 100);
  now = 1099;
  out.clear();
  EXPECT_EQ(database.active_expire_cycle(now, first, out, ActiveExpiry::at_deadline), 0U);
  now = 1100;
  EXPECT_EQ(run("GET", "k"), "\"v\"");
  EXPECT_EQ(database.active_expire_cycle(now, first, out, ActiveExpiry::after_deadline), 0U);
  EXPECT_EQ(database.active_expire_cycle(now, first, out, ActiveExpiry::at_deadline), 1U);
  EXPECT_EQ(effects(), "DEL k; ");
  ASSERT_EQ(out.note_count(), 1U);
  EXPECT_EQ(out.note(0).what, KeyChange::expired);
  EXPECT_EQ(run("GET", "k"), "nil");
}

TEST_F(RedisDatabaseTest, ActiveCycleInvalidatesWatches) {
  run("SET", "k", "v", "PX", 100);
  run("WATCH", "k");
  now = 1101;
  database.active_expire_cycle(now, first, out, ActiveExpiry::at_deadline);
  now = 1000;  // the clock steps back: only the deletion itself can tell
  run("MULTI");
  EXPECT_EQ(run("EXEC"), "nil");
}

// Before 6.0.9 an expiry was no modification, whether the cycle had deleted the key or not.
TEST_F(RedisDatabaseTest, AnOlderServersWatchDoesNotSeeAnExpiry) {
  database.set_watch_sees_expiry(false);
  for (const bool deleted : {true, false}) {
    now = 1000;
    run("SET", "k", "v", "PX", 100);
    run("WATCH", "k");
    run("MULTI");
    run("SET", "k", "mine");
    now = 1101;
    if (deleted) database.active_expire_cycle(now, first, out, ActiveExpiry::at_deadline);
    EXPECT_EQ(run("EXEC"), "[OK]");
    EXPECT_EQ(run("GET", "k"), "\"mine\"");
  }
}

TEST_F(RedisDatabaseTest, AnOlderServersWatchSeesWhatFollowsAnExpiry) {
  database.set_watch_sees_expiry(false);
  for (const bool expired_before : {true, false}) {
    now = 1000;
    run("SET", "k", "v", "PX", 100);
    if (expired_before) now = 1101;
    run("WATCH", "k");
    now = 1102;
    RedisSession other(2);
    database.execute(other, RedisCommandView(RedisCommand("SET", "k", "another").bytes()), now, out);
    run("MULTI");
    EXPECT_EQ(run("EXEC"), "nil");
  }
}

TEST_F(RedisDatabaseTest, NextDeadline) {
  EXPECT_EQ(database.next_deadline(), kNoExpiry);
  run("SET", "a", "v");
  EXPECT_EQ(database.next_deadline(), kNoExpiry);
  run("SET", "b", "v", "PX", 100);
  run("SET", "c", "v", "PX", 50);
  EXPECT_EQ(database.next_deadline(), 1050);
}

// 20 keys a loop: with few stale ones among many the cycle stops, with many it goes on to the end.
RC_GTEST_FIXTURE_PROP(RedisDatabaseTest, ActiveCycleSamples, ()) {
  database.clear();
  now = 1000;
  const int keys = *rc::gen::inRange(1, 200);
  const int stale_of_10 = *rc::gen::elementOf(std::vector<int>{0, 1, 5, 9, 10});
  std::set<std::string> stale;
  for (int i = 0; i < keys; ++i) {
    const bool is_stale = i % 10 < stale_of_10;
    run("SET", std::to_string(i), "v", "PX", is_stale ? 10 : 1000);
    if (is_stale) stale.insert(std::to_string(i));
  }
  now += 100;
  std::uint64_t state = *rc::gen::arbitrary<std::uint64_t>();
  int draws = 0;
  const auto draw = [&](std::uint32_t n) {
    ++draws;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::uint32_t>((state >> 33) % n);
  };
  out.clear();
  const std::size_t deleted = database.active_expire_cycle(now, draw, out, ActiveExpiry::at_deadline);
  RC_ASSERT(out.note_count() == deleted);
  for (std::size_t i = 0; i < deleted; ++i) {
    RC_ASSERT(stale.erase(std::string(out.note(i).key)) == 1U);  // stale, and each once
  }
  RC_ASSERT(database.keys().size() == static_cast<std::size_t>(keys) - deleted);
  if (keys <= 20) RC_ASSERT(stale.empty() && draws == 0);
  if (stale_of_10 == 10) RC_ASSERT(stale.empty());
  if (stale_of_10 == 0) RC_ASSERT(draws == 0);
}

TEST_F(RedisDatabaseTest, ReplicaHidesExpiredKeysAndDeletesNothing) {
  run("SET", "k", "v", "PX", 100);
  database.set_role(RedisRole::replica);
  now = 1101;
  EXPECT_EQ(run("GET", "k"), "nil");
  EXPECT_EQ(run("PTTL", "k"), "-2");
  EXPECT_EQ(run("DBSIZE"), "1");
  EXPECT_EQ(database.active_expire_cycle(now, first, out, ActiveExpiry::at_deadline), 0U);
  EXPECT_FALSE(out.has_effects());
  EXPECT_EQ(run("SET", "k", "w"), "!READONLY You can't write against a read only replica.");
  EXPECT_EQ(run("EVAL", "set-then-fail", 1, "k", "v"),
            "!READONLY You can't write against a read only replica. script: set-then-fail, on "
            "@user_script:1.");
  // A replica obeys its master, whether or not the key has expired.
  const RedisCommand append("APPEND", "k", "w");
  EXPECT_EQ(database.apply(append, now, out).to_string(), "2");
  const RedisCommand past("PEXPIREAT", "k", 1);
  EXPECT_EQ(database.apply(past, now, out).to_string(), "1");
  EXPECT_EQ(run("DBSIZE"), "1");
  // Promoted, it expires by its own clock.
  database.set_role(RedisRole::master);
  EXPECT_EQ(run("GET", "k"), "nil");
  EXPECT_EQ(run("DBSIZE"), "0");
}

TEST_F(RedisDatabaseTest, MessagesFromTheMasterReachSubscribersOfTheReplica) {
  database.set_role(RedisRole::replica);
  run("SUBSCRIBE", "ch");
  const RedisCommand publish("PUBLISH", "ch", "text");
  EXPECT_EQ(database.apply(publish, now, out).to_string(), "1");
  ASSERT_EQ(out.delivery_count(), 1U);
  EXPECT_EQ(out.delivery(0).session, 1U);
  EXPECT_EQ(out.delivery(0).message, "text");
}

// Broken twin: a replica fed with commands as the clients sent them keeps the key too long.
TEST_F(RedisDatabaseTest, RelativeDeadlinesWouldDivergeOnAReplica) {
  RedisDatabase replica, broken_replica;
  const RedisCommand command("SET", "k", "v", "PX", 100);
  database.execute(session, command, now, out);
  RedisOutputs ignored;
  const std::int64_t later = now + 30;
  out.for_each_effect(EffectTarget::replica,
                      [&](const RedisCommandView& effect) { replica.apply(effect, later, ignored); });
  broken_replica.apply(command, later, ignored);
  EXPECT_EQ(replica.fingerprint(), database.fingerprint());
  EXPECT_NE(broken_replica.fingerprint(), database.fingerprint());
}

TEST_F(RedisDatabaseTest, MessagesGoToReplicasNotToTheLog) {
  run("PUBLISH", "ch", "text");
  EXPECT_EQ(effects(), "PUBLISH ch text; ");
  int logged = 0;
  out.for_each_effect(EffectTarget::append_only_file, [&](const RedisCommandView&) { ++logged; });
  EXPECT_EQ(logged, 0);
}

TEST_F(RedisDatabaseTest, AnEndedConnectionIsForgotten) {
  run("SUBSCRIBE", "ch");
  database.disconnect(session);
  EXPECT_EQ(run("PUBLISH", "ch", "text"), "0");
  run("WATCH", "k");
  run("MULTI");
  run("SET", "k", "v");
  database.disconnect(session);
  EXPECT_FALSE(session.in_transaction());
  EXPECT_EQ(session.watched(), 0U);
  EXPECT_EQ(run("EXEC"), "!ERR EXEC without MULTI");
}

TEST_F(RedisDatabaseTest, MalformedCommandsAreAnErrorAndSpoilATransaction) {
  run("MULTI");
  EXPECT_TRUE(database.execute(session, RedisCommandView(std::string_view("junk")), now, out).is_error());
  EXPECT_EQ(run("EXEC"), "!EXECABORT Transaction discarded because of previous errors.");
}

TEST(RedisCommandTable, IsInOrderAndFindsItsCommands) {
  const auto commands = redis_commands();
  EXPECT_TRUE(
      std::is_sorted(commands.begin(), commands.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const RedisCommandSpec& spec : commands) {
    EXPECT_EQ(find_redis_command(spec.name), &spec);
    std::string upper(spec.name);
    for (char& c : upper) c = static_cast<char>(std::toupper(c));
    EXPECT_EQ(find_redis_command(upper), &spec);
    EXPECT_EQ(find_redis_command(upper + "x"), nullptr);
  }
  EXPECT_EQ(find_redis_command(""), nullptr);
}

}  // namespace
}  // namespace picklock
