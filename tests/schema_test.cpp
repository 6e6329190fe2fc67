// The documents of the command keep to the schemas that docs/schema publishes.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/command_runs.hpp"
#include "tests/json_schema.hpp"

namespace picklock::testing {
namespace schema_test {

using nlohmann::json;

json schema(const std::string& name) {
  return json::parse(content(PICKLOCK_SOURCE_DIR "/docs/schema/" + name + ".schema.json"));
}

void expect_valid(const std::string& name, const std::string& command) {
  const Ran ran = run_picklock(command + " --format json");
  const json document = json::parse(ran.out, nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << ran.out;
  for (const std::string& problem : SchemaCheck::problems(schema(name), document))
    ADD_FAILURE() << command << ": " << problem;
}

TEST(Schemas, FitWhatTheCommandPrints) {
  expect_valid("campaign", "run paused_holder --seeds 10");
  expect_valid("campaign", "run paused_holder --seeds 5 --lock etcd-mutex");
  expect_valid("comparison", "compare paused_holder --vary lock.ttl=100ms,300ms --seeds 20");
  expect_valid("sweep", "sweep paused_holder --lock set-nx-px,redlock --vary 'fault[0].lasts=50ms,200ms' --seeds 10");
  expect_valid("sweep", "sweep paused_holder --seeds 64 --until-width 50% --until-decided 'P<0.5'");
}

// Nothing contends, so that no run is decided: every figure is there, and null.
TEST(Schemas, FitWhereNothingWasTested) {
  const std::string calm = " paused_holder --set clients.b.start=20s --seeds 3";
  expect_valid("campaign", "run" + calm);
  expect_valid("sweep", "sweep" + calm + " --property mutual-exclusion");
  expect_valid("comparison", "compare" + calm + " --vary lock.ttl=100ms,300ms --property mutual-exclusion");
}

TEST(Schemas, NoticeWhatTheyForbid) {
  const json good = json::parse(run_picklock("sweep paused_holder --seeds 3 --format json").out), s = schema("sweep");
  ASSERT_TRUE(SchemaCheck::problems(s, good).empty());
  json document = good;
  document["rows"][0].erase("wilson_low");
  EXPECT_EQ(SchemaCheck::problems(s, document), std::vector<std::string>{"$.rows[0]: lacks \"wilson_low\""});
  document = good;
  document["rows"][0]["share_violated"] = 1.5;
  EXPECT_EQ(SchemaCheck::problems(s, document).size(), 1u);
  document = good;
  document["rows"][0]["runs"] = "3";
  EXPECT_EQ(SchemaCheck::problems(s, document).size(), 1u);
  document = good;
  document["schema"] = 2;
  EXPECT_EQ(SchemaCheck::problems(s, document).size(), 1u);
}

void expect_no_blanks(const json& value, const std::string& place) {
  if (value.is_object()) {
    for (const auto& [key, one] : value.items()) {
      EXPECT_EQ(key.find(' '), std::string::npos) << place << ": " << key;
      expect_no_blanks(one, place + "." + key);
    }
  } else if (value.is_array()) {
    for (const json& one : value) expect_no_blanks(one, place);
  }
}

TEST(Schemas, NoKeyHasABlank) {
  for (const std::string command : {"run paused_holder", "run paused_holder --seeds 3", "tell paused_holder",
                                    "list locks", "list faults", "list properties", "explain paused_holder"}) {
    expect_no_blanks(json::parse(run_picklock(command + " --format json").out), command);
  }
}

// A column of times in ns stands beside durations only.
TEST(Schemas, TimesOfAGridAreNumbersToo) {
  const Ran ran = run_picklock(
      "sweep paused_holder --vary lock.ttl=100ms,1s --vary storage.fence=writes,none --seeds 2 "
      "--property mutual-exclusion --format json");
  const json document = json::parse(ran.out, nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << ran.out;
  const json& last = document.at("rows").back();
  EXPECT_EQ(last.at("lock.ttl"), "1s");
  EXPECT_EQ(last.at("lock.ttl_ns"), 1'000'000'000);
  EXPECT_FALSE(last.contains("storage.fence_ns"));
}

}  // namespace schema_test
}  // namespace picklock::testing
