// Manual page and completions say all that the command knows, because they are made from its tables.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/command_runs.hpp"

namespace {

using namespace picklock::testing;

std::vector<std::string> commands() {
  const std::string help = run_picklock("--help").out;
  std::istringstream in(help.substr(help.find("Subcommands:") + 12));
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line) && (line.empty() || line.rfind("  ", 0) == 0);) {
    if (line.size() > 3 && line[2] != ' ') all.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return all;
}

TEST(Described, EveryShellKnowsEveryCommand) {
  ASSERT_GT(commands().size(), 8u);
  for (const char* form : {"man", "bash", "zsh", "fish"}) {
    const Ran ran = run_picklock(std::string("describe ") + form);
    EXPECT_EQ(ran.status, 0);
    for (const std::string& command : commands()) EXPECT_TRUE(has(ran, command)) << form << ": " << command;
    for (const char* option : {"seeds", "junit", "within", "vary"}) EXPECT_TRUE(has(ran, option)) << form << option;
  }
  EXPECT_EQ(run_picklock("describe csh").status, 2);
}

TEST(Described, BashTakesItsCompletion) {
  const std::string file = scratch("completion");
  std::ofstream(file) << run_picklock("describe bash").out;
  const auto complete = [&](const std::string& words, int at) {
    return run_shell("bash -c '. " + file + "; COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
                     "; _picklock; echo \"${COMPREPLY[@]}\"'");
  };
  EXPECT_EQ(run_shell("bash -n " + file).status, 0);
  EXPECT_EQ(complete("picklock expl", 1).out, "explain\n");
  EXPECT_EQ(complete("picklock regress --jun", 2).out, "--junit\n");
  EXPECT_TRUE(has(complete("picklock run --see", 2), "--seed --seeds"));
  std::filesystem::remove(file);
}

// roff takes a line that begins with a dot for an order: all of them must be known ones.
TEST(Described, TheManualPageHasOnlyOrdersThatThereAre) {
  std::istringstream in(run_picklock("describe man").out);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || (line[0] != '.' && line[0] != '\'')) continue;
    const std::string order = line.substr(0, line.find(' '));
    const std::vector<std::string> known = {".TH", ".SH", ".TP", ".B", ".I", ".RI", ".PP", ".nf", ".fi"};
    EXPECT_NE(std::find(known.begin(), known.end(), order), known.end()) << line;
  }
}

}  // namespace
