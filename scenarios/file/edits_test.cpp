#include "scenarios/file/edits.hpp"

#include <gtest/gtest.h>

#include "scenarios/file/read.hpp"

namespace picklock {
namespace {

Scenario three_faults() {
  return read_scenario(R"(lock = "set-nx-px"
clients = [ { name = "a" }, { name = "b" }, { name = "c" } ]
[[clock]]
node = "redis"
offset = "1s"
[[fault]]
kind = "pause"
node = "a"
[[fault]]
kind = "kill"
node = "b"
[[fault]]
kind = "freeze"
node = "c"
)",
                       "three.toml")
      .scenario;
}

std::string kinds(const Scenario& s) {
  std::string all;
  for (const Fault& f : s.faults) all += f.kind + " ";
  return all;
}

TEST(EditScenario, LeavesOutPartsByTheirPlaceAndByTheirName) {
  Scenario s = three_faults();
  EXPECT_TRUE(edit_scenario(s, {"", {}, {"fault[0]", "faults[2]", "clients.b", "clock.redis"}}).errors.empty());
  EXPECT_EQ(kinds(s), "kill ");
  ASSERT_EQ(s.clients.size(), 2u);
  EXPECT_EQ(s.clients[1].name, "c");
  EXPECT_TRUE(s.clocks.empty());
  Scenario calm = three_faults();
  EXPECT_TRUE(edit_scenario(calm, {"", {}, {"fault"}}).errors.empty());
  EXPECT_TRUE(calm.faults.empty());
}

// Whatever the order in which they were typed.
TEST(EditScenario, PathsCountWhatTheScenarioHas) {
  Scenario s = three_faults();
  const EditResult result =
      edit_scenario(s, {"setnx", {"fault[2].node=b", "clients.a.hold=7ms"}, {"fault[1]", "fault[0]", "fault[1]"}});
  EXPECT_TRUE(result.errors.empty());
  EXPECT_EQ(kinds(s), "freeze ");
  EXPECT_EQ(s.lock.name, "setnx");
  EXPECT_EQ(s.clients[0].hold, Law::constant(milliseconds(7)));
  EXPECT_EQ(result.left_out.as_written("fault[0].node"), "fault[2].node");
  EXPECT_EQ(result.left_out.as_written("clients[1].hold"), "clients[1].hold");
  EXPECT_EQ(result.left_out.as_written("lock.ttl"), "lock.ttl");
}

TEST(EditScenario, AnUnknownPartIsNamedWithTheNearest) {
  Scenario s = three_faults();
  const EditResult result = edit_scenario(s, {"", {"lock.tll=3s"}, {"fault[3]", "lock", "clients.aa"}});
  ASSERT_EQ(result.errors.size(), 4u);
  EXPECT_NE(print(result.errors[1]).find("--without fault[3]: found the path 'fault[3]', expected one of clients, "),
            std::string::npos)
      << print(result.errors[1]);
  EXPECT_EQ(result.errors[3].nearest, "clients.a");
}

TEST(EditScenario, IsWrittenAsItIsTyped) {
  EXPECT_EQ(command_words({"setnx", {"lock.key=x y"}, {"fault[0]"}}),
            " --lock setnx --set 'lock.key=x y' --without 'fault[0]'");
  EXPECT_EQ(command_words({}), "");
}

}  // namespace
}  // namespace picklock
