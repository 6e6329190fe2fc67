// README.md and the pages of docs/ that show output: every command is played, and copies of files are equal to the files.
//
// PICKLOCK_REWRITE_GOLDEN=1 writes outputs and copies into the pages (scripts/update-readme).

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/command_runs.hpp"
#include "tests/markdown.hpp"
#include "tests/page_blocks.hpp"

namespace picklock::testing {
namespace played_pages_test {

namespace fs = std::filesystem;

const fs::path kRoot = PICKLOCK_SOURCE_DIR;

// The guide's chapters have a test of their own (guide_test.cpp), and so has the page that makes a project (own_lock_page_test.cpp).
std::vector<fs::path> played_pages() {
  std::vector<fs::path> pages;
  for (const fs::path& page : all_pages()) {
    const std::string text = content(page), name = fs::relative(page, kRoot);
    if (name.starts_with("docs/guide/") || name == "docs/own_lock.md") continue;
    const bool shows = text.find("\n```console\n") != text.npos || text.find("\n```sh\n") != text.npos ||
                       text.find("\n<!-- copy of ") != text.npos;
    if (shows && (name == "README.md" || name.starts_with("docs/"))) pages.push_back(page);
  }
  return pages;
}

// "<!-- copy of examples/x.cpp -->" at the end of a text: the file whose copy the next block is.
fs::path copied_file(const std::string& text) {
  const std::string before = "<!-- copy of ";
  const std::size_t at = text.rfind(before), end = text.rfind(" -->\n");
  if (at == text.npos || end == text.npos || end + 5 != text.size()) return {};
  return kRoot / text.substr(at + before.size(), end - at - before.size());
}

// The page as it should be. Blocks of console show outputs; those of sh are played in the same folder, and must be understood.
std::string played(const std::string& page, const std::string& folder) {
  const std::string program = fs::path(PICKLOCK_BINARY).parent_path().string();
  const auto run = [&](const std::string& command) {
    return run_shell("cd '" + folder + "' && PATH='" + program + "':\"$PATH\" && " + command +
                     "\n");  // the command may end in a comment
  };
  std::string now;
  for (PagePart part : parts_of_page(page)) {
    if (part.language == "console")
      part.text = played_block(part.text, [&](const std::string& command) { return run(command).out; });
    if (part.language == "sh") {
      std::istringstream commands(part.text);
      for (std::string command; std::getline(commands, command);) {
        if (!command.starts_with("picklock ")) continue;
        const Ran ran = run(command);
        EXPECT_TRUE(ran.status == 0 || ran.status == 1 || ran.status == 3) << command << "\n" << ran.out;
      }
    }
    if (const fs::path file = copied_file(now); part.block && !file.empty()) part.text = content(file);
    now += part.written();
  }
  return now;
}

class PlayedPages : public ::testing::TestWithParam<fs::path> {};

INSTANTIATE_TEST_SUITE_P(Docs, PlayedPages, ::testing::ValuesIn(played_pages()), [](const auto& instance) {
  std::string name = fs::relative(instance.param, kRoot).replace_extension();
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

TEST_P(PlayedPages, ShowWhatTheirCommandsPrint) {
  const std::string folder = scratch("page_" + GetParam().stem().string()), page = content(GetParam());
  fs::create_directories(folder);
  const std::string now = played(page, folder);
  if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(GetParam()) << now;
  } else {
    EXPECT_EQ(page, now);
  }
  fs::remove_all(folder);
}

TEST(PlayedPage, ReadmeIsOne) {
  const std::vector<fs::path> pages = played_pages();
  EXPECT_NE(std::find(pages.begin(), pages.end(), kRoot / "README.md"), pages.end());
}

TEST(PlayedPage, AnOldOutputAndAnOldCopyAreNoticed) {
  const std::string folder = scratch("page_made_up");
  fs::create_directories(folder);
  EXPECT_EQ(played("a\n```\nb\n```\n```console\n$ picklock --version\nold\n```\n<!-- copy of CITATION.cff "
                   "-->\n```yaml\nold\n```\n",
                   folder),
            "a\n```\nb\n```\n```console\n$ picklock --version\n" + run_picklock("--version").out +
                "```\n<!-- copy of CITATION.cff -->\n```yaml\n" + content(kRoot / "CITATION.cff") + "```\n");
  fs::remove_all(folder);
}

}  // namespace played_pages_test
}  // namespace picklock::testing
