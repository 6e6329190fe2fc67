// The simulator against real servers: each row agrees, and the page shows what comes out today.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/live/choosing.hpp"
#include "tests/live/commands.hpp"
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

// Latency against one server, and the share of acquires that is served while servers are away.
std::string costs_and_availability() {
  const auto median = [](const CostRow& r) { return spread_of(r.costs.latency_ns).median; };
  std::int64_t one = 0;
  std::string out = "| lock | latency, median | against one server | commands for a grant |\n|---|---|---|---|\n";
  for (const CostRow& r : costs()) {
    if (r.what == "one server" && r.scenario == "cost_of_acquiring") one = median(r);
  }
  for (const CostRow& r : costs()) {
    if (!r.scenario.ends_with("cost_of_acquiring")) continue;
    out += "| " + r.what + " | " + ms(median(r)) + " ms | " +
           each(static_cast<std::uint64_t>(median(r)), static_cast<std::uint64_t>(one)) + " | " +
           each(r.costs.commands, r.costs.granted) + " |\n";
  }
  out += "\n| while servers are away | acquires served |\n|---|---|\n";
  for (const CostRow& r : costs()) {
    if (!r.scenario.ends_with("cost_of_a_failover") && !r.scenario.ends_with("minority") &&
        !r.scenario.ends_with("minority_down")) {
      continue;
    }
    out += "| " + r.what + " | " + std::to_string(r.costs.granted) + " of " + std::to_string(r.costs.asked) + " |\n";
  }
  return out;
}

const Costs& costs_of(const std::string& what, const std::string& scenario) {
  for (const CostRow& r : costs()) {
    if (r.what == what && r.scenario == scenario) return r.costs;
  }
  throw std::runtime_error(what);
}

std::string times(std::int64_t more, std::int64_t less) {
  return each(static_cast<std::uint64_t>(more), static_cast<std::uint64_t>(less)) + " times";
}

std::string share_of(const Choice& c) { return fmt::format("{} of {} runs", c.two_at_once, c.tested); }

std::string acquiring_costs() {
  const auto median = [](const std::string& what, const std::string& scenario) {
    return ms(spread_of(costs_of(what, scenario).latency_ns).median);
  };
  return fmt::format("an acquire takes {} ms at one Redis server, {} ms in ZooKeeper's queue, {} ms at etcd",
                     median("one server", "cost_of_acquiring"),
                     median("ZooKeeper, the queue of the recipe", "zookeeper_cost_of_acquiring"),
                     median("etcd, concurrency.Mutex", "etcd_cost_of_acquiring"));
}

std::string short_holds_costs() {
  const Costs& one = costs_of("one server, polling every 5 to 10 ms", "cost_of_short_holds");
  const Costs& usual = costs_of("Redlock, pauses of 0 to 200 ms", "cost_of_short_holds");
  const Costs& quick = costs_of("Redlock, pauses of 5 to 10 ms", "cost_of_short_holds");
  const auto unlucky = [](const Costs& c) { return spread_of(c.latency_ns).p95; };
  const auto of_one = [&](const Costs& c) {
    return each(c.commands * one.granted, c.granted * one.commands) + " times as many commands";
  };
  return fmt::format(
      "One in twenty acquires takes {} as long as at one server with Redlock's usual pauses, for {}; with pauses as "
      "short "
      "as there {} as long, for {}.",
      times(unlucky(usual), unlucky(one)), of_one(usual), times(unlucky(quick), unlucky(one)), of_one(quick));
}

// What articles conclude, beside what comes out here.
std::string conclusions() {
  const auto latency = [](const std::string& what) {
    return spread_of(costs_of(what, "cost_of_acquiring").latency_ns).median;
  };
  const auto two = [](std::string_view fault, std::string_view family) { return share_of(choice_of(fault, family)); };
  const std::int64_t one = latency("one server");
  const std::string power = "a server loses power and comes back", clock = "a server's clock jumps ahead",
                    stop = "the holder stops for longer than its lease",
                    cut = "the holder is cut off from the lock service";
  const CampaignResult offsets = play({"", "redlock_clock_offsets", "", {}, 100}, false);
  const auto exclusion =
      std::ranges::find(offsets.properties, Property::mutual_exclusion, &PropertySummary::property)->tally;
  std::string out = "| said | measured |\n|---|---|\n";
  const auto row = [&](std::string_view said, const std::string& measured) {
    out += fmt::format("| \"{}\" | {} |\n", said, measured);
  };
  row("Reliability: ZooKeeper; speed: Redis",
      fmt::format(
          "Speed: yes, {}. Reliability: yes for what servers do (a server loses power: two at once in {} with "
          "Redis, in {} with ZooKeeper), no for what the holder does: stopped for longer than its session, it is "
          "beside another one in {} with ZooKeeper too.",
          acquiring_costs(), two(power, "one Redis server"), two(power, "ZooKeeper"), two(stop, "ZooKeeper")));
  row("Redlock is 3 to 5 times slower than one node",
      fmt::format(
          "Its median is {} that of one server where the five are asked in turn, as the first implementation does, "
          "{} where they are asked at once, and {} where the first majority is enough. It sends five times as many "
          "commands either way.",
          times(latency("Redlock, five in turn"), one), times(latency("Redlock, five at once"), one),
          times(latency("Redlock, five at once, on at the quorum (pottery)"), one)));
  row("Redlock is unfit for frequent short holds", short_holds_costs());
  row("Redlock needs nodes whose clocks agree",
      fmt::format("Constant offsets do no harm (`redlock_clock_offsets`: two at once in {} of {} runs); a step does "
                  "(`redlock_clock_jump`: in {}), and so does a clock that runs too fast.",
                  exclusion.count(Verdict::violated), exclusion.decided(), two(clock, "Redlock, five servers")));
  row("A watchdog solves the expiry of the lease",
      fmt::format(
          "It does for long work of a sound process. It stops with the process that it lives in (two at once in {}), "
          "and tells nobody when it fails (cut off from its server: in {}).",
          two(stop, "Redisson, watchdog"), two(cut, "Redisson, watchdog")));
  return out;
}

TEST(ChoosingPage, ShowsTheFigures) {
  Page page("choosing.md");
  page.expect("overview", choosing_overview(choices()));
  for (const std::string& fault : choosing_faults()) page.expect(fault, choosing_table(choices(), fault));
  page.expect("costs and availability", costs_and_availability());
  page.expect("conclusions of articles", conclusions());
}

// What the page says in words.
TEST(ChoosingPage, SaysWhatTheFiguresSay) {
  for (const Choice& c : choices()) {
    EXPECT_GT(c.tested + c.free_tested, 0u) << c.command;
    if (c.fault == "the holder stops for longer than its lease") {
      EXPECT_EQ(c.two_at_once, c.runs) << c.command;
    }
    if (c.fault == "a stopped holder, and a storage that compares tokens") {
      EXPECT_EQ(c.two_at_once, c.runs) << c.command;
      EXPECT_EQ(c.updates_lost, 0u) << c.command;
    }
    if (c.fault == "the holder dies") {
      EXPECT_EQ(c.never_free, 0u) << c.command;
    }
    const bool majority = c.family == "ZooKeeper" || c.family == "etcd";
    const bool of_servers = c.fault == "a server loses power and comes back" ||
                            c.fault == "a server's clock jumps ahead" ||
                            c.fault == "the server that leads dies, and another one takes over" ||
                            c.fault == "a minority of the servers dies";
    if (majority && of_servers) {
      EXPECT_EQ(c.two_at_once + c.updates_lost, 0u) << c.command;
    }
  }
  const auto two = [](std::string_view fault, std::string_view family) {
    const Choice& c = choice_of(fault, family);
    return c.two_at_once == c.runs;
  };
  EXPECT_TRUE(two("a server loses power and comes back", "one Redis server"));
  EXPECT_TRUE(two("a server loses power and comes back", "Redlock, five servers"));
  EXPECT_TRUE(two("the server that leads dies, and another one takes over", "Redis with a replica"));
  EXPECT_TRUE(two("a server's clock jumps ahead", "one Redis server"));
  EXPECT_TRUE(two("a server's clock jumps ahead", "Redlock, five servers"));
  EXPECT_TRUE(two("the holder's write arrives after its lease", "one Redis server"));
  EXPECT_FALSE(two("the holder's write arrives after its lease", "Redisson, watchdog"));
  EXPECT_TRUE(two("the holder is cut off from the lock service", "Redisson, watchdog"));
  EXPECT_FALSE(two("the holder is cut off from the lock service", "ZooKeeper"));
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
