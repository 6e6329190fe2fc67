// `picklock sweep` as a user meets it.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/command_runs.hpp"

namespace picklock::testing {
namespace sweep_test {

bool says(const Ran& ran, const std::string& text) { return ran.out.find(text) != std::string::npos; }

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Sweep, ShowsWhereALeaseIsLongEnough) {
  const Ran ran =
      run_picklock("sweep paused_holder --vary lock.ttl=100ms..400ms/100ms --seeds 20 --property mutual-exclusion");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_TRUE(says(ran, "paused_holder: 4 cells, seeds 1..20 in each")) << ran.out;
  const auto lines = lines_of(ran.out);
  const auto row = [&](const std::string& cell) {
    const auto found =
        std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.find(cell) != std::string::npos; });
    return found == lines.end() ? "" : *found;
  };
  EXPECT_TRUE(row("lock.ttl=100ms").find("100.00 %") != std::string::npos) << ran.out;
  EXPECT_TRUE(row("lock.ttl=400ms").find("0 %, below") != std::string::npos) << ran.out;
}

TEST(Sweep, TheDataHaveARowForEachCellAndProperty) {
  const std::string command =
      "sweep paused_holder --lock set-nx-px,redlock --vary 'fault[0].lasts=50ms,200ms' --seeds 10 "
      "--property mutual-exclusion,lost-update --format ";
  const Ran csv = run_picklock(command + "csv"), json = run_picklock(command + "json --jobs 1");
  ASSERT_EQ(csv.status, 0) << csv.out;
  const auto lines = lines_of(csv.out);
  ASSERT_EQ(lines.size(), 1u + 2 * 2 * 2);
  EXPECT_EQ(
      lines[0].rfind(
          "scenario,lock,fault[0].lasts,fault[0].lasts_ns,lease_ns,property,runs,held,violated,undecided,not_tested,",
          0),
      0u)
      << lines[0];
  const auto columns = std::count(lines[0].begin(), lines[0].end(), ',');
  for (const std::string& line : lines) EXPECT_EQ(std::count(line.begin(), line.end(), ','), columns) << line;
  const auto data = nlohmann::json::parse(json.out);
  ASSERT_EQ(data["rows"].size(), lines.size() - 1);
  for (const auto& row : data["rows"]) {
    EXPECT_EQ(row["runs"], row["held"].get<int>() + row["violated"].get<int>() + row["undecided"].get<int>() +
                               row["not_tested"].get<int>() + row["not_applicable"].get<int>());
    for (const auto& [column, value] : row.items()) EXPECT_EQ(column.find(' '), std::string::npos) << column;
  }
}

// A share of nothing is no share: an empty field, null, and exit status 3.
TEST(Sweep, ACellThatTestedNothingSaysSo) {
  const std::string command =
      "sweep paused_holder --vary clients.b.start=20s,10ms --seeds 5 --property mutual-exclusion";
  const Ran text = run_picklock(command);
  EXPECT_EQ(text.status, 3) << text.out;
  EXPECT_TRUE(says(text, "not tested")) << text.out;
  const auto rows = nlohmann::json::parse(run_picklock(command + " --format json").out)["rows"];
  EXPECT_TRUE(rows[0]["share_violated"].is_null());
  EXPECT_EQ(rows[0]["not_tested"], 5);
  EXPECT_FALSE(rows[1]["share_violated"].is_null());
}

TEST(Sweep, TheTableGoesIntoAFile) {
  const std::string file = scratch("sweep") + ".csv";
  const Ran ran = run_picklock("sweep paused_holder --seeds 5 --format csv --out " + file);
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(lines_of(content(file))[0].rfind("scenario,lock,", 0), 0u);
  std::filesystem::remove(file);
  EXPECT_EQ(run_picklock("sweep paused_holder --seeds 5 --out /nowhere/at/all.csv").status, 2);
}

TEST(Sweep, BadGridsAreErrors) {
  for (const std::string vary : {"lock.ttl", "lock.ttl=", "lock.ttl=1s,", "=1s"}) {
    const Ran ran = run_picklock("sweep paused_holder --vary " + vary);
    EXPECT_EQ(ran.status, 2) << vary;
    EXPECT_TRUE(says(ran, "FROM..TO/STEP")) << ran.out;
  }
  EXPECT_TRUE(says(run_picklock("sweep paused_holder --vary lock.ttl=1s..100s/1ms"), "at most 10000"));
  EXPECT_EQ(run_picklock("sweep paused_holder --vary lock.tll=1s,2s").status, 2);
}

TEST(Sweep, StopsWhereItsRuleSays) {
  const std::string command = "sweep paused_holder --set lock.ttl=245ms --seeds 100000 --property mutual-exclusion ";
  const Ran one = run_picklock(command + "--until-width 10% --format csv --jobs 1"),
            four = run_picklock(command + "--until-width 10% --format csv --jobs 4");
  EXPECT_EQ(one.status, 0) << one.out;
  EXPECT_EQ(one.out, four.out);
  EXPECT_TRUE(says(one, ",rule,")) << one.out;
  const Ran decided = run_picklock(command + "--until-decided 'P<0.5'");
  EXPECT_EQ(decided.status, 0) << decided.out;
  EXPECT_TRUE(says(decided, "P < 0.5 is refuted after ")) << decided.out;
  const Ran undecided = run_picklock("sweep paused_holder --seeds 10 --until-width 1%");
  EXPECT_EQ(undecided.status, 3) << undecided.out;
  EXPECT_TRUE(says(undecided, "not decided after 10 runs")) << undecided.out;
  EXPECT_EQ(run_picklock("sweep paused_holder --until-width 5").status, 2);
  EXPECT_EQ(run_picklock("sweep paused_holder --until-decided 'P>0.1'").status, 2);
}

}  // namespace sweep_test
}  // namespace picklock::testing
