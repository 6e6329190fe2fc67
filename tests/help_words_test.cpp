// Helps, summaries, headings and head comments make sense when they are read alone: none begins in mid-sentence.
//
// Users see them one by one, in `picklock list`; so that is what is read here, with every option of every table.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), n);
  return pclose(pipe) == 0 ? text : "";
}

bool begins_in_mid_sentence(const std::string& text) {
  static const std::regex beginning("^(what|whatever|who|whoever|whom|whose|which|that|then|of|likewise|the same)\\b",
                                    std::regex::icase);
  return std::regex_search(text, beginning);
}

// Words that point to a sentence before this one.
bool points_elsewhere(const std::string& text) {
  static const std::regex words("\\b(whoever|likewise|as above|so many|so much|how-manieth)\\b", std::regex::icase);
  return std::regex_search(text, words);
}

void expect_stands_alone(const std::string& text, const std::string& where) {
  EXPECT_FALSE(begins_in_mid_sentence(text)) << where << ": " << text;
  EXPECT_FALSE(points_elsewhere(text)) << where << ": " << text;
}

// Options are listed as "default  [choices]  (help)".
std::string help_of(const std::string& value) {
  const auto begin = value.find("  (");
  return begin != std::string::npos && value.back() == ')' ? value.substr(begin + 3) : value;
}

TEST(HelpWords, ABeginningInMidSentenceIsNoticed) {
  EXPECT_TRUE(begins_in_mid_sentence(help_of("wait  [wait|go-on]  (what it does once a majority has decided)")));
  EXPECT_TRUE(begins_in_mid_sentence("Then sets one expiry at all"));
  EXPECT_FALSE(begins_in_mid_sentence(help_of("5ms..10ms  (pause between two attempts, of which there are many)")));
  EXPECT_TRUE(begins_in_mid_sentence("The same pause, and a resource that looks at tokens."));
  EXPECT_FALSE(begins_in_mid_sentence("whole hosts stop"));
  EXPECT_TRUE(points_elsewhere("polls with TryLock, so often and so many times"));
  EXPECT_TRUE(points_elsewhere("the lease, likewise"));
  EXPECT_FALSE(points_elsewhere("number of lost segments per million"));
}

TEST(HelpWords, EveryHelpAndSummaryStandsAlone) {
  std::size_t read = 0;
  for (const char* const what : {"locks", "faults", "workloads", "scenarios", "models", "properties", "conditions",
                                 "assumptions", "marks", "tags", "keys"}) {
    const auto list = nlohmann::json::parse(
        output_of(std::string(PICKLOCK_BINARY) + " list " + what + " --format json"), nullptr, false);
    ASSERT_TRUE(list.is_object() && list.contains("entries")) << "picklock list " << what;
    for (const auto& entry : list["entries"]) {
      for (const auto& [key, value] : entry.items()) {
        if (key == "name" || key == "tags" || !value.is_string()) continue;
        const std::string help = help_of(value.get<std::string>());
        expect_stands_alone(help, std::string(what) + ", " + entry.value("name", "") + ", " + key);
        ++read;
      }
    }
  }
  EXPECT_GT(read, 1000u);
}

// Of a page: its headings, outside of code.  Of a source: its first line, if that is a comment.
std::vector<std::string> headings_of(std::istream& text, bool page) {
  std::vector<std::string> all;
  bool code = false;
  for (std::string line; std::getline(text, line);) {
    if (!page) {
      if (line.starts_with("// ")) all.push_back(line.substr(3));
      break;
    }
    if (line.starts_with("```")) code = !code;
    const std::size_t title = line.find_first_not_of('#');
    if (!code && title != 0 && title != std::string::npos && line[title] == ' ') all.push_back(line.substr(title + 1));
  }
  return all;
}

TEST(HelpWords, HeadingsAreFoundOutsideOfCodeOnly) {
  std::istringstream page("# Locks\n\ntext\n```\n# What a shell says\n```\n## What faults do\n#hash\n");
  EXPECT_EQ(headings_of(page, true), (std::vector<std::string>{"Locks", "What faults do"}));
  std::istringstream source("// What it is.\n// More.\n"), none("#pragma once\n// Later.\n");
  EXPECT_EQ(headings_of(source, false), (std::vector<std::string>{"What it is."}));
  EXPECT_TRUE(headings_of(none, false).empty());
}

TEST(HelpWords, HeadingsAndHeadCommentsStandAlone) {
  namespace fs = std::filesystem;
  const fs::path root = PICKLOCK_SOURCE_DIR;
  std::size_t read = 0;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    const fs::path& path = entry->path();
    const std::string name = path.filename().string(), extension = path.extension().string();
    if (entry->is_directory() && (name == "build" || name.starts_with("."))) entry.disable_recursion_pending();
    const bool page = extension == ".md";
    if (!entry->is_regular_file() || (!page && extension != ".hpp" && extension != ".cpp")) continue;
    std::ifstream text(path);
    for (const std::string& heading : headings_of(text, page)) {
      EXPECT_FALSE(begins_in_mid_sentence(heading)) << fs::relative(path, root).string() << ": " << heading;
      ++read;
    }
  }
  EXPECT_GT(read, 800u);
}

// A comment behind code is read alone, beside its line: it opens no sentence in the middle. None hides its actor.
bool is_riddle(const std::string& line) {
  static const std::regex trailing(
      R"([;{,)] +// (of|that|which|what|who|whose|whom|then|than|by|as|for|to|from|with|and|or|but|in|on) )");
  static const std::regex words(R"(//.*\b(nobody|whoever|likewise|as above|so many)\b)", std::regex::icase);
  return std::regex_search(line, trailing) || std::regex_search(line, words);
}

TEST(CommentWords, RiddlesAreNoticed) {
  EXPECT_TRUE(is_riddle("  int n = 0;  // of servers that answered"));
  EXPECT_TRUE(is_riddle("// nobody keeps it"));
  EXPECT_FALSE(is_riddle("  int n = 0;  // number of servers that answered"));
}

TEST(CommentWords, EveryCommentStandsAlone) {
  namespace fs = std::filesystem;
  std::size_t files = 0;
  for (const char* const folder : {"algorithms", "app", "base", "bridge", "campaigns", "checker", "faults",
                                   "instruments", "reports", "scenarios", "sim", "statistics", "testkit"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(PICKLOCK_SOURCE_DIR) / folder)) {
      const fs::path extension = entry.path().extension();
      if (extension != ".hpp" && extension != ".cpp") continue;
      ++files;
      std::ifstream text(entry.path());
      std::size_t number = 0;
      for (std::string line; std::getline(text, line);) {
        ++number;
        EXPECT_FALSE(is_riddle(line)) << entry.path().string() << ":" << number << ": " << line;
      }
    }
  }
  EXPECT_GT(files, 800u);
}

}  // namespace
