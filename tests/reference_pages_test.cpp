// docs/reference: each page is what the program says of itself.
//
// PICKLOCK_REWRITE_GOLDEN=1 writes the pages (scripts/update-reference).

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/command_runs.hpp"

namespace picklock::testing {
namespace reference_pages_test {

const std::string kFolder = PICKLOCK_SOURCE_DIR "/docs/reference/";

struct ReferencePage {
  std::string name, command;
};

// One for each listing, and one for the commands.
std::vector<ReferencePage> reference_pages() {
  std::vector<ReferencePage> pages = {{"commands", "describe markdown"}};
  std::istringstream listings(run_picklock("list --format names").out);
  for (std::string name; std::getline(listings, name);) pages.push_back({name, "list " + name + " --format markdown"});
  return pages;
}

TEST(ReferencePages, SayWhatTheProgramSays) {
  std::set<std::string> names;
  for (const ReferencePage& page : reference_pages()) {
    const Ran ran = run_picklock(page.command);
    ASSERT_EQ(ran.status, 0) << ran.out;
    const std::string file = page.name + ".md";
    if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr) std::ofstream(kFolder + file) << ran.out;
    EXPECT_TRUE(content(kFolder + file) == ran.out) << file << " differs: scripts/update-reference writes it anew";
    names.insert(file);
  }
  EXPECT_GT(names.size(), 10u);
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    EXPECT_TRUE(names.count(entry.path().filename())) << entry.path() << " is written by no command";
}

TEST(ReferencePages, HaveWhatAReaderLooksFor) {
  const std::string locks = content(kFolder + "locks.md"), keys = content(kFolder + "keys.md"),
                    faults = content(kFolder + "faults.md"), commands = content(kFolder + "commands.md");
  for (const char* const key : {"`clients.honours-deadline`", "`redis.appendonly`", "`phases.probe-patience`"})
    EXPECT_NE(keys.find(key), keys.npos) << key;
  for (const char* const part : {"## Family `redlock`", "### `redsync`", "| `drift-ppm` | `10000` |", "- *safe if*: "})
    EXPECT_NE(locks.find(part), locks.npos) << part;
  for (const char* const part : {"## `pause`", "| `lasts` |"}) EXPECT_NE(faults.find(part), faults.npos) << part;
  for (const char* const part : {"## `picklock run`", "| `--seeds TEXT` |"})
    EXPECT_NE(commands.find(part), commands.npos) << part;
}

}  // namespace reference_pages_test
}  // namespace picklock::testing
