#include "scenarios/file/library.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "scenarios/file/write.hpp"

namespace picklock {
namespace {

namespace fs = std::filesystem;

// A library of its own, as $PICKLOCK_LIBRARY.
class Library : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("picklock_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
    write("paused_holder.toml", "# The holder stops.\n#\n# More.\nlock = \"setnx\"\n");
    write("crash.toml", "lock = \"setnx\"\n");
    write("README.md", "no scenario");
    setenv("PICKLOCK_LIBRARY", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("PICKLOCK_LIBRARY");
    fs::remove_all(folder_);
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  fs::path folder_;
};

TEST_F(Library, ListsNamesAndFirstLines) {
  const auto all = library_scenarios();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "crash");
  EXPECT_EQ(all[0].summary, "");
  EXPECT_EQ(all[1].name, "paused_holder");
  EXPECT_EQ(all[1].summary, "The holder stops.");
}

TEST_F(Library, FindsByNameAndByPath) {
  const std::string path = (folder_ / "paused_holder.toml").string();
  EXPECT_EQ(std::get<std::string>(find_scenario("paused_holder")), path);
  EXPECT_EQ(std::get<std::string>(find_scenario(path)), path);
  EXPECT_EQ(load_scenario("paused_holder").scenario.name, "paused_holder");
  EXPECT_EQ(load_scenario("paused_holder").scenario.description, "The holder stops.\n\nMore.");
}

TEST_F(Library, NamesTheNearest) {
  for (const char* wrong : {"paused_holdr", "paused-holder", "paused_holder.toml", "elsewhere/paused_holder.toml"}) {
    const auto found = find_scenario(wrong);
    const auto* const error = std::get_if<ScenarioError>(&found);
    ASSERT_NE(error, nullptr) << wrong;
    EXPECT_EQ(error->nearest, "paused_holder");
  }
  EXPECT_EQ(print(std::get<ScenarioError>(find_scenario("crahs"))),
            "crahs: found no such file, and no scenario of this name, expected a file, or one of "
            "crash, paused_holder; "
            "did you mean 'crash'?");
  EXPECT_FALSE(load_scenario("").ok());
  EXPECT_FALSE(load_scenario(folder_.string()).ok());
}

TEST_F(Library, SaysWhereNamesStandThatAreTooManyToList) {
  for (int i = 0; i < 40; ++i) write("pause_" + std::to_string(i) + ".toml", "# A.\nworkload = \"counter\"\n");
  EXPECT_EQ(
      print(std::get<ScenarioError>(find_scenario("crahs"))),
      "crahs: found no such file, and no scenario of this name, expected a file, or one of 42 names (picklock list "
      "shows them); did you mean 'crash'?");
}

TEST_F(Library, TooLongAFileIsAnError) {
  write("long.toml", std::string(kMostScenarioBytes + 100, '#'));
  const ScenarioFile file = load_scenario("long");
  ASSERT_EQ(file.errors.size(), 1U);
  EXPECT_NE(print(file.errors[0]).find("at most 1048576 bytes"), std::string::npos);
}

// The real one: what the project ships is readable, and survives being written.
TEST(ShippedLibrary, EveryScenarioReads) {
  for (const LibraryEntry& entry : scenarios_in(PICKLOCK_SOURCE_DIR "/scenarios/library")) {
    const ScenarioFile file = load_scenario(entry.path);
    for (const ScenarioError& e : file.errors) ADD_FAILURE() << print(e);
    EXPECT_FALSE(entry.summary.empty()) << entry.path;
    EXPECT_TRUE(file.ok() && read_scenario(write_scenario(file.scenario), entry.path).scenario == file.scenario);
  }
}

}  // namespace
}  // namespace picklock
