#include "scenarios/run/claims.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "algorithms/lua/lua_locks.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {
namespace claims_test {

bool claims(Property property, const LockKind& kind, const Scenario& scenario, const RunResult& run) {
  const auto claimed = claims_in(kind, scenario, run);
  return std::find(claimed.begin(), claimed.end(), property) != claimed.end();
}
bool claims_progress(const LockKind& kind, const Scenario& scenario, const RunResult& run) {
  return claims(Property::starvation, kind, scenario, run);
}

// A waiter dies, and the run settles for 100 ms.
struct ADeadWaiter {
  Scenario scenario = load_scenario("redisson_fair_dead_head/short_wait").scenario;
  std::unique_ptr<Runner> runner = std::get<0>(Runner::compile(scenario));
  const RunResult& run = runner->run(1);
};

// The wait of a kind whose option for it is none that a test knows by name.
Duration wait_of_the_kind;
std::optional<Duration> wait(const Options&) { return wait_of_the_kind; }

TEST(Claims, AQueueThatWaitsLongerForTheDeadThanTheRunSettlesPromisesNoProgress) {
  const ADeadWaiter dead;
  ASSERT_EQ(dead.run.executed.kills, 1u);
  ASSERT_TRUE(within_assumptions(dead.run));
  LockKind kind = *find_lock_kind("redisson-fair-lock");
  EXPECT_EQ(kind.waits_for_dead(*kind.default_options()), std::optional(seconds(300)));
  EXPECT_FALSE(claims_progress(kind, dead.scenario, dead.run)) << "it waits for 200 ms";
  kind.name = "a-fair-lock-of-another-name";
  kind.waits_for_dead = wait;
  wait_of_the_kind = dead.scenario.phases.settle + Duration{1};
  EXPECT_FALSE(claims_progress(kind, dead.scenario, dead.run));
  wait_of_the_kind = dead.scenario.phases.settle;
  EXPECT_TRUE(claims_progress(kind, dead.scenario, dead.run));
  kind.waits_for_dead = nullptr;
  EXPECT_TRUE(claims_progress(kind, dead.scenario, dead.run));
}

// Redisson's queue waits for a client for as long as that has patience, and drops it then (redisson_fair_busy_queue).
TEST(Claims, AQueueThatGivesUpClientsKeepsNoOrderAmongTheImpatient) {
  ADeadWaiter dead;
  LockKind kind = *find_lock_kind("redisson-fair-lock");
  kind.waits_for_dead = wait;
  wait_of_the_kind = dead.run.length;
  for (ClientSpec& c : dead.scenario.clients) c.patience.reset();
  EXPECT_TRUE(claims(Property::overtaking, kind, dead.scenario, dead.run));
  dead.scenario.clients[0].patience = milliseconds(160);
  EXPECT_FALSE(claims(Property::overtaking, kind, dead.scenario, dead.run));
  kind.waits_for_dead = nullptr;
  EXPECT_TRUE(claims(Property::overtaking, kind, dead.scenario, dead.run));
}

// A queue that is never empty may count living clients as dead after that time (redisson_fair_busy_queue).
TEST(Claims, AQueueKeepsItsOrderForNoLongerThanItWaitsForTheDead) {
  const ADeadWaiter dead;
  LockKind kind = *find_lock_kind("redisson-fair-lock");
  kind.waits_for_dead = wait;
  wait_of_the_kind = dead.run.length - Duration{1};
  EXPECT_FALSE(claims(Property::overtaking, kind, dead.scenario, dead.run));
  wait_of_the_kind = dead.run.length;
  EXPECT_TRUE(claims(Property::overtaking, kind, dead.scenario, dead.run));
  kind.waits_for_dead = nullptr;
  EXPECT_TRUE(claims(Property::overtaking, kind, dead.scenario, dead.run));
}

TEST(Claims, ALockInLuaNamesTheOptionThatSaysHowLongItsQueueWaits) {
  const std::string functions =
      "function acquire(ctx, patience) return no end function release(ctx, hold) return no end\n";
  const auto head = [](const std::string& option) {
    return "lock = { service = \"redis\", lease = \"ttl\", waits_for_dead = \"" + option +
           "\", options = { ttl = \"1s\", queue_time = \"7s\" } }\n";
  };
  ASSERT_EQ(add_lua_lock_text("waits.lua", head("queue_time") + functions), "");
  const LockKind& kind = *find_lock_kind("waits.lua");
  EXPECT_EQ(kind.waits_for_dead(*kind.default_options()), std::optional(seconds(7)));
  const std::string wrong = add_lua_lock_text("waits_wrongly.lua", head("queue_tme") + functions);
  EXPECT_NE(wrong.find("did you mean 'queue_time'?"), wrong.npos) << wrong;
  ASSERT_EQ(add_lua_lock_text("waits_not.lua", "lock = { service = \"redis\" }\n" + functions), "");
  EXPECT_EQ(find_lock_kind("waits_not.lua")->waits_for_dead, nullptr);
}

}  // namespace claims_test
}  // namespace picklock
