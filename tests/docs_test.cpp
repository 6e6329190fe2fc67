// The pages agree with the tree: the glossary defines each term once, and files that pages name exist.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/markdown.hpp"

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = PICKLOCK_SOURCE_DIR;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

struct Term {
  std::string name, meaning;
};

std::vector<Term> terms_of(const std::string& page) {
  const std::regex row("\\| ([^|`]+) \\| ([^|]+) \\|");
  std::vector<Term> terms;
  std::istringstream in(page);
  for (std::string line; std::getline(in, line);) {
    std::smatch cells;
    if (std::regex_match(line, cells, row) && cells[1] != "term") terms.push_back({cells[1], cells[2]});
  }
  return terms;
}

// What is wrong with a glossary.
std::vector<std::string> faults_of(const std::vector<Term>& terms) {
  const std::regex mid_sentence("(what|who|whom|whose|which|that|then|of)\\b.*", std::regex::icase);
  std::vector<std::string> faults;
  std::set<std::string> seen;
  for (const Term& term : terms) {
    std::string key = term.name;
    std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return std::tolower(c); });
    if (!seen.insert(key).second) faults.push_back(term.name + " is defined twice");
    if (key != *seen.rbegin()) faults.push_back(term.name + " is out of order");
    if (std::regex_match(term.meaning, mid_sentence)) faults.push_back(term.name + " begins in mid-sentence");
    if (term.meaning.back() != '.') faults.push_back(term.name + " has no full stop");
  }
  return faults;
}

TEST(Glossary, DefinesEachTermOnceInOrder) {
  const std::vector<Term> terms = terms_of(text_of(kRoot / "docs/glossary.md"));
  EXPECT_GT(terms.size(), 40u);
  for (const std::string& fault : faults_of(terms)) ADD_FAILURE() << fault;
}

TEST(Glossary, AFaultyOneIsNoticed) {
  const auto page = "| b | That is it. |\n| a | A thing. |\n| B | Another |\n";
  EXPECT_EQ(faults_of(terms_of(page)), (std::vector<std::string>{"b begins in mid-sentence", "a is out of order",
                                                                 "B is defined twice", "B has no full stop"}));
}

// Files of ours that a page names, between backquotes or as plain words; examples (my_lock.hpp, FAMILY/…) are none.
std::vector<std::string> files_named_by(const std::string& page) {
  const std::regex name(
      "`([a-z_]+/[A-Za-z0-9_./-]*(?:\\.(?:cpp|hpp|md|toml|sh|cmake|txt)|/))`|"
      "[ (\n]([a-z_]+/[A-Za-z0-9_./-]*\\.(?:cpp|hpp|md|toml|tsv))\\b");
  std::vector<std::string> files;
  for (std::sregex_iterator i(page.begin(), page.end(), name); i != std::sregex_iterator(); ++i) {
    const std::string file = (*i)[1].matched ? (*i)[1] : (*i)[2];
    if (file.find("FAMILY") == std::string::npos && file.find("my_") == std::string::npos) files.push_back(file);
  }
  return files;
}

TEST(Pages, NamedFilesAreFound) {
  EXPECT_EQ(
      files_named_by(
          "`sim/core/` and (docs/no_such.md), docs/store.md. and/or `algorithms/FAMILY/my_lock.hpp` app/list.cpp"),
      (std::vector<std::string>{"sim/core/", "docs/no_such.md", "docs/store.md", "app/list.cpp"}));
}

TEST(Pages, NameOnlyFilesThatExist) {
  std::set<std::string> tops;
  for (const auto& top : fs::directory_iterator(kRoot)) {
    const std::string name = top.path().filename();
    if (top.is_directory() && name != "build" && name.front() != '.') tops.insert(name);
  }
  std::size_t named = 0;
  for (const fs::path& page : picklock::testing::all_pages()) {
    for (const std::string& file : files_named_by(text_of(page))) {
      if (tops.count(file.substr(0, file.find('/'))) == 0) continue;
      ++named;
      EXPECT_TRUE(fs::exists(kRoot / file) || fs::exists(page.parent_path() / file))
          << fs::relative(page, kRoot) << " names " << file;
    }
  }
  EXPECT_GT(named, 50u) << "the pages were not found";
}

}  // namespace
