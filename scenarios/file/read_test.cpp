#include "scenarios/file/read.hpp"

#include <gtest/gtest.h>

#include "algorithms/redis/set_nx_px.hpp"
#include "scenarios/file/head_comment.hpp"
#include "scenarios/file/write.hpp"
#include "scenarios/services/etcd/etcd_spec.hpp"

namespace picklock {
namespace {

Scenario read_ok(std::string_view text) {
  ScenarioFile file = read_scenario(text, "folder/some_name.toml");
  for (const ScenarioError& e : file.errors) ADD_FAILURE() << print(e);
  return std::move(file.scenario);
}

std::string first_error(std::string_view text) {
  const ScenarioFile file = read_scenario(text, "x.toml");
  return file.ok() ? "" : print(file.errors[0]);
}

constexpr std::string_view kPausedHolder = R"(# The holder stops.
#
#   a  |--acquire--[ critical
#tight

lock    = { name = "set-nx-px", ttl = "100ms", retry = "5ms..10ms", key = "till" }
clients = [ { name = "a", hold = "50ms" }, { name = "b", start = "10ms", hold = "50ms" } ]   # not of the head

[[fault]]
kind  = "pause"
node  = "a"
on    = "a enters"
lasts = "200ms"

[expect]
mutual-exclusion = { verdict = "violated", seeds = "every" }
double-grant = "holds"
lost-update = "any"
)";

TEST(ReadScenario, AllThatTheFileSays) {
  const Scenario s = read_ok(kPausedHolder);
  EXPECT_EQ(s.name, "some_name");
  EXPECT_EQ(s.description, "The holder stops.\n\n  a  |--acquire--[ critical\ntight");
  EXPECT_EQ(s.lock.name, "set-nx-px");
  EXPECT_EQ(s.lock.key, "till");
  EXPECT_EQ(s.lock.options.as<SetNxPxOptions>().ttl, milliseconds(100));
  EXPECT_EQ(s.lock.options.as<SetNxPxOptions>().polling.retry, Law::uniform(milliseconds(5), milliseconds(10)));
  ASSERT_EQ(s.clients.size(), 2U);
  EXPECT_EQ(s.clients[0].name, "a");
  EXPECT_EQ(s.clients[1].start, Law::constant(milliseconds(10)));
  EXPECT_EQ(s.workload.kind, "counter");
  EXPECT_TRUE(s.workload.options);
  ASSERT_EQ(s.faults.size(), 1U);
  EXPECT_EQ(s.faults[0].kind, "pause");
  EXPECT_EQ(s.faults[0].trigger.on, "a enters");
  EXPECT_EQ(s.expect.at("mutual-exclusion"), (Expectation{Verdict::violated, Seeds::every}));
  EXPECT_EQ(s.expect.at("double-grant"), (Expectation{Verdict::holds, Seeds::every}));
  EXPECT_EQ(s.expect.at("lost-update").seeds, Seeds::any);
}

TEST(ReadScenario, AReleaseOfEtcdAndSettingsBesideIt) {
  const std::string lock = "lock = \"etcd-mutex\"\nclients = [ { name = \"a\" } ]\n\n[etcd]\n";
  for (const EtcdRelease release : {EtcdRelease::v3_4, EtcdRelease::v3_5, EtcdRelease::v3_5_23, EtcdRelease::v3_6}) {
    const std::string name(enum_name(release));
    const Scenario s = read_ok(lock + "release = \"" + name + "\"\n");
    EXPECT_EQ(s.services.of<EtcdSpec>().server, etcd_release(release)) << name;
    EXPECT_EQ(s.services.of<EtcdSpec>().server == EtcdOptions{}, release == EtcdRelease::v3_5_23) << name;
  }
  // The settings override it, before it in the file or after it; those that it has anyway are not written.
  const Scenario s = read_ok(lock + "pre-vote = true\nrelease = \"3.4\"\nrechecks-locks = false\n");
  EtcdOptions expected = etcd_3_4();
  expected.pre_vote = true;
  EXPECT_EQ(s.services.of<EtcdSpec>().server, expected);
  EXPECT_NE(write_scenario(s).find("[etcd]\nrelease  = \"3.4\"\npre-vote = true\n"), std::string::npos);
  EXPECT_EQ(read_ok(write_scenario(s)).services.of<EtcdSpec>().server, expected);
  EXPECT_EQ(first_error(lock + "release = \"3.3\"\n"),
            "x.toml:5:11: found '3.3', expected one of 3.4, 3.5, 3.5.23, 3.6; did you mean '3.4'?");
}

TEST(ReadScenario, OneSentenceInManyForms) {
  const Scenario s = read_ok(
      "lock = \"set-nx-px\"\nclients = [ { name = \"a\" }, { name = \"b\" } ]\nworkload = "
      "\"log\"\n");
  for (const std::string_view text :
       {"lock.name = 'set-nx-px'\nworkload.name = 'log'\n[[clients]]\nname = "
        "'a'\n[[clients]]\nname = 'b'\n",
        "workload = { name = 'log' }\n[[client]]\nname = 'a'\n[[client]]\nname = 'b'\n[lock]\nname "
        "= 'set-nx-px'\n",
        "[workload]\nname = 'log'\n[[client]]\nname = 'a'\n[[client]]\nname = 'b'\n"}) {
    EXPECT_TRUE(read_ok(text) == s) << text;
  }
}

TEST(ReadScenario, ManyClientsByCount) {
  const ScenarioFile file = read_scenario(
      "clients = [\n{ name = \"x\" },\n{ name = \"c\", count = 3, hold = \"1s\" },\n{ name = \"y\" "
      "} ]\n",
      "x.toml");
  ASSERT_TRUE(file.ok()) << print(file.errors[0]);
  std::string names;
  for (const ClientSpec& c : file.scenario.clients) names += c.name + " ";
  EXPECT_EQ(names, "x c1 c2 c3 y ");
  EXPECT_EQ(file.scenario.clients[3].hold, Law::constant(seconds(1)));
  EXPECT_EQ(file.positions.of("clients[3].hold"), (SourcePosition{3, 33}));
  EXPECT_EQ(file.positions.of("clients[4].name"), (SourcePosition{4, 10}));
}

TEST(ReadScenario, EveryErrorIsReported) {
  const ScenarioFile file = read_scenario(R"(lock = { name = "set-nx-px", tll = "100ms" }
clients = [ { name = "a", hold = 50 }, { hold = "5ms..1ms" } ]
[redis]
hz = 501
appendonly = "evrysec"
)",
                                          "x.toml");
  std::vector<std::string> places;
  for (const ScenarioError& e : file.errors) places.push_back(fmt::format("{}:{} {}", e.line, e.column, e.nearest));
  EXPECT_EQ(places, (std::vector<std::string>{"1:30 ttl", "2:34 ", "2:40 ", "2:49 ", "4:6 ", "5:14 everysec"}));
}

TEST(ReadScenario, PlacesOfLaterProblems) {
  const ScenarioFile file = read_scenario(kPausedHolder, "x.toml");
  EXPECT_EQ(print(file.located("faults[0].on", "'a enters'", "an event", "a leaves")),
            "x.toml:12:9: found 'a enters', expected an event; did you mean 'a leaves'?");
  EXPECT_EQ(file.positions.of("clients[1].name"), (SourcePosition{7, 53}));
  EXPECT_EQ(file.positions.of("clients[1].rounds"), (SourcePosition{7, 44}));  // a missing key stands at its table
  EXPECT_EQ(file.positions.of("clients[7]"), (SourcePosition{7, 11}));         // a missing entry stands at the array
  EXPECT_EQ(file.positions.of("lock.kind").line, 6U);
  EXPECT_EQ(file.positions.of("expect.double-grant"), (SourcePosition{17, 1}));
  EXPECT_EQ(file.positions.of("storage.fence"), SourcePosition{});
  EXPECT_EQ(print(file.located("draw", "'x'", "a draw")), "x.toml: found draw: 'x', expected a draw");
}

TEST(ReadScenario, HostileTextEndsInAnError) {
  std::string keys = "a";
  for (int i = 0; i < 200'000; ++i) keys += ".a";
  EXPECT_NE(first_error(keys + " = 1"), "");
  EXPECT_NE(first_error("[" + keys + "]"), "");
  EXPECT_NE(first_error("x = ['''a'''', {" + keys + " = 1}]"), "");
  EXPECT_NE(first_error("x = " + std::string(100'000, '[')), "");
  EXPECT_NE(first_error("x = " + std::string(100'000, '{')), "");
  EXPECT_NE(first_error(std::string(kMostScenarioBytes + 1, '\n')), "");
  EXPECT_NE(first_error("lock = { name = \"\xff\" }"), "");
  EXPECT_NE(first_error(std::string("lock = \0", 8)), "");
  EXPECT_NE(first_error("clients = [ { name = \"a\", count = 1000000000 } ]"), "");
  EXPECT_NE(first_error("event-budget = 99999999999999999999999"), "");
  EXPECT_NE(first_error("event-budget = 1e400"), "");
  std::string many, tables;
  for (int i = 0; i < 20'000; ++i) many += fmt::format("key-{} = 1\n", i), tables += "[[fault]]\n";
  EXPECT_EQ(read_scenario(many, "x.toml").errors.size(),
            101U);  // a hundred, and how many more there are
  EXPECT_NE(first_error(tables), "");
}

TEST(ReadScenario, DotsInStringsAndCommentsAreNoKeys) {
  const std::string dots(300, '.');
  const ScenarioFile file = read_scenario(fmt::format("# {0}\nlock = {{ name = \"setnx\", key = \"{0}\" }} # "
                                                      "{0}\nclients = [{{ name = '''{0}''' }}]\n",
                                                      dots),
                                          "x.toml");
  EXPECT_TRUE(file.ok()) << print(file.errors[0]);
  EXPECT_EQ(file.scenario.lock.key, dots);
}

// The guard before the parser must let these forms through.
TEST(ReadScenario, EveryFormOfTomlIsRead) {
  const Scenario s = read_ok(
      "\xef\xbb\xbf# über\r\n\r\n"
      "lock.\"name\" = 'setnx' # “x” [ { = .\r\n"
      "\"lock\" . 'key' = \"\"\"\n\"ü\" \\\"\"\"x\"\"\"\"\"\r\n"
      "sometimes = [ # ü\n  'contention',\"two-holds\"\n,\t# ]\n]\n"
      "clients=[{name=\"a\",hold='1s'},\n{ \"name\" = '''b''''' }]\n"
      "[ network ]\nlatency='1ms' \n"
      "  [[ network.\"link\" ]]\n\"from\"='a'\nto='''ü'''\nlatency=\"1ms\"\n"
      "[[network.link]] # [[\nfrom = \"\\u00fc\"\nto='a'\nlatency=\"2ms\"\n"
      "[\"expect\"]\n'double-grant'='any'");
  EXPECT_EQ(s.description, "über");
  EXPECT_EQ(s.lock.name, "setnx");
  EXPECT_EQ(s.lock.key, "\"ü\" \"\"\"x\"\"");
  EXPECT_EQ(s.sometimes.size(), 2U);
  ASSERT_EQ(s.clients.size(), 2U);
  EXPECT_EQ(s.clients[1].name, "b''");
  ASSERT_EQ(s.links.size(), 2U);
  EXPECT_EQ(s.links[0].to, s.links[1].from);
  EXPECT_EQ(s.expect.size(), 1U);
}

TEST(HeadComment, IsTheFirstBlock) {
  EXPECT_EQ(head_comment(""), "");
  EXPECT_EQ(head_comment("a = 1\n# b"), "");
  EXPECT_EQ(head_comment("\n\n# a\r\n#  b\r\n\r\n# c"), "a\n b");
  EXPECT_EQ(head_comment("\xef\xbb\xbf# a\nb = 1"), "a");
}

}  // namespace
}  // namespace picklock
