// Pages that scripts have measured name what is there: every lock of docs/envelope.md, every line of scenarios/zoo.tsv.

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "algorithms/lock.hpp"
#include "checker/properties/properties.hpp"
#include "instruments/hunt/aim.hpp"
#include "scenarios/file/library.hpp"
#include "tests/command_runs.hpp"

namespace {

using namespace picklock;
using namespace picklock::testing;

std::string page(const std::string& name) { return content(std::string(PICKLOCK_SOURCE_DIR "/") + name); }

TEST(EnvelopePage, HasEveryLock) {
  const std::string text = page("docs/envelope.md");
  for (const LockKind& kind : lock_kinds()) {
    const std::string name(kind.name);
    EXPECT_NE(text.find("\n" + name + ", "), std::string::npos) << name << ": scripts/envelope writes the page anew";
  }
}

// Two locks are measured again, by hazards that take little time.
TEST(EnvelopePage, ShowsWhatTheCommandMeasures) {
  const std::string text = page("docs/envelope.md");
  const Ran ran = run_picklock("envelope etcd-mutex --hazard section,data-loss,failover");
  ASSERT_EQ(ran.status, 0) << ran.out;
  const std::size_t at = text.find("\netcd-mutex, ");
  ASSERT_NE(at, std::string::npos);
  const std::string there = text.substr(at, text.find("\n\n", text.find("|---", at)) - at);
  std::istringstream rows(ran.out);
  std::size_t compared = 0;
  for (std::string row; std::getline(rows, row);) {
    if (row.rfind("| ", 0) != 0 || row.rfind("| hazard", 0) == 0) continue;
    ++compared;
    EXPECT_NE(there.find(row), std::string::npos) << row << "\nscripts/envelope writes the page anew";
  }
  EXPECT_EQ(compared, 3u);
}

// The picture has every lock, and the fields of a lock that is measured again are the same.
TEST(EnvelopePage, ThePictureShowsWhatTheCommandMeasures) {
  const std::string picture = page("docs/envelope.svg");
  EXPECT_NE(page("docs/envelope.md").find("(envelope.svg)"), std::string::npos);
  for (const LockKind& kind : lock_kinds()) {
    EXPECT_NE(picture.find("<g id=\"" + std::string(kind.name) + "\""), std::string::npos)
        << kind.name << ": scripts/envelope writes the picture anew";
  }
  const std::string file = scratch("envelope.svg");
  ASSERT_EQ(run_picklock("envelope etcd-mutex --hazard section,data-loss,failover --svg " + file).status, 0);
  std::istringstream lines(content(file));
  std::size_t compared = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("<title>etcd-mutex, ") == std::string::npos) continue;
    ++compared;
    EXPECT_NE(picture.find(line), std::string::npos) << line << "\nscripts/envelope writes the picture anew";
  }
  EXPECT_EQ(compared, 3u);
  std::filesystem::remove(file);
}

TEST(EnvelopeCommand, NamesTheNearestLock) {
  const Ran ran = run_picklock("envelope redlok");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(has(ran, "did you mean 'redlock'")) << ran.out;
}

// A lock whose page says that it has bugs is refuted, and the exit status says so.
TEST(EnvelopeCommand, RefutesAClaim) {
  const Ran ran = run_picklock("envelope redisson-handmade-watchdog --hazard section --seeds 2");
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_TRUE(has(ran, "wrong, seed 1")) << ran.out;
}

struct Defect {
  std::string scenario, twin, property, source, mended;
};
std::vector<Defect> zoo() {
  std::vector<Defect> all;
  std::istringstream in(page("scenarios/zoo.tsv"));
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream cells(line);
    Defect d;
    std::getline(cells, d.scenario, '\t');
    std::getline(cells, d.twin, '\t');
    std::getline(cells, d.property, '\t');
    std::getline(cells, d.source, '\t');
    std::getline(cells, d.mended, '\t');
    all.push_back(std::move(d));
  }
  return all;
}

TEST(Zoo, NamesDefectsThatAHuntCanTellFromTheirTwins) {
  const std::vector<Defect> all = zoo();
  EXPECT_GE(all.size(), 80u);
  std::set<std::string> seen;
  for (const Defect& d : all) {
    EXPECT_TRUE(seen.insert(d.scenario).second) << d.scenario << " stands there twice";
    EXPECT_TRUE(find_property(d.property)) << d.property;
    EXPECT_FALSE(d.source.empty() || d.mended.empty()) << d.scenario;
    const ScenarioFile defective = load_scenario(d.scenario), mended = load_scenario(d.twin);
    ASSERT_TRUE(defective.ok()) << d.scenario;
    ASSERT_TRUE(mended.ok()) << d.twin;
    EXPECT_EQ(no_twin(defective.scenario, mended.scenario), "") << d.scenario;
  }
}

TEST(Zoo, ItsPageHasEveryDefect) {
  const std::string text = page("docs/zoo.md");
  for (const Defect& d : zoo()) {
    EXPECT_NE(text.find("| `" + d.scenario + "` | `" + d.twin + "` |"), std::string::npos)
        << d.scenario << ": scripts/zoo writes the page anew";
  }
}

}  // namespace
