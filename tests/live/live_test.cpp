// The simulator against real servers: each row agrees, and the page shows what comes out today.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/live/costs.hpp"
#include "tests/live/herds.hpp"
#include "tests/live/live.hpp"
#include "tests/live/overlaps.hpp"

namespace picklock::live {
namespace {

const std::vector<Row>& rows() {
  static const std::vector<Row> all = all_rows();
  return all;
}

TEST(Live, WhatWasCertainIsCertainAndTheRaceIsARace) {
  ASSERT_GE(rows().size(), 20u);
  for (const Row& r : rows())
    EXPECT_TRUE(r.agrees) << r.situation << " (" << r.settings << "): measured " << r.measured << ", here " << r.here;
}

// A page of docs/, parts of which are written here: from a marker to the next end.
class Page {
 public:
  explicit Page(const std::string& name) : path_(PICKLOCK_SOURCE_DIR "/docs/" + name) {
    std::stringstream in;
    in << std::ifstream(path_).rdbuf();
    text_ = in.str();
  }
  void expect(const std::string& marker, const std::string& now) {
    const std::string begin = "<!-- " + marker + " -->\n\n", end = "\n<!-- end -->";
    const std::size_t found = text_.find(begin), from = found + begin.size(), to = text_.find(end, found);
    ASSERT_NE(found, std::string::npos) << marker;
    ASSERT_NE(to, std::string::npos) << marker;
    const std::size_t shown = to > from ? to - from : 0;
    if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr) {
      text_.replace(from, shown, shown == 0 ? now + "\n" : now);
      std::ofstream(path_) << text_;
      return;
    }
    EXPECT_EQ(text_.substr(from, shown), now)
        << "if the change is meant: scripts/calibrate --write, and say why in the commit";
  }

 private:
  std::string path_, text_;
};

TEST(Live, ThePageShowsTheTable) { Page("live.md").expect("written by scripts/calibrate", table(rows())); }

const std::vector<CostRow>& costs() {
  static const std::vector<CostRow> all = cost_rows();
  return all;
}

TEST(CostsPage, ShowsTheFigures) {
  Page page("costs.md");
  for (const char* scenario :
       {"cost_of_waiting", "cost_of_short_holds", "cost_of_acquiring", "cost_of_a_dead_server", "cost_of_a_failover",
        "zookeeper_cost_of_a_failover", "etcd_cost_of_a_failover", "cost_of_a_lost_minority", "zookeeper_minority_down",
        "etcd_minority_down", "zookeeper_cost_of_acquiring", "etcd_cost_of_acquiring",
        "zookeeper_cost_of_waiting/fifty_waiters", "etcd_cost_of_waiting", "etcd_cost_of_waiting/a_herd"}) {
    page.expect(scenario, cost_table(costs(), scenario));
  }
}

TEST(CostsPage, ShowsTheHerds) {
  const std::vector<HerdRow> rows = herd_rows();
  Page("costs.md").expect("zookeeper_herds", herd_table(rows));
  for (const HerdRow& r : rows) {
    const Costs& c = r.costs;
    EXPECT_EQ(c.granted, c.asked);
    const bool queue = r.lock != "zookeeper-herd-lock";
    EXPECT_TRUE(queue ? c.overtaken == 0u : c.overtaken > 0 || r.clients == 2);
    if (r.lock == "zookeeper-lock") {
      EXPECT_LE(c.watch_events, c.granted) << "a release wakes one, the last one nobody";
    } else {
      EXPECT_GE(5 * c.watch_events, 2 * (r.clients - 1) * c.granted) << "all who wait: half of them, on an average";
    }
  }
}

// What the page says in words.
TEST(CostsPage, SaysWhatTheFiguresSay) {
  const auto of = [](const std::string& what, const std::string& scenario) -> const Costs& {
    for (const CostRow& r : costs()) {
      if (r.what == what && r.scenario == scenario) return r.costs;
    }
    throw std::runtime_error(what);
  };
  const auto mean = [](const std::vector<std::int64_t>& values) { return spread_of(values).mean; };
  const Costs& one = of("one server", "cost_of_acquiring");
  const Costs& turn = of("Redlock, five in turn", "cost_of_acquiring");
  const Costs& at_once = of("Redlock, five at once", "cost_of_acquiring");
  EXPECT_GT(mean(turn.latency_ns), 3 * mean(one.latency_ns));
  EXPECT_LT(mean(turn.latency_ns), 6 * mean(one.latency_ns));
  EXPECT_LT(mean(at_once.latency_ns), 3 * mean(one.latency_ns));
  EXPECT_EQ(mean(one.requests), 1);
  EXPECT_EQ(mean(at_once.requests), 5);
  const Costs& polls = of("one server, polling every 5 to 10 ms", "cost_of_waiting");
  const Costs& told = of("Redisson, publish/subscribe", "cost_of_waiting");
  EXPECT_GT(mean(polls.requests), 2 * mean(told.requests));
  EXPECT_GT(mean(polls.wake_up_ns), mean(told.wake_up_ns));
  const Costs& minority = of("Redlock, two of five lost", "cost_of_a_lost_minority");
  EXPECT_EQ(minority.granted, minority.asked);
  const Costs& sentinel = of("one master, Sentinel with down-after 1 s", "cost_of_a_failover");
  EXPECT_LT(sentinel.granted, sentinel.asked);
  const Costs& alone = of("one server without followers", "cost_of_a_failover");
  EXPECT_LT(alone.granted * sentinel.asked, sentinel.granted * alone.asked) << "a smaller share";
}

TEST(OverlapsPage, ShowsTheFigures) { Page("overlaps.md").expect("overlaps", overlap_table(overlap_rows())); }

// Who stops at the first sign is alone, and who waits for the last one is not.
TEST(OverlapsPage, SaysWhatTheFiguresSay) {
  const auto all = overlap_rows();
  const auto of = [&](std::string_view what) {
    const auto row = std::ranges::find(all, what, &OverlapRow::what);
    if (row == all.end()) throw std::runtime_error(std::string(what));
    return *row;
  };
  EXPECT_EQ(of("Curator, stops at SUSPENDED").violated, 0u);
  EXPECT_EQ(of("Curator, stops at LOST, a third of the timeout later").violated, 0u);
  EXPECT_EQ(of("ZooKeeper's client, stops at Disconnected").violated, 0u);
  const OverlapRow lost = of("Curator, stops at LOST, a timeout later"), longer = of("… with a timeout of 40 s");
  EXPECT_EQ(lost.violated, lost.runs);
  EXPECT_EQ(longer.violated, longer.runs);
  EXPECT_GT(longer.longest_ns, 4 * lost.longest_ns) << "it grows with the timeout";
  const OverlapRow etcd = of("etcd's session, stops at Done()");
  EXPECT_LT(etcd.longest_ns, 1'100'000'000) << "its client looks every second";
}

}  // namespace
}  // namespace picklock::live
