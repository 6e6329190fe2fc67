// Plays `picklock check` on small histories, and compares its answers with tests/testdata/check_sentences.txt.
//
// PICKLOCK_REWRITE_GOLDEN=1 writes the answers into the file.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/command_runs.hpp"

namespace {

using namespace picklock::testing;

bool starts(const std::string& line, const std::string& with) { return line.rfind(with, 0) == 0; }

// The file with the answers of today.
std::string played(const std::string& text, const std::string& folder) {
  std::istringstream lines(text);
  std::string out, file;
  std::filesystem::create_directories(folder);
  for (std::string line; std::getline(lines, line);) {
    if (starts(line, "> ")) continue;  // an answer of before
    out += line + "\n";
    if (starts(line, "file ")) {
      file = folder + "/" + line.substr(5);
      std::ofstream(file).flush();
    } else if (starts(line, "| ")) {
      std::ofstream(file, std::ios::app) << line.substr(2) << "\n";
    } else if (starts(line, "$ ")) {
      const Ran ran = run_shell("cd " + folder + "; picklock() { " + PICKLOCK_BINARY + " \"$@\"; }; " + line.substr(2));
      out += "> exit status " + std::to_string(ran.status) + "\n";
      std::istringstream answer(ran.out);
      for (std::string said; std::getline(answer, said);) out += "> " + said + "\n";
    }
  }
  return out;
}

TEST(CheckSentences, AreAnsweredAsWritten) {
  const std::string golden = std::string(PICKLOCK_SOURCE_DIR) + "/tests/testdata/check_sentences.txt";
  const std::string folder = scratch("check_sentences");
  const std::string written = content(golden);
  const std::string today = played(written, folder);
  std::filesystem::remove_all(folder);
  if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr) std::ofstream(golden) << today;
  ASSERT_NE(written.find("> exit status 1"), std::string::npos);
  EXPECT_EQ(today, written);
}

}  // namespace
