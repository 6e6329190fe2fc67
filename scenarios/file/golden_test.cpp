// The errors of wrong files: testdata/x.toml beside testdata/x.expected, which holds the errors, or
// the scenario as it is written again if there are none.
//
//   PICKLOCK_REWRITE_GOLDEN=1 build/release/scenarios/file/scenarios_file_tests --gtest_filter='Golden.*'
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "scenarios/file/read.hpp"
#include "scenarios/file/write.hpp"

namespace picklock {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Golden, ErrorsOfWrongFiles) {
  const fs::path folder = fs::path(PICKLOCK_SOURCE_DIR) / "scenarios/file/testdata";
  const bool rewrite = std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr;
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    ++files;
    const ScenarioFile file = read_scenario(contents(entry.path()), entry.path().filename().string());
    std::string text;
    for (const ScenarioError& e : file.errors) text += print(e) + "\n";
    if (file.ok()) text = write_scenario(file.scenario);
    const fs::path expected = fs::path(entry.path()).replace_extension(".expected");
    if (rewrite) std::ofstream(expected, std::ios::binary) << text;
    EXPECT_EQ(text, contents(expected)) << entry.path();
  }
  EXPECT_GE(files, 10);
}

}  // namespace
}  // namespace picklock
