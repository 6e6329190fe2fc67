// Everything is in one namespace: two types of one name in it would be one to the linker, which keeps
// whichever code it meets first.  So there are none.  And test fixtures have one word: lab.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace picklock {
namespace {

namespace fs = std::filesystem;
using Places = std::map<std::string, std::set<std::string>>;  // of each type: the files that define it

// By the layout that all our files have: a namespace or a type begins at the start of a line.
void collect_types(std::istream& text, const std::string& file, Places& places) {
  static const std::regex kNamespace(R"(^namespace(?: ([A-Za-z_:]+))? \{.*)");
  static const std::regex kType(R"(^(?:struct|class|enum class) ([A-Za-z_]\w*)(?: final)?(?: :[^:].*| \{.*|))");
  std::vector<std::string> open;
  for (std::string line; std::getline(text, line);) {
    std::smatch found;
    if (std::regex_match(line, found, kNamespace)) {
      open.push_back(found[1].matched ? found[1].str() : "");
    } else if (line.starts_with("}  // namespace")) {
      if (!open.empty()) open.pop_back();
    } else if (std::regex_match(line, found, kType) && std::find(open.begin(), open.end(), "") == open.end()) {
      std::string name;
      for (const std::string& outer : open) name += outer + "::";
      places[name + found[1].str()].insert(file);
    }
  }
}

TEST(TypeNames, AreThereOnce) {
  Places places;
  for (const char* folder : {"base", "statistics", "sim", "algorithms", "bridge", "faults", "checker", "scenarios",
                             "campaigns", "reports", "instruments", "testkit", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(PICKLOCK_SOURCE_DIR) / folder)) {
      const fs::path extension = entry.path().extension();
      if (extension != ".hpp" && extension != ".cpp") continue;
      std::ifstream text(entry.path());
      collect_types(text, fs::relative(entry.path(), PICKLOCK_SOURCE_DIR).string(), places);
    }
  }
  EXPECT_GT(places.size(), 300U);
  for (const auto& [type, files] : places) {
    if (files.size() == 1) continue;
    std::string all;
    for (const std::string& file : files) all += " " + file;
    ADD_FAILURE() << type << " is defined in" << all;
  }
}

TEST(TypeNames, AreFoundInEveryFormAndOnlyOutsideOfUnnamedNamespaces) {
  Places places;
  std::istringstream one(
      "namespace picklock {\nnamespace {\nstruct Hidden {\n};\n}  // namespace\nstruct Plain {\n"
      "  struct Inner {\n  };\n};\nclass Declared;\nclass Derived final : public Plain {\n};\n"
      "enum class Kind : char { a };\nclass Outer::Inner {\n};\n}  // namespace picklock\n");
  collect_types(one, "one", places);
  std::istringstream two("namespace picklock {\nstruct Plain {};\n}  // namespace picklock\n");
  collect_types(two, "two", places);
  std::set<std::string> names;
  for (const auto& [type, files] : places) names.insert(type);
  EXPECT_EQ(names, (std::set<std::string>{"picklock::Derived", "picklock::Kind", "picklock::Plain"}));
  EXPECT_EQ(places["picklock::Plain"].size(), 2U);
}

// --- one word for a fixture ------------------------------------------------------------------------

// Whether the file or the type is a test fixture by another name than x_lab.hpp, LabX or XLab.
bool is_fixture_by_another_name(const std::string& file) {
  static const std::regex kOther(
      R"(test_\w+\.[ch]pp|(toy|fake|mock|stub|dummy)_\w+\.[ch]pp|\w+_(fixture|harness|mock|fake)\.[ch]pp)");
  return std::regex_match(file, kOther);
}

bool defines_fixture_by_another_name(const std::string& line) {
  static const std::regex kOther(
      R"(\s*(struct|class) ((Toy|Fake|Mock|Stub|Dummy)[A-Z]\w*|\w+(Fixture|Harness|Mock|TestBed|Bench))\b.*)");
  return std::regex_match(line, kOther);
}

TEST(Fixtures, AreCalledLabs) {
  std::size_t labs = 0;
  for (const char* folder : {"base", "statistics", "sim", "algorithms", "faults", "checker", "scenarios", "campaigns",
                             "reports", "instruments", "app", "tests", "examples/studies"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(PICKLOCK_SOURCE_DIR) / folder)) {
      const fs::path extension = entry.path().extension();
      if (extension != ".hpp" && extension != ".cpp") continue;
      const std::string file = fs::relative(entry.path(), PICKLOCK_SOURCE_DIR).string();
      if (file.starts_with("tests/toy_service/")) continue;  // a service of a user's own, as an example
      labs += file.ends_with("_lab.hpp");
      EXPECT_FALSE(is_fixture_by_another_name(entry.path().filename().string())) << file;
      std::ifstream text(entry.path());
      for (std::string line; std::getline(text, line);) {
        EXPECT_FALSE(defines_fixture_by_another_name(line)) << file << ": " << line;
      }
    }
  }
  EXPECT_GT(labs, 20U) << "the labs were not found";
}

TEST(Fixtures, AreNoticedByOtherNames) {
  for (const char* file : {"test_world.hpp", "toy_server.cpp", "mock_disk.hpp", "raft_harness.hpp"}) {
    EXPECT_TRUE(is_fixture_by_another_name(file)) << file;
  }
  for (const char* file : {"world_lab.hpp", "world_test.cpp", "toys.hpp", "latest_reads.hpp"}) {
    EXPECT_FALSE(is_fixture_by_another_name(file)) << file;
  }
  for (const char* line : {"class ToyServer {", "  struct FakeDisk final : Disk {", "class RaftHarness;"}) {
    EXPECT_TRUE(defines_fixture_by_another_name(line)) << line;
  }
  for (const char* line : {"class LabServer {", "struct ZooLab : Lab {", "// class ToyServer", "struct Stubborn {"}) {
    EXPECT_FALSE(defines_fixture_by_another_name(line)) << line;
  }
}

}  // namespace
}  // namespace picklock
