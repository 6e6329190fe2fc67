// Helps and summaries make sense when they are read alone: none begins in mid-sentence.
//
// Users see them one by one, in `picklock list`; so that is what is read here, with every option of every table.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
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
  static const std::regex beginning("^(what|whatever|who|whoever|whom|whose|which|that|then|of)\\b", std::regex::icase);
  return std::regex_search(text, beginning);
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
  EXPECT_FALSE(begins_in_mid_sentence("whole hosts stop"));
}

TEST(HelpWords, EveryHelpAndSummaryStandsAlone) {
  std::size_t read = 0;
  for (const char* const what : {"locks", "faults", "workloads", "scenarios", "models", "properties", "conditions",
                                 "assumptions", "marks", "tags"}) {
    const auto list = nlohmann::json::parse(
        output_of(std::string(PICKLOCK_BINARY) + " list " + what + " --format json"), nullptr, false);
    ASSERT_TRUE(list.is_object() && list.contains("entries")) << "picklock list " << what;
    for (const auto& entry : list["entries"]) {
      for (const auto& [key, value] : entry.items()) {
        if (key == "name" || key == "tags" || !value.is_string()) continue;
        const std::string help = help_of(value.get<std::string>());
        EXPECT_FALSE(begins_in_mid_sentence(help))
            << what << ", " << entry.value("name", "") << ", " << key << ": " << help;
        ++read;
      }
    }
  }
  EXPECT_GT(read, 1000u);
}

// The page of every key of a scenario file is written by the program (scenarios/file/keys_test.cpp).
TEST(HelpWords, EveryKeyOfAScenarioFileIsExplainedAlone) {
  std::ifstream page(PICKLOCK_SOURCE_DIR "/scenarios/file/README.md");
  const std::regex row("^\\| `[^`]+` \\|.*\\| ([^|]+) \\|$");
  std::size_t read = 0;
  for (std::string line; std::getline(page, line);) {
    std::smatch cells;
    if (!std::regex_match(line, cells, row)) continue;
    EXPECT_FALSE(begins_in_mid_sentence(cells[1])) << line;
    ++read;
  }
  EXPECT_GT(read, 200u);
}

}  // namespace
