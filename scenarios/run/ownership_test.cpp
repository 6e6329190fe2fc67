// Lock kinds name a service and one of its ownership rules.

#include <gtest/gtest.h>

#include <variant>

#include "scenarios/run/run.hpp"
#include "scenarios/services/service.hpp"

namespace picklock {
namespace {

TEST(Ownership, EveryLockOfTheTableNamesARuleOfItsService) {
  for (const LockKind& kind : lock_kinds()) {
    EXPECT_NE(ownership_rule_of(kind), nullptr) << kind.name;
  }
}

// The error of a scenario with set-nx-px under these names: "where: found, expected, nearest".
std::string told(std::string_view lock, std::string_view service, std::string_view rule) {
  LockKind kind = *find_lock_kind("set-nx-px");
  kind.name = lock;
  kind.service = service;
  kind.ownership = rule;
  (void)add_lock_kind(kind);
  Scenario scenario;
  scenario.lock.name = std::string(lock);
  scenario.clients.resize(1);
  scenario.clients[0].name = "a";
  const auto compiled = Runner::compile(scenario);
  const auto* const problems = std::get_if<std::vector<ScenarioProblem>>(&compiled);
  if (problems == nullptr) return "nothing";
  const ScenarioProblem& p = problems->front();
  return p.where + "; " + p.found + "; " + p.expected + "; " + p.nearest;
}

TEST(Ownership, AnUnknownRuleIsAProblemThatSaysWhatIsNearest) {
  EXPECT_EQ(told("own-lock", "redis", "redis-key"), "nothing");
  EXPECT_EQ(told("own-lock-misspelt-rule", "redis", "redis-keys"),
            "lock.name: own-lock-misspelt-rule; 'redis-keys'; the name of a rule of ownership of Redis; redis-key");
}

TEST(Ownership, AnUnknownServiceIsAProblemThatSaysWhatIsNearest) {
  EXPECT_EQ(told("own-lock-misspelt-service", "rediss", "redis-key"),
            "lock.name: own-lock-misspelt-service; 'rediss'; the name of a service; redis");
}

}  // namespace
}  // namespace picklock
