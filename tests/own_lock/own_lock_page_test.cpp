// docs/own_lock.md from an empty folder: its commands run, its code is put in its place, its output is as it says.
//
// PICKLOCK_REWRITE_GOLDEN=1 writes the output into the page.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/command_runs.hpp"
#include "tests/page_blocks.hpp"

namespace picklock {
namespace own_lock_page_test {

namespace fs = std::filesystem;
using testing::content;
using testing::Ran;
using testing::run_shell;

const std::string kPage = PICKLOCK_SOURCE_DIR "/docs/own_lock.md";
const std::string kWork = PICKLOCK_BUILD_DIR "/own_lock_page";

// Runs in the folder that earlier commands have gone to.
Ran run_in(std::string& folder, const std::string& commands) {
  const std::string where = kWork + "/where";
  const Ran ran = run_shell("cd '" + folder + "' && export PATH='" + kWork +
                            "/installed/bin':\"$PATH\" CMAKE_GENERATOR=Ninja CXX=g++" + " CMAKE_PREFIX_PATH='" + kWork +
                            "/installed'; unset PICKLOCK_LIBRARY PICKLOCK_SEED PICKLOCK_EFFORT\n" + commands +
                            "\nstatus=$?; pwd >'" + where + "'; exit $status");
  folder = content(where);
  folder.erase(folder.find_last_not_of('\n') + 1);
  return ran;
}

// The function that begins with the code's first line, up to the line `last`, becomes the code.
void put_in_place(const std::string& file, const std::string& code, const std::string& last) {
  std::string text = content(file);
  const std::size_t begin = text.find(code.substr(0, code.find('\n')));
  const std::size_t end = text.find(last, begin);
  ASSERT_NE(begin, text.npos) << code;
  ASSERT_NE(end, text.npos) << code;
  text.replace(begin, end + last.size() - begin, code);
  std::ofstream(file) << text;
}

TEST(OwnLockPage, EveryStepDoesAsItSays) {
  fs::remove_all(kWork);
  fs::create_directories(kWork + "/empty");
  const Ran installed = run_shell("cmake --install " PICKLOCK_BUILD_DIR " --prefix '" + kWork + "/installed'");
  ASSERT_EQ(installed.status, 0) << installed.out;
  const bool rewrite = std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr;
  std::string folder = kWork + "/empty", compiled, now;
  std::size_t consoles = 0;
  for (const testing::PagePart& part : testing::parts_of_page(content(kPage))) {
    if (part.language == "console") {
      const std::string out =
          testing::played_block(part.text, [&](const std::string& command) { return run_in(folder, command).out; });
      if (!rewrite) {
        EXPECT_EQ(part.text, out);
      }
      now += "```console\n" + out + "```\n";
      ++consoles;
      continue;
    }
    if (part.language == "sh") {
      const Ran ran = run_in(folder, "set -e\n" + part.text);
      ASSERT_EQ(ran.status, 0) << part.text << ran.out;
    } else if (part.language == "cpp") {
      put_in_place(folder + "/my_lock.cpp", part.text, "\n  }\n");
      compiled = folder;
    } else if (part.language == "lua") {
      put_in_place(folder + "/your_lock.lua", part.text, "\nend\n");
    }
    now += part.written();
  }
  EXPECT_GT(consoles, 3u);
  if (rewrite) std::ofstream(kPage) << now;

  folder = compiled;
  // The whole command with this lock: the package's scenarios are found, and replays of runs.
  EXPECT_EQ(run_in(folder, "build/my_lock list locks my-lock | grep -q '^my-lock '").status, 0);
  EXPECT_EQ(run_in(folder, "build/my_lock list locks | grep -q '^added  *1  '").status, 0) << "a family of its own";
  const Ran run = run_in(folder, "build/my_lock run paused_holder --lock my-lock --seed 7");
  EXPECT_EQ(run.status, 1) << run.out;
  EXPECT_NE(run.out.find("again:  build/my_lock run paused_holder --lock my-lock --seed 7"), run.out.npos) << run.out;
  EXPECT_EQ(run_in(folder, "build/my_lock explain paused_holder --lock my-lock --jobs 1").status, 0);
  EXPECT_EQ(run_in(folder, "build/my_lock compare healthy_control --lock my-lock,set-nx-px --seeds 50").status, 0);
  fs::remove_all(kWork);
}

}  // namespace own_lock_page_test
}  // namespace picklock
