// The picture of every scenario of the library: what is violated shows, what struck shows, and nothing else does.

#include "reports/scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "reports/scene_svg.hpp"
#include "reports/timeline.hpp"
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
    const RunResult& result = runner.run(1);
    const std::vector<FaultSpan> struck = faults_struck(runner);
    const Scene scene = scene_of(runner.scenario(), result, struck);
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
    EXPECT_TRUE(is_well_formed(scene_svg(scene))) << entry.name;
    ++pictures;
    conflicts += violated;
  }
  EXPECT_GT(pictures, 400u);
  EXPECT_GT(conflicts, 100u);
  EXPECT_GT(faults, 300u);
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
    const RunResult& result = runner.run(1);
    EXPECT_EQ(has_row(scene_of(runner.scenario(), result, {}), RowKind::conflict),
              std::string(name) == "paused_holder/fenced");
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
  const Ran folded = run_picklock("run curator_writer_becomes_a_reader");
  const Ran all = run_picklock("run curator_writer_becomes_a_reader --all");
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
