// The programs of docs/comparing.md, on data that the command writes, where R and pandas are installed.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/command_runs.hpp"

namespace picklock::testing {
namespace data_snippets_test {

// The first block of the page in this language.
std::string block(const std::string& language) {
  const std::string page = content(PICKLOCK_SOURCE_DIR "/docs/comparing.md"), fence = "```" + language + "\n";
  const std::size_t begin = page.find(fence);
  if (begin == std::string::npos) return "";
  return page.substr(begin + fence.size(), page.find("```", begin + fence.size()) - begin - fence.size());
}

// Runs the block in a folder that has a sweep.csv; says what it printed, and its exit status.
Ran run_block(const std::string& language, const std::string& program) {
  const std::string folder = scratch("snippets_" + language);
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/block") << block(language);
  const Ran sweep = run_picklock(
      "sweep paused_holder --vary lock.ttl=200ms,250ms,300ms --seeds 40 --format csv --out " + folder + "/sweep.csv");
  EXPECT_EQ(sweep.status, 0) << sweep.out;
  const Ran ran = run_shell("cd " + folder + " && " + program + " block");
  std::filesystem::remove_all(folder);
  return ran;
}

TEST(DataSnippets, RComputesTheSameIntervals) {
  ASSERT_NE(block("r"), "");
  if (run_shell("Rscript --version").status != 0) GTEST_SKIP() << "there is no R";
  const Ran ran = run_block("r", "Rscript");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_NE(ran.out.find("set-nx-px"), std::string::npos) << ran.out;
}

TEST(DataSnippets, PandasReadsTheTable) {
  ASSERT_NE(block("python"), "");
  std::string python;
  for (const std::string one : {"python3", "/usr/bin/python3"}) {
    if (python.empty() && run_shell(one + " -c 'import pandas'").status == 0) python = one;
  }
  if (python.empty()) GTEST_SKIP() << "there is no pandas";
  const Ran ran = run_block("python", python);
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_NE(ran.out.find("mutual-exclusion"), std::string::npos) << ran.out;
}

}  // namespace data_snippets_test
}  // namespace picklock::testing
