// `picklock regress FOLDER` as continuous integration meets it: words, exit status, JUnit XML.

#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "reports/campaigns/regress.hpp"
#include "tests/command_runs.hpp"

namespace {

namespace fs = std::filesystem;
using namespace picklock::testing;
using Tree = boost::property_tree::ptree;

struct Folder {
  std::string path = scratch("regress_command");
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path + "/" + name) << text; }
};

constexpr const char* kFails = R"(
seed = 5
lock = { name = "set-nx-px", ttl = "100ms" }
clients = [ { name = "a", hold = "50ms" }, { name = "b", start = "10ms", hold = "50ms" } ]
[[fault]]
kind = "pause"
node = "a"
on = "before a writes"
lasts = "200ms"
[expect]
mutual-exclusion = "violated"
lost-update = "violated"
stale-write = "violated"
)";

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

Tree parsed(const std::string& xml) {
  Tree tree;
  std::istringstream in(xml);
  boost::property_tree::read_xml(in, tree);  // throws if it is not well formed
  return tree;
}

// The folder that the command runs in has no such file.
TEST(RegressCommand, FindsTheFileOfALockBesideTheScenario) {
  const Folder folder;
  folder.write("mine.lua", content(PICKLOCK_SOURCE_DIR "/examples/lua/set_nx_px.lua"));
  folder.write("a.toml", with(kFails, "\"set-nx-px\"", "\"mine.lua\""));
  const Ran ran = run_shell("cd / && " PICKLOCK_BINARY " regress " + folder.path);
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_TRUE(has(ran, "still fails")) << ran.out;
  fs::remove(folder.path + "/mine.lua");
  EXPECT_TRUE(has(run_picklock("regress " + folder.path), "mine.lua: found no such file"));
}

TEST(RegressCommand, SaysWhatFailsWhatIsFixedAndWhatCannotBeTold) {
  const Folder folder;
  folder.write("a.toml", kFails);
  folder.write("b.toml", with(kFails, "100ms", "10s"));
  folder.write("c.toml", with(kFails, "set-nx-px", "my <lock> & \\\"more\\\""));
  const Ran ran = run_picklock("regress " + folder.path + " --junit " + folder.path + "/out.xml");
  EXPECT_EQ(ran.status, 1) << ran.out;
  for (const std::string& text :
       {"still fails           " + folder.path + "/a.toml\n    mutual-exclusion: a ",
        "    again:  picklock run " + folder.path + "/a.toml --seed 5\n",
        "fixed                 " + folder.path + "/b.toml\n    mutual-exclusion, lost-update, stale-write hold in ",
        "cannot tell any more  " + folder.path + "/c.toml\n    line 3: ",
        std::string("1 still fail, 1 fixed, 1 cannot be told any more\n")}) {
    EXPECT_TRUE(has(ran, text)) << text << "\n" << ran.out;
  }
  EXPECT_EQ(run_picklock("run " + folder.path + "/a.toml").status, 0) << "the file's own seed, and what it expects";
  EXPECT_TRUE(has(run_picklock("run " + folder.path + "/a.toml"), "seed 5"));
  EXPECT_TRUE(has(run_picklock("explain " + folder.path + "/a.toml"), "--seed 5"));

  const Tree suites = parsed(content(folder.path + "/out.xml")).get_child("testsuites");
  EXPECT_EQ(suites.get<int>("<xmlattr>.tests"), 3);
  EXPECT_EQ(suites.get<int>("<xmlattr>.failures"), 1);
  EXPECT_EQ(suites.get<int>("<xmlattr>.errors"), 1);
  std::map<std::string, std::string> told;
  for (const auto& [element, test] : suites.get_child("testsuite")) {
    if (element != "testcase") continue;
    const std::string name = fs::path(test.get<std::string>("<xmlattr>.name")).filename().string();
    told[name] = test.count("failure") != 0 ? "failure" : test.count("error") != 0 ? "error" : "passed";
    if (name != "c.toml") continue;
    EXPECT_NE(test.get<std::string>("error.<xmlattr>.message").find("<lock> &"), std::string::npos);
  }
  EXPECT_EQ(told,
            (std::map<std::string, std::string>{{"a.toml", "failure"}, {"b.toml", "passed"}, {"c.toml", "error"}}));

  fs::remove(folder.path + "/a.toml");
  EXPECT_EQ(run_picklock("regress " + folder.path).status, 3);
  fs::remove(folder.path + "/c.toml");
  EXPECT_EQ(run_picklock("regress " + folder.path).status, 0);
}

TEST(RegressCommand, PlaysAnotherLock) {
  const Folder folder;
  folder.write("a.toml", kFails);
  const Ran other = run_picklock("regress " + folder.path + " --lock setnx");
  EXPECT_EQ(other.status, 0) << "without an expiry nothing ends the hold of a pause: " << other.out;
  const Ran same = run_picklock("regress " + folder.path + " --lock set-nx-px-unsafe-del");
  EXPECT_EQ(same.status, 1) << same.out;
  const std::string again = "run " + folder.path + "/a.toml --lock set-nx-px-unsafe-del --seed 5";
  EXPECT_TRUE(has(same, "    again:  picklock " + again + "\n")) << same.out;
  EXPECT_EQ(run_picklock(again).status, 1);
  EXPECT_EQ(run_picklock("regress " + folder.path + " --lock no-such-lock").status, 3);
}

TEST(RegressCommand, AFolderWithoutScenariosIsAnError) {
  const Folder folder;
  const Ran none = run_picklock("regress " + folder.path);
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(has(none, "found no scenario file, expected files *.toml")) << none.out;
  EXPECT_EQ(run_picklock("regress " + folder.path + "/nowhere").status, 2);
}

TEST(RegressCommand, JUnitStaysWellFormedWhateverItTells) {
  picklock::Regression r;
  r.scenario = "a\"b<c>&'\x01\xff.toml";
  r.why = "line\nbreak ]]> <!-- \x7f \xc3";
  EXPECT_EQ(parsed(picklock::regress_junit("<&\">", {r, r})).get_child("testsuites").get<int>("<xmlattr>.errors"), 2);
}

}  // namespace
