// docs/guide: every command of every chapter is played, and its output is as the chapter says.
//
// PICKLOCK_REWRITE_GOLDEN=1 writes the output into the chapters (scripts/update-guide).

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/command_runs.hpp"
#include "tests/page_blocks.hpp"

namespace {

namespace fs = std::filesystem;
using namespace picklock::testing;

const fs::path kGuide = PICKLOCK_SOURCE_DIR "/docs/guide";

std::vector<fs::path> chapters() {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(kGuide)) {
    if (entry.path().extension() == ".md" && entry.path().filename() != "README.md") all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

// ![picklock run paused_holder](pictures/paused_holder.svg)
struct Picture {
  std::string command, file;
};
std::vector<Picture> pictures_of(const std::string& page) {
  static const std::regex kPicture(R"(!\[(picklock run [^\]]+)\]\((pictures/[a-z_]+\.svg)\))");
  std::vector<Picture> all;
  for (std::sregex_iterator i(page.begin(), page.end(), kPicture); i != std::sregex_iterator(); ++i)
    all.push_back({(*i)[1], (*i)[2]});
  return all;
}

class Guide : public ::testing::TestWithParam<fs::path> {};

INSTANTIATE_TEST_SUITE_P(Chapters, Guide, ::testing::ValuesIn(chapters()),
                         [](const auto& instance) { return instance.param.stem().string(); });

TEST_P(Guide, EveryCommandPrintsWhatTheChapterShows) {
  const std::string folder = scratch("guide_" + GetParam().stem().string());
  fs::create_directories(folder);
  const std::string program = fs::path(PICKLOCK_BINARY).parent_path().string();
  const bool rewrite = std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr;
  std::string now;
  for (PagePart part : parts_of_page(content(GetParam().string()))) {
    if (part.language == "console") {
      const std::string out = played_block(part.text, [&](const std::string& command) {
        return run_shell("cd '" + folder + "' && PATH='" + program + "':\"$PATH\" && " + command).out;
      });
      if (!rewrite) {
        EXPECT_EQ(part.text, out);
      }
      part.text = out;
    }
    now += part.written();
  }
  if (rewrite) std::ofstream(GetParam()) << now;
  fs::remove_all(folder);
}

TEST_P(Guide, EveryPictureIsOfItsRun) {
  const std::vector<Picture> pictures = pictures_of(content(GetParam().string()));
  EXPECT_EQ(pictures.size(), 1u);
  for (const Picture& picture : pictures) {
    const std::string file = (kGuide / picture.file).string();
    if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr)
      run_shell("mkdir -p '" + (kGuide / "pictures").string() + "' && '" PICKLOCK_BINARY "' " +
                picture.command.substr(picture.command.find(' ')) + " --svg '" + file + "'");
    const std::string svg = content(file), scenario = picture.command.substr(picture.command.rfind(' ') + 1);
    EXPECT_EQ(svg.rfind("<svg ", 0), 0u) << file;
    EXPECT_NE(svg.find("<title>" + scenario + ", seed 1:"), svg.npos) << file;
  }
}

TEST_P(Guide, AChapterHasRunsQuestionsAnExerciseAndAnswers) {
  const std::string page = content(GetParam().string());
  std::size_t at = 0;
  for (const char* heading : {"# ", "## Runs\n", "## Questions\n", "## Exercise\n", "## Answers\n"}) {
    const std::size_t found = page.find(heading, at);
    ASSERT_NE(found, page.npos) << heading;
    at = found + 1;
  }
  EXPECT_NE(page.find("```console\n$ picklock "), page.npos);
  EXPECT_NE(content((kGuide / "README.md").string()).find("](" + GetParam().filename().string() + ")"), page.npos);
}

// Without a terminal it does not wait.
TEST(Tour, LeadsThroughAChapterAndPlaysItsRuns) {
  const Ran ran = run_picklock("tour clocks </dev/null");
  EXPECT_EQ(ran.status, 0) << ran.out;
  std::size_t at = 0;
  for (const PagePart& part : parts_of_page(content((kGuide / "02_clocks.md").string()))) {
    if (part.language != "console") continue;
    const std::size_t found = ran.out.find(part.text, at);
    ASSERT_NE(found, ran.out.npos) << part.text << "\n" << ran.out;
    at = found;
  }
  EXPECT_EQ(ran.out.find("# 2. Clocks"), 0u);
  EXPECT_EQ(run_picklock("tour 2 </dev/null").out, ran.out);
  EXPECT_TRUE(has(ran, "\n$ picklock run redlock_clock_jump --brief\n")) << "a picture is drawn in text";
  EXPECT_TRUE(has(ran, "## Answers"));
}

TEST(Tour, NamesItsChapters) {
  const Ran list = run_picklock("tour --list");
  EXPECT_TRUE(has(list, " 1  a_lease_is_not_a_lock\n 2  clocks\n")) << list.out;
  EXPECT_TRUE(has(list, "10  testing_your_own_lock\n")) << list.out;
  const Ran unknown = run_picklock("tour clock");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(has(unknown, "did you mean 'clocks'?")) << unknown.out;
  EXPECT_EQ(run_picklock("tour 11").status, 2);
  EXPECT_EQ(run_picklock("tour 0").status, 2);
}

TEST(GuideOfLocks, HasTenChapters) { EXPECT_EQ(chapters().size(), 10u); }

}  // namespace
