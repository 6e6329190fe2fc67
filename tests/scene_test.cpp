// The picture of every scenario of the library: what is violated shows, what struck shows, and nothing else does.

#include "reports/run/scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "reports/run/scene_svg.hpp"
#include "reports/run/timeline.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"
#include "tests/command_runs.hpp"

namespace {

using namespace picklock;
using namespace picklock::testing;

// Tags and quotes are closed; enough for what we write ourselves.
bool is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = xml.find('<', at)) != std::string::npos;) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0 || tag.find('<') != std::string::npos) return false;
    const std::string name = tag.substr(tag[0] == '/', tag.find_first_of(" /", tag[0] == '/') - (tag[0] == '/'));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end + 1;
  }
  return open.empty();
}

bool has_row(const Scene& scene, RowKind kind) {
  return std::any_of(scene.rows.begin(), scene.rows.end(), [&](const SceneRow& r) { return r.kind == kind; });
}

TEST(Scene, ShowsViolationsAndFaultsOfEveryScenario) {
  std::size_t pictures = 0, conflicts = 0, faults = 0;
  for (const LibraryEntry& entry : library_scenarios()) {
    const ScenarioFile file = load_scenario(entry.name);
    auto compiled = Runner::compile(file.scenario);
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Runner>>(compiled)) << entry.name;
    Runner& runner = *std::get<0>(compiled);
    const RunResult& result = runner.run(1, {.story = true});
    const std::vector<FaultSpan> struck = faults_struck(runner.record());
    const Scene scene = scene_of(runner.record(), struck);
    const bool violated = of(result.findings, Property::mutual_exclusion).verdict == Verdict::violated;
    EXPECT_EQ(has_row(scene, RowKind::conflict), violated) << entry.name;
    const std::string story = tell_story(*result.history, struck, {.all = true});
    for (const FaultSpan& f : struck) {
      ++faults;
      const bool told = f.told || story.find("fault: " + f.words) != std::string::npos;
      EXPECT_TRUE(told) << entry.name << ": " << f.words;
      const auto drawn = [&](const SceneRow& r) { return r.kind == RowKind::fault && "the " + r.label == f.words; };
      const bool late = f.from >= scene.end;
      EXPECT_TRUE(late || std::any_of(scene.rows.begin(), scene.rows.end(), drawn)) << entry.name << ": " << f.words;
    }
    for (const SceneRow& r : scene.rows) {
      if (r.kind == RowKind::leader || r.kind == RowKind::clock) continue;
      for (const Bar& b : r.bars) EXPECT_GE(b.from, scene.begin) << entry.name << ": " << r.label;
      for (const SceneMark& m : r.marks) EXPECT_GE(m.time, scene.begin) << entry.name << ": " << r.label;
    }
    EXPECT_TRUE(is_well_formed(scene_svg(scene))) << entry.name;
    ++pictures;
    conflicts += violated;
  }
  EXPECT_GT(pictures, 400u);
  EXPECT_GT(conflicts, 100u);
  EXPECT_GT(faults, 300u);
}

// Whom a server names at an instant.
std::vector<HoldId> named(const ServersSeen& seen, NodeId server, std::int64_t time) {
  std::vector<HoldId> owners;
  std::map<std::uint32_t, std::vector<HoldId>> by_lock;
  for (const OwnersSeen& o : seen.owners) {
    if (o.node == server && o.time <= time) by_lock[o.lock] = o.owners;
  }
  for (const auto& [lock, holds] : by_lock) owners.insert(owners.end(), holds.begin(), holds.end());
  return owners;
}

// What the judge of the service says as a whole, its servers must say one by one.
TEST(Scene, ServersNameWhomTheServiceGrants) {
  std::size_t grants = 0, runs = 0;
  for (const LibraryEntry& entry : library_scenarios()) {
    const Scenario scenario = load_scenario(entry.name).scenario;
    auto compiled = Runner::compile(scenario);
    Runner& runner = *std::get<0>(compiled);
    const RunResult& result = runner.run(1, {.story = true});
    const ServersSeen& seen = runner.record().around().servers;
    const LockKind& kind = *find_lock_kind(scenario.lock.name);
    const std::size_t groups =
        kind.servers != nullptr ? kind.servers(*scenario.lock.options) : std::max(1u, kind.independent_servers);
    if (seen.servers.empty()) continue;
    ++runs;
    for (const GrantEvent& g : result.history->grants) {
      if (g.change != GrantChange::begin) continue;
      std::size_t votes = 0;
      for (const NodeId server : seen.servers) {
        const std::vector<HoldId> owners = named(seen, server, g.time);
        votes += std::find(owners.begin(), owners.end(), g.hold) != owners.end();
      }
      // Within the same instant it may have been given back.
      const bool brief = std::any_of(result.history->grants.begin(), result.history->grants.end(), [&](auto& e) {
        return e.hold == g.hold && e.time == g.time && e.index > g.index && e.change != GrantChange::extend;
      });
      if (brief) continue;
      ++grants;
      EXPECT_GE(votes, groups / 2 + 1) << entry.name << ": hold " << g.hold << " at " << g.time;
    }
  }
  EXPECT_GT(runs, 300u);
  EXPECT_GT(grants, 1000u);
}

const SceneRow* row_of(const Scene& scene, const std::string& label) {
  const auto row =
      std::find_if(scene.rows.begin(), scene.rows.end(), [&](const SceneRow& r) { return r.label == label; });
  return row == scene.rows.end() ? nullptr : &*row;
}

Scene scene_of_scenario(const std::string& name) {
  auto compiled = Runner::compile(load_scenario(name).scenario);
  Runner& runner = *std::get<0>(compiled);
  runner.run(1, {.story = true});
  return scene_of(runner.record(), faults_struck(runner.record()));
}

TEST(Scene, FiveServersOfRedlockNameTheirOwnersAndTheClockThatJumped) {
  const Scene scene = scene_of_scenario("redlock_clock_jump");
  const auto last = [&](const std::string& server) {
    const SceneRow* const row = row_of(scene, server);
    return row == nullptr || row->bars.empty() ? "no row" : row->bars.back().text;
  };
  EXPECT_EQ(last("redis1") + last("redis2") + last("redis3") + last("redis4") + last("redis5"), "aabbb");
  const SceneRow* const clock = row_of(scene, "clock of redis3");
  ASSERT_NE(clock, nullptr);
  ASSERT_EQ(clock->bars.size(), 1u);
  EXPECT_EQ(clock->bars[0].text, "+12 s");
  EXPECT_EQ(clock->bars[0].from, 1'050'000'000);
  EXPECT_EQ(row_of(scene, "clock of redis1"), nullptr) << "its clock is true";
  // The lease of a runs on, beside the ownership of b, until a gives it back.
  const SceneRow* const lease = row_of(scene, "lock (lease)");
  ASSERT_NE(lease, nullptr);
  ASSERT_EQ(lease->bars.size(), 1u);
  EXPECT_EQ(lease->bars[0].text, "a");
  EXPECT_GT(lease->bars[0].until, 4'000'000'000);
}

TEST(Scene, AFailoverShowsTheMastersAndTheDeadOne) {
  const Scene scene = scene_of_scenario("failover_loses_the_lock");
  const SceneRow* const master = row_of(scene, "master");
  ASSERT_NE(master, nullptr);
  ASSERT_EQ(master->bars.size(), 2u);
  EXPECT_EQ(master->bars[0].text, "redis");
  EXPECT_EQ(master->bars[1].text, "redis-replica1");
  EXPECT_LT(master->bars[0].until, master->bars[1].from);
  const SceneRow* const dead = row_of(scene, "redis");
  ASSERT_NE(dead, nullptr);
  EXPECT_EQ(dead->bars.back().kind, BarKind::dead);
}

TEST(Scene, ClientsThatHoldOneLockAndWaitForAnotherAreShownSo) {
  const Scene scene = scene_of_scenario("deadlock_opposite_order");
  for (const char* const client : {"a", "b"}) {
    const SceneRow* const row = row_of(scene, client);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->bars.back().kind, BarKind::believes_and_waits) << client;
    EXPECT_GE(row->bars.back().until, scene.end) << client;
  }
}

TEST(Scene, ThatOneOfTwoHoldsEndsDoesNotEndTheOther) {
  const Scene scene = scene_of_scenario("deadlock_opposite_order/excluded_by_order");
  const SceneRow* const row = row_of(scene, "a");
  ASSERT_NE(row, nullptr);
  // Rounds of: waits for x, believes, waits for y as well, believes until both are given back.
  std::size_t gaps = 0;
  for (std::size_t i = 1; i < row->bars.size(); ++i) gaps += row->bars[i].from > row->bars[i - 1].until;
  EXPECT_LE(gaps, 2u) << "three rounds";
}

TEST(Scene, BeginsShortlyBeforeTheFirstClientOrFault) {
  const Scene late = scene_of_scenario("etcd_partitioned_holder");
  EXPECT_GT(late.begin, 1'000'000'000) << "the members elect a leader first";
  EXPECT_LT(late.begin, 3'000'000'000);
  EXPECT_EQ(scene_of_scenario("paused_holder").begin, 0);
  EXPECT_EQ(ticks_of(2'350, 16'000, 5), (std::vector<std::int64_t>{5'000, 10'000, 15'000}));
  EXPECT_EQ(ticks_of(0, 400, 5), (std::vector<std::int64_t>{0, 100, 200, 300, 400}));
}

TEST(Scene, AnExpiredLeaseThatNobodyRemovedIsOverdue) {
  const Scene scene = scene_of_scenario("paused_holder");
  const SceneRow* const lock = row_of(scene, "lock");
  ASSERT_NE(lock, nullptr);
  ASSERT_GE(lock->bars.size(), 3u);
  EXPECT_EQ(lock->bars[0].kind, BarKind::owned);
  EXPECT_EQ(lock->bars[1].kind, BarKind::overdue);
  EXPECT_EQ(lock->bars[1].from, lock->bars[0].until);
  EXPECT_EQ(lock->bars[2].text, "b");
}

TEST(Scene, ItsCheckOfXmlNoticesWhatIsOpen) {
  EXPECT_TRUE(is_well_formed("<a b=\"c\"><d/>text</a>"));
  EXPECT_FALSE(is_well_formed("<a><b></a></b>"));
  EXPECT_FALSE(is_well_formed("<a b=\"c></a>"));
  EXPECT_FALSE(is_well_formed("<a>"));
}

TEST(Scene, ReadersTogetherAreNoConflict) {
  for (const char* const name : {"curator_writer_becomes_a_reader", "paused_holder/fenced"}) {
    auto compiled = Runner::compile(load_scenario(name).scenario);
    Runner& runner = *std::get<0>(compiled);
    runner.run(1, {.story = true});
    EXPECT_EQ(has_row(scene_of(runner.record(), {}), RowKind::conflict), std::string(name) == "paused_holder/fenced");
  }
}

TEST(RunPicture, FitsTheWidth) {
  const Ran ran = run_picklock("run redlock_clock_jump --width 72");
  std::istringstream lines(ran.out);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  EXPECT_LE(longest, 74u) << ran.out;  // two bytes more where a sign has three
  EXPECT_EQ(run_picklock("run paused_holder --width 10").status, 2);
}

TEST(RunPicture, IsBriefOrWholeIfAsked) {
  const Ran brief = run_picklock("run paused_holder --brief");
  EXPECT_TRUE(has(brief, "both in")) << brief.out;
  EXPECT_TRUE(has(brief, "mutual-exclusion")) << brief.out;
  EXPECT_FALSE(has(brief, "what happened")) << brief.out;
  const Ran folded = run_picklock("run deadlock_opposite_order");
  const Ran all = run_picklock("run deadlock_opposite_order --all");
  EXPECT_TRUE(has(folded, "--all shows each")) << folded.out;
  EXPECT_FALSE(has(all, "--all shows each")) << all.out;
  EXPECT_FALSE(has(folded, "\033[")) << "colours where there is no terminal";
}

TEST(RunPicture, IsWrittenAsSvg) {
  const std::string file = scratch("picture") + ".svg";
  EXPECT_EQ(run_picklock("run paused_holder --svg " + file).status, 0);
  const std::string svg = content(file);
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_NE(svg.find("pause of a"), std::string::npos);
  std::filesystem::remove(file);
  EXPECT_EQ(run_picklock("run paused_holder --svg /no/such/folder/x.svg").status, 2);
}

// Browsers are asked in browser_test.cpp, where there is one.
TEST(RunPicture, IsExportedForPerfetto) {
  const std::string file = scratch("perfetto") + ".json";
  EXPECT_EQ(run_picklock("run paused_holder --perfetto " + file).status, 0);
  const auto trace = nlohmann::json::parse(content(file));
  std::set<std::string> names;
  for (const auto& e : trace["traceEvents"]) {
    ASSERT_TRUE(e.contains("ph") && e.contains("pid") && e.contains("tid")) << e.dump();
    EXPECT_TRUE(e["ph"] != "X" || e["dur"].get<double>() >= 0) << e.dump();
    names.insert(e["name"].get<std::string>());
  }
  for (const char* const name : {"thread_name", "believes that it holds", "stopped, believing", "both in"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  std::filesystem::remove(file);
}

TEST(RunPicture, StandsBesideItsExplanation) {
  const std::string file = scratch("explained") + ".html";
  EXPECT_EQ(run_picklock("explain paused_holder --html " + file).status, 0);
  const std::string page = content(file);
  EXPECT_NE(page.find("It takes the pause of a"), std::string::npos);
  EXPECT_NE(page.find("\"messages\":[["), std::string::npos);
  std::filesystem::remove(file);
}

TEST(RunPicture, IsWrittenAsAPageOfItsOwn) {
  const std::string file = scratch("page") + ".html";
  EXPECT_EQ(run_picklock("run paused_holder --html " + file).status, 0);
  const std::string page = content(file);
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0u);
  EXPECT_NE(page.find("\"messages\":[["), std::string::npos);
  EXPECT_NE(page.find("a is stopped"), std::string::npos);
  for (const char* const other : {"http://", "https://", "src=", "@import", "url("}) {
    EXPECT_EQ(page.find(other), std::string::npos) << "the page needs " << other;
  }
  std::filesystem::remove(file);
}

}  // namespace
