#include "scenarios/file/library.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

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
  EXPECT_EQ(std::get<ScenarioPlace>(find_scenario("paused_holder")), (ScenarioPlace{path, ""}));
  EXPECT_EQ(std::get<ScenarioPlace>(find_scenario(path)), (ScenarioPlace{path, ""}));
  EXPECT_EQ(load_scenario("paused_holder").scenario.name, "paused_holder");
  EXPECT_EQ(load_scenario("paused_holder").scenario.description, "The holder stops.\n\nMore.");
}

TEST_F(Library, FindsVariantsOfTheLibraryAndOfFiles) {
  const char* const family = "# One.\nlock = \"setnx\"\n# Another.\n[variant.fenced]\nphases.load = \"1s\"\n";
  write("family.toml", family);
  const std::string path = (folder_ / "family").string();
  for (const std::string& asked : {std::string("family/fenced"), path + "/fenced", path + ".toml/fenced"}) {
    const ScenarioFile file = load_scenario(asked);
    ASSERT_TRUE(file.ok()) << print(file.errors.front());
    EXPECT_EQ(file.scenario.name, "family/fenced");
    EXPECT_EQ(file.scenario.phases.load, seconds(1));
  }
  EXPECT_EQ(load_scenario("family").scenario.name, "family");
  const auto all = library_scenarios();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1].name, "family");
  EXPECT_EQ(all[2].name, "family/fenced");
  EXPECT_EQ(all[2].summary, "Another.");
  EXPECT_TRUE(all[2].variant);
  EXPECT_EQ(print(load_scenario("family/fencd").errors[0]),
            "family has no variant \"fencd\" (fenced); did you mean family/fenced?");
  EXPECT_EQ(print(load_scenario("crash/fenced").errors[0]), "crash has no variant \"fenced\"");
  EXPECT_EQ(print(std::get<ScenarioError>(find_scenario("fenced_family"))),
            "no file or scenario \"fenced_family\"; did you mean family/fenced? (picklock list scenarios)");
}

TEST_F(Library, NamesTheNearest) {
  for (const char* wrong : {"paused_holdr", "paused-holder", "paused_holder.toml", "elsewhere/paused_holder.toml"}) {
    const auto found = find_scenario(wrong);
    const auto* const error = std::get_if<ScenarioError>(&found);
    ASSERT_NE(error, nullptr) << wrong;
    EXPECT_EQ(error->nearest, "paused_holder");
  }
  EXPECT_EQ(print(std::get<ScenarioError>(find_scenario("crahs"))),
            "no file or scenario \"crahs\"; did you mean crash? (picklock list scenarios)");
  EXPECT_EQ(print(std::get<ScenarioError>(find_scenario("something else"))),
            "no file or scenario \"something else\" (picklock list scenarios)");
  EXPECT_FALSE(load_scenario("").ok());
  EXPECT_EQ(print(load_scenario(folder_.string()).errors[0]),
            "\"" + folder_.string() + "\" is a folder, and a scenario is one file");
}

// Bytes that this process has asked the kernel to read.
std::optional<std::uint64_t> bytes_read() {
  std::ifstream io("/proc/self/io");
  std::string key;
  std::uint64_t value = 0;
  while (io >> key >> value) {
    if (key == "rchar:") return value;
  }
  return std::nullopt;
}

TEST_F(Library, ReadsOneFileToLoadOneScenario) {
  const std::string large = "# Large.\nlock = \"setnx\"\n#" + std::string(100'000, '-') + "\n";
  for (int i = 0; i < 20; ++i) write("large_" + std::to_string(i) + ".toml", large);
  const auto before = bytes_read();
  if (!before) GTEST_SKIP() << "/proc/self/io cannot be read here";
  EXPECT_TRUE(load_scenario("paused_holder").ok());
  const auto small = bytes_read();
  EXPECT_LT(*small - *before, large.size());
  EXPECT_TRUE(load_scenario("large_7").ok());
  EXPECT_GE(*bytes_read() - *small, large.size()) << "what is read is counted";
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
    const ScenarioFile file = load_scenario(
        entry.variant ? fmt::format("{}/{}", entry.path, fs::path(entry.name).filename().string()) : entry.path);
    for (const ScenarioError& e : file.errors) ADD_FAILURE() << print(e);
    EXPECT_FALSE(entry.summary.empty()) << entry.path;
    Scenario again = read_scenario(write_scenario(file.scenario), entry.path).scenario;
    again.name = file.scenario.name;
    EXPECT_TRUE(file.ok() && again == file.scenario);
  }
}

}  // namespace
}  // namespace picklock
