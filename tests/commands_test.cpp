// Each command stands in its own file of app/, and an option that several commands have is stated once.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace picklock {
namespace commands_test {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;  // by name

Files sources_of_app() {
  Files files;
  for (const auto& entry : fs::directory_iterator(PICKLOCK_SOURCE_DIR "/app")) {
    if (entry.path().extension() != ".cpp") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    files[entry.path().filename().string()] = text.str();
  }
  return files;
}

// Files in which the pattern's group is found, by what the group holds; a file stands as often as it is found there.
std::map<std::string, std::multiset<std::string>> found_in(const Files& files, const char* pattern) {
  const std::regex regex(pattern);
  std::map<std::string, std::multiset<std::string>> found;
  for (const auto& [name, text] : files) {
    for (std::sregex_iterator i(text.begin(), text.end(), regex), end; i != end; ++i) found[(*i)[1]].insert(name);
  }
  return found;
}

std::map<std::string, std::multiset<std::string>> options_stated(const Files& files) {
  return found_in(files, R"re(add_\w+(?:<[^>]*>)?\(\s*(?:app,\s*)?"(--[a-z-]+)")re");
}

// Options whose meaning, and therefore whose help, differs between commands.
const std::map<std::string, std::string> kMeaningsDiffer = {
    {"--all", "every line of a story, or every entry of a listing"},
    {"--against", "a run to show beside, or a scenario that a hunt must not break"},
    {"--dot", "the slice of a run, or a contradiction of a history"},
    {"--html", "a page of a run, of an explanation, or of a history"},
    {"--into", "a folder for a new lock, or the store of a merge"},
    {"--lock", "a lock to replace, to compare, to hunt, to regress or to export"},
    {"--out", "a folder of a run's files, a table, or a folder of findings"},
    {"--property", "properties to judge, to hunt or to estimate"},
    {"--seeds", "seeds to play, or how many of them each hazard has"},
    {"--set", "one value of a scenario, or of all combinations"},
    {"--store", "results of runs, or findings"},
    {"--svg", "the picture of a run, or of envelopes"},
    {"--vary", "values of a grid, or what plans draw"},
    {"--format", "text and JSON, or with a third format"},
};

TEST(Commands, EachStandsInAFileOfItsOwn) {
  const Files files = sources_of_app();
  const auto stated = found_in(files, R"((?:^|\n)CommandBody state_(\w+)\()");
  EXPECT_GE(stated.size(), 17u);
  std::set<std::string> homes;
  for (const auto& [command, where] : stated) {
    ASSERT_EQ(where.size(), 1u) << command;
    EXPECT_TRUE(homes.insert(*where.begin()).second) << *where.begin() << " has several commands";
  }
  EXPECT_EQ(options_stated({{"main.cpp", files.at("main.cpp")}}).size(), 0u) << "main.cpp is a table";
}

TEST(Commands, StateASharedOptionOnce) {
  const auto stated = options_stated(sources_of_app());
  EXPECT_EQ(stated.count("--jobs"), 1u);
  for (const auto& [option, where] : stated) {
    EXPECT_EQ(where.size() > 1, kMeaningsDiffer.count(option) > 0)
        << option << " is stated " << where.size() << " times; what commands share belongs in shared_options.cpp";
  }
}

TEST(Commands, TheScanSeesAnOptionStatedTwice) {
  const auto stated = options_stated({{"a.cpp", "  app.add_option(\n      \"--jobs\", jobs, \"\");"},
                                      {"b.cpp", "add_path(app, \"--jobs\", x); kept(\"--other\");"},
                                      {"c.cpp", "app.add_option_function<std::string>(\"--one\", take);"}});
  EXPECT_EQ(stated.at("--jobs").size(), 2u);
  EXPECT_EQ(stated.at("--one").size(), 1u);
  EXPECT_EQ(stated.count("--other"), 0u);
}

}  // namespace commands_test
}  // namespace picklock
