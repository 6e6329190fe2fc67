// The log for ShiViz, parsed by its expression, and its vector clocks held against the rules that ShiViz has for them.

#include "reports/run/shiviz.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"
#include "tests/command_runs.hpp"

namespace picklock {
namespace shiviz_test {

using namespace picklock::testing;
using VectorTime = std::map<std::string, std::uint32_t>;

struct LoggedEvent {
  std::string text, host;
  VectorTime clock;
};

// By the expression, as ShiViz does it; its names of groups are for people.
std::vector<LoggedEvent> parsed(const std::string& log) {
  std::string expression(kShivizExpression);
  for (const std::string group : {"?<event>", "?<host>", "?<clock>"})
    expression.erase(expression.find(group), group.size());
  expression.replace(expression.find("{.*}"), 4, "\\{.*\\}");
  const std::regex event(expression);
  std::vector<LoggedEvent> events;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = log.find('\n', log.find('\n', at) + 1);
    const std::string lines = log.substr(at, end - at);
    std::smatch match;
    if (!std::regex_match(lines, match, event)) return {};
    events.push_back({match[1], match[2], nlohmann::json::parse(match[3].str()).get<VectorTime>()});
    at = end + 1;
  }
  return events;
}

bool before_or_equal(const VectorTime& a, const VectorTime& b) {
  return std::all_of(a.begin(), a.end(), [&](const auto& count) {
    const auto other = b.find(count.first);
    return other != b.end() && other->second >= count.second;
  });
}

// What is wrong with the clocks; empty: nothing.
std::string problem_of(const std::vector<LoggedEvent>& events) {
  std::map<std::string, VectorTime> last;
  std::map<std::string, const LoggedEvent*> sent;  // "(17)"
  for (const LoggedEvent& e : events) {
    VectorTime& before = last[e.host];
    const auto own = e.clock.find(e.host);
    if (own == e.clock.end() || own->second != before[e.host] + 1)
      return e.host + " does not count its own event: " + e.text;
    for (const auto& [host, count] : e.clock) {
      if (host != e.host && last[host][host] < count) return e.text + " knows of an event that is still to come";
    }
    before.erase("");
    VectorTime counted = before;
    if (counted[e.host] == 0) counted.erase(e.host);
    if (!before_or_equal(counted, e.clock)) return e.text + " forgets what its host knew";
    before = e.clock;
    const std::size_t open = e.text.find('('), close = e.text.find(')');
    if (e.text.find(" sends a message (") != std::string::npos) sent[e.text.substr(open, close - open)] = &e;
    if (e.text.find(" message (") == std::string::npos || !e.text.ends_with(" arrives")) continue;
    const auto sender = sent.find(e.text.substr(open, close - open));
    if (sender == sent.end()) return e.text + ", which nobody sent";
    if (!before_or_equal(sender->second->clock, e.clock)) return e.text + ", and does not know of its sending";
  }
  return "";
}

std::string log_of(const std::string& name) {
  auto compiled = Runner::compile(load_scenario(name).scenario);
  Runner& runner = *std::get<0>(compiled);
  runner.run(1, {.full_trace = true});
  return shiviz_log(runner.record());
}

TEST(Shiviz, ItsExpressionParsesTheLogsAndTheClocksAreRight) {
  for (const std::string name : {"paused_holder", "redlock_clock_jump", "failover_loses_the_lock",
                                 "etcd_partitioned_holder", "zookeeper_paused_holder"}) {
    const std::vector<LoggedEvent> events = parsed(log_of(name));
    EXPECT_GT(events.size(), 50u) << name;
    EXPECT_EQ(problem_of(events), "") << name;
    std::size_t concurrent = 0;
    for (std::size_t i = 1; i < events.size(); ++i) {
      const auto &a = events[i - 1].clock, &b = events[i].clock;
      concurrent += !before_or_equal(a, b) && !before_or_equal(b, a);
    }
    EXPECT_GT(concurrent, 0u) << name << ": clocks that order everything tell nothing";
  }
}

TEST(Shiviz, AWrongClockIsNoticed) {
  std::vector<LoggedEvent> events = parsed(log_of("paused_holder"));
  ASSERT_GT(events.size(), 20u);
  const auto with = [&](std::size_t place, const std::string& host, std::uint32_t count) {
    std::vector<LoggedEvent> changed = events;
    changed[place].clock[host] = count;
    return problem_of(changed);
  };
  EXPECT_NE(with(10, events[10].host, 1000), "");
  EXPECT_NE(with(10, events[10].host == "redis" ? "a" : "redis", 1000), "");
  const auto arrival = std::find_if(events.begin(), events.end(), [](const LoggedEvent& e) {
    return e.text.ends_with(" arrives") && e.host == "redis";
  });
  ASSERT_NE(arrival, events.end());
  arrival->clock = {{"redis", arrival->clock["redis"]}};
  EXPECT_NE(problem_of(events), "");
  EXPECT_TRUE(parsed("no clock\nhere\n").empty());
}

TEST(Shiviz, TheCommandWritesTheLog) {
  const std::string file = scratch("shiviz") + ".log";
  EXPECT_EQ(run_picklock("run paused_holder --shiviz " + file).status, 0);
  EXPECT_EQ(content(file), log_of("paused_holder"));
  EXPECT_EQ(run_picklock("run paused_holder --shiviz /no/such/folder/x.log").status, 2);
  EXPECT_EQ(run_picklock("run paused_holder --seeds 1..2 --shiviz " + file).status, 2);
  std::filesystem::remove(file);
}

}  // namespace shiviz_test
}  // namespace picklock
