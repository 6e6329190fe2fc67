// The rooms in which everything must be deterministic contain nothing that is not: see style_rules.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/style_rules.hpp"

namespace picklock::style {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Tests may measure, shuffle and estimate as they like.
bool is_ours(const fs::path& file) {
  const std::string stem = file.stem().string();
  if (file.extension() != ".hpp" && file.extension() != ".cpp") return false;
  return !stem.ends_with("_test") && !stem.ends_with("_lab");
}

// Where a rule does not apply, and why.
struct Exception {
  std::string_view path, rule;
};
constexpr Exception kExceptions[] = {
    // Scores of sorted sets, and numbers in scripts, are doubles in Redis: data, of basic operations only.
    {"sim/redis/", "floating-point"},
    {"sim/task/redis_values.", "floating-point"},
    // Numbers of Lua are doubles.
    {"sim/lua/", "floating-point"},
    // Threads play runs beside each other, never one run.
    {"base/threads.hpp", "threads"},
    // Each thread remembers hashes of texts: values of a pure function.
    {"base/hash.cpp", "threads"},
    // An output that no run writes holds a signal back from its own thread.
    {"base/files.cpp", "threads"},
    // Each thread reads scenarios of its own folder, before their runs.
    {"algorithms/lua/lua_files.cpp", "threads"},
};

bool is_excepted(std::string_view path, std::string_view rule) {
  return std::any_of(std::begin(kExceptions), std::end(kExceptions),
                     [&](const Exception& e) { return path.starts_with(e.path) && rule == e.rule; });
}

TEST(DeterminismStyle, TheDeterministicRoomsKeepTheRules) {
  int files = 0;
  for (const char* room : {"base", "sim", "faults", "algorithms"}) {
    const fs::path folder = fs::path(PICKLOCK_SOURCE_DIR) / room;
    ASSERT_TRUE(fs::exists(folder)) << folder;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file() || !is_ours(entry.path())) continue;
      ++files;
      const std::string path = fs::relative(entry.path(), PICKLOCK_SOURCE_DIR).string();
      for (const Finding& f : find_violations(text_of(entry.path()))) {
        if (is_excepted(path, f.rule)) continue;
        ADD_FAILURE() << path << ":" << f.line << ": " << f.rule << ": " << f.text;
      }
    }
  }
  EXPECT_GT(files, 50);
}

TEST(DeterminismStyle, EveryRuleFindsWhatIsPlantedAndNothingElse) {
  for (const Rule& rule : rules()) {
    const std::string source = "#include <vector>\nint f();\n" + std::string(rule.planted) + "\n";
    const auto found = find_violations(source);
    ASSERT_FALSE(found.empty()) << rule.name;
    EXPECT_EQ(found[0].rule, rule.name);
    EXPECT_EQ(found[0].line, 3) << rule.name;
    EXPECT_TRUE(find_violations(rule.allowed).empty()) << rule.name;
    // Where nothing runs: in a comment, in a literal.
    EXPECT_TRUE(find_violations("// " + std::string(rule.planted)).empty()) << rule.name;
    EXPECT_TRUE(find_violations("/* " + std::string(rule.planted) + " */ int x;").empty()) << rule.name;
    EXPECT_TRUE(find_violations("const char* s = R\"x(" + std::string(rule.planted) + ")x\";").empty()) << rule.name;
  }
}

TEST(DeterminismStyle, CommentsAndLiteralsAreNoCode) {
  EXPECT_EQ(code_only("a // b\nc"), "a \nc");
  EXPECT_EQ(code_only("a /* b\n b */ c"), "a \n c");
  EXPECT_EQ(code_only(R"(f("x \" // y", 'z', '\'') + 1'000)"), R"(f("", '', '') + 1'000)");
  EXPECT_EQ(code_only("x = R\"(a\n\")\" ; y"), "x = \n\"\" ; y");
}

}  // namespace
}  // namespace picklock::style
