// Input that goes to the end of a resource or an option gets a message, and never ends the program.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scenarios/run/run_lab.hpp"

namespace picklock {
namespace {

TEST(Exhausted, ConnectionsThatRunOutAreAnErrorOfTheRun) {
  const ScenarioFile file = read_scenario(
      "lock = { name = \"redlock\", node-timeout = \"3ns\", retry = \"0s\" }\n"
      "clients = [ { name = \"a\", rounds = 0 } ]\n",
      "connections.toml");
  const auto runner = compile(file.scenario);
  for (int again = 0; again < 2; ++again) {
    const RunResult& r = runner->run(1);
    EXPECT_NE(r.error.find("no room for more connections"), std::string::npos) << r.error;
    EXPECT_TRUE(r.cut_off) << "every verdict is undecided";
    EXPECT_EQ(verdict(r, Property::mutual_exclusion), Verdict::undecided);
  }
}

std::string problem_of_etcd(std::string_view settings) {
  const ScenarioFile file = read_scenario(
      fmt::format("lock = \"etcd-mutex\"\nclients = [ {{ name = \"a\" }} ]\n[etcd]\n{}\n", settings), "etcd.toml");
  for (const ScenarioError& e : file.errors) ADD_FAILURE() << print(e);
  const auto problems = problems_of(file.scenario);
  return problems.empty()
             ? ""
             : fmt::format("{}: {}, expected {}", problems[0].where, problems[0].found, problems[0].expected);
}

TEST(Exhausted, AnElectionTakesTwoHeartbeatsOrMore) {
  EXPECT_EQ(problem_of_etcd("election = \"200ms\""), "");
  EXPECT_EQ(problem_of_etcd("election = \"199ms\""),
            "etcd.election: 199ms, expected two heartbeats or more, as etcd.heartbeat is 100ms");
  EXPECT_EQ(problem_of_etcd("heartbeat = \"1s\""),
            "etcd.election: 1s, expected two heartbeats or more, as etcd.heartbeat is 1s");
}

}  // namespace
}  // namespace picklock
