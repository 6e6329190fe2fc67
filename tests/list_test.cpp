// `picklock list`, the way in: an overview of what is long, narrowed by topics and words; data formats have every entry.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "algorithms/families.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/topics.hpp"
#include "tests/command_runs.hpp"

namespace picklock::testing {
namespace list_test {

const std::vector<std::string> kListings = {"all",  "locks",  "faults",     "workloads",  "scenarios",   "tags",
                                            "keys", "models", "properties", "conditions", "assumptions", "marks"};

// Lines, none of them wider than a terminal of 100 columns.
std::vector<std::string> table_of(const std::string& arguments) {
  const Ran ran = run_picklock(arguments);
  EXPECT_EQ(ran.status, 0) << ran.out;
  std::vector<std::string> lines;
  std::istringstream in(ran.out);
  for (std::string line; std::getline(in, line);) {
    const auto columns = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
    EXPECT_LE(columns, 100) << line;
    lines.push_back(line);
  }
  return lines;
}

bool one_begins_with(const std::vector<std::string>& lines, const std::string& start) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& l) { return l.starts_with(start); });
}

std::vector<std::string> names_of(const std::string& arguments) {
  std::vector<std::string> names;
  const auto list = nlohmann::json::parse(run_picklock(arguments + " --format json").out);
  for (const auto& entry : list["entries"]) names.push_back(entry["name"]);
  return names;
}

TEST(List, TablesHave100Columns) {
  for (const std::string& what : kListings) {
    EXPECT_GT(table_of("list " + what).size(), 2U) << what;
    EXPECT_GT(table_of("list " + what + " --all").size(), 2U) << what;
  }
}

TEST(List, LongListingsAreOverviews) {
  for (const char* const what :
       {"scenarios", "locks", "scenarios redis", "scenarios zookeeper", "scenarios partition"}) {
    const std::size_t lines = table_of(std::string("list ") + what).size();
    EXPECT_LE(lines, 50U) << what;
    EXPECT_GT(lines, 15U) << what;
  }
  EXPECT_GT(table_of("list scenarios --all").size(), 1000U);
}

// The count of a topic is the number of its scenarios, and its example is one of them.
TEST(List, TopicsCountTheirScenarios) {
  const auto overview = table_of("list scenarios");
  std::map<std::string, std::set<std::string>> scenarios;
  for (const LibraryEntry& scenario : library_scenarios()) {
    for (const std::string& tag : scenario.tags) scenarios[tag].insert(scenario.name);
  }
  for (const Topic& topic : topics()) {
    const std::string tag(topic.tag);
    const auto line =
        std::find_if(overview.begin(), overview.end(), [&](const std::string& l) { return l.starts_with(tag + " "); });
    ASSERT_NE(line, overview.end()) << tag;
    std::istringstream words(line->substr(tag.size()));
    std::size_t count = 0;
    words >> count;
    EXPECT_EQ(scenarios[tag].size(), count) << *line;
    EXPECT_EQ(scenarios[tag].count(line->substr(line->rfind(' ') + 1)), 1U) << *line;
    EXPECT_NE(line->find(topic.meaning), line->npos) << *line;
  }
  for (const char* const tag : {"clock", "redis", "redisson-5761"}) {
    const auto names = names_of(std::string("list scenarios ") + tag);
    EXPECT_EQ((std::set<std::string>{names.begin(), names.end()}), scenarios[tag]) << tag;
  }
}

TEST(List, EveryTagIsATopicOrAnIssue) {
  std::set<std::string> known, used;
  for (const Topic& topic : topics()) EXPECT_TRUE(known.emplace(topic.tag).second) << topic.tag << " stands twice";
  for (const LibraryEntry& scenario : library_scenarios()) {
    for (const std::string& tag : scenario.tags) {
      EXPECT_TRUE(known.count(tag) == 1 || is_issue(tag)) << scenario.name << ": " << tag << " has no meaning";
      used.insert(tag);
    }
  }
  for (const std::string& topic : known) EXPECT_TRUE(used.count(topic)) << "no scenario has the topic " << topic;
  EXPECT_TRUE(is_issue("redisson-5761"));
  for (const char* const no_issue : {"redis-py", "clock", "redlock-", "5761"})
    EXPECT_FALSE(is_issue(no_issue)) << no_issue;
}

TEST(List, TopicsNarrowStepByStep) {
  const auto redis = table_of("list scenarios redis"), both = table_of("list scenarios redis clock");
  EXPECT_TRUE(one_begins_with(redis, "clock "));
  EXPECT_FALSE(one_begins_with(redis, "redis ")) << "every one of them has it";
  EXPECT_FALSE(one_begins_with(redis, "zookeeper ")) << "none of them has it";
  EXPECT_TRUE(one_begins_with(redis, "'picklock list scenarios redis TOPIC' "));
  EXPECT_TRUE(one_begins_with(both, "redlock_clock_jump "));
  const auto names = names_of("list scenarios redis clock");
  EXPECT_EQ(std::find(names.begin(), names.end(), "kubernetes_lease_fast_clock"), names.end());
}

TEST(List, ScenariosByTagAndByWord) {
  const auto all = table_of("list scenarios --all"), clock = table_of("list scenarios --tag clock"),
             seats = table_of("list scenarios seats"), both = table_of("list scenarios --tag redis --tag clock jump");
  EXPECT_TRUE(one_begins_with(all, "paused_holder "));
  EXPECT_TRUE(one_begins_with(all, "  /fenced ")) << "below its scenario";
  EXPECT_TRUE(one_begins_with(clock, "redlock_clock_jump "));
  EXPECT_FALSE(one_begins_with(clock, "seats_"));
  EXPECT_TRUE(one_begins_with(seats, "seats_as_written "));
  EXPECT_TRUE(one_begins_with(seats, "  /repaired "));
  EXPECT_FALSE(one_begins_with(seats, "paused_holder"));
  EXPECT_TRUE(one_begins_with(both, "redlock_clock_jump "));
  const auto list = nlohmann::json::parse(run_picklock("list scenarios --tag clock --format json").out);
  for (const auto& entry : list["entries"])
    EXPECT_NE(entry["tags"].get<std::string>().find("clock"), std::string::npos) << entry;
}

TEST(List, WordsThatNothingHasAreNamedWithTheNearest) {
  EXPECT_EQ(table_of("list scenarios no such words"),
            (std::vector<std::string>{"picklock list scenarios: nothing matches no such words"}));
  EXPECT_EQ(table_of("list scenarios redis clok"),
            (std::vector<std::string>{"picklock list scenarios: nothing matches redis clok; did you mean 'clock'?"}));
  EXPECT_EQ(table_of("list locks redlok"),
            (std::vector<std::string>{"picklock list locks: nothing matches redlok; did you mean 'redlock'?"}));
  EXPECT_EQ(table_of("list locks kazoo curator"),
            (std::vector<std::string>{"picklock list locks: nothing matches kazoo curator"}))
      << "each word has its locks";
}

TEST(List, LocksByFamilyServiceAndWord) {
  const auto overview = table_of("list locks");
  for (const LockFamily& family : lock_families()) {
    EXPECT_TRUE(one_begins_with(overview, std::string(family.name) + " ")) << family.name;
    EXPECT_EQ(names_of("list locks " + std::string(family.name)).size(), family.kinds().size()) << family.name;
  }
  for (const std::string& name : names_of("list locks"))
    EXPECT_TRUE(std::any_of(overview.begin(), overview.end(), [&](const std::string& line) {
      return (", " + line.substr(line.find_first_not_of(' ') == std::string::npos ? 0 : line.find_first_not_of(' ')) +
              ",")
                 .find(", " + name + ",") != std::string::npos;
    })) << name;
  const auto redisson = table_of("list locks redisson"), zookeeper = table_of("list locks zookeeper");
  EXPECT_TRUE(one_begins_with(redisson, "redisson-lock "));
  EXPECT_FALSE(one_begins_with(redisson, "set-nx-px "));
  EXPECT_TRUE(one_begins_with(zookeeper, "curator-mutex ")) << "its service";
}

TEST(List, ANameTellsAllOfItsEntry) {
  const auto redlock = table_of("list locks redlock");
  EXPECT_TRUE(one_begins_with(redlock, "    safe if = "));
  EXPECT_EQ(std::count_if(redlock.begin(), redlock.end(),
                          [](const std::string& line) { return line.starts_with("    source = "); }),
            1)
      << "the others of its family have a line each";
  EXPECT_TRUE(one_begins_with(redlock, "redsync "));
  EXPECT_TRUE(one_begins_with(table_of("list faults pause"), "    lasts = "));
  EXPECT_FALSE(one_begins_with(table_of("list faults"), "    lasts = "));
  EXPECT_TRUE(one_begins_with(table_of("list faults --all"), "    lasts = "));
  EXPECT_TRUE(one_begins_with(table_of("list keys clients.hold"), "    default = 50ms"));
}

TEST(List, DataHaveEveryEntry) {
  for (const std::string& what : kListings) {
    const std::size_t entries = names_of("list " + what).size();
    std::istringstream names(run_picklock("list " + what + " --format names").out);
    std::size_t lines = 0;
    for (std::string line; std::getline(names, line);) ++lines;
    EXPECT_EQ(lines, entries) << what;
  }
  EXPECT_EQ(names_of("list scenarios").size(), library_scenarios().size());
  EXPECT_EQ(names_of("list locks").size(), lock_kinds().size());
  for (const char* const format : {"json", "names", "markdown"}) {
    const Ran ran = run_picklock(std::string("list locks --all --format ") + format);
    EXPECT_EQ(ran.status, 2) << format;
    EXPECT_TRUE(has(ran, "--all needs --format text")) << ran.out;
  }
}

TEST(List, AMissingLibraryIsAnError) {
  for (const char* const asks : {"list scenarios", "list tags", "list scenarios --format json", "run paused_holder"}) {
    const Ran ran = run_shell(std::string("PICKLOCK_LIBRARY=/no/such/folder ") + PICKLOCK_BINARY + " " + asks);
    EXPECT_EQ(ran.status, 2) << asks << ": " << ran.out;
    EXPECT_TRUE(has(ran, "no library of scenarios in /no/such/folder")) << asks << ": " << ran.out;
  }
}

// A library of the user's has topics of its own: tags without a meaning stand behind those with one.
TEST(List, TagsOfOtherLibrariesAreTopicsToo) {
  const std::string folder = scratch("list_library");
  std::filesystem::create_directories(folder);
  for (int i = 0; i < 50; ++i)
    std::ofstream(folder + "/s" + std::to_string(i) + ".toml")
        << "# A scenario.\ntags = [\"" << (i < 3 ? "mine" : "pause") << "\", \"ours-17\"]\nlock = \"setnx\"\n"
        << "clients = [ { name = \"a\" } ]\n";
  const Ran ran = run_shell("PICKLOCK_LIBRARY=" + folder + " " + PICKLOCK_BINARY + " list scenarios");
  EXPECT_TRUE(has(ran, "\nmine    3 ")) << ran.out;
  EXPECT_TRUE(has(ran, "\npause  47  a process stops")) << ran.out;
  EXPECT_FALSE(has(ran, "ours-17")) << ran.out;
  std::filesystem::remove_all(folder);
}

}  // namespace list_test
}  // namespace picklock::testing
