// Locks in Lua, in a run: what they can do, and how their mistakes are told.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <variant>

#include "algorithms/lua/lua_locks.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace lua_lock_test {

constexpr const char* kScenario = R"(
lock    = { name = "set-nx-px", ttl = "100ms" }
clients = [ { name = "a", hold = "20ms", rounds = 2 }, { name = "b", hold = "20ms", rounds = 2 } ]
)";

const std::string kHead = "lock = { lease = 'ttl', options = { ttl = '100ms' } }\n";
const std::string kRelease = "function release(ctx, hold)\n  redis:call('DEL', ctx.name)\n  return yes\nend\n";
const std::string kAcquire = R"(
function acquire(ctx, patience)
  while not patience:over() do
    local value = host:random()
    local set = redis:call('SET', ctx.name, value, 'NX', 'PX', ctx.options.ttl)
    if set.yes then return { value = value, deadline = host:now() + ctx.options.ttl } end
    patience:pause('5ms..10ms')
  end
  return patience:exhausted()
end
)";

std::string new_name() {
  static int count = 0;
  return "lock" + std::to_string(++count) + ".lua";
}

// The scenario with the lock of this text; its error, if the text was refused.
struct Played {
  std::string refused, error;
  RunResult result;
};

Played play(const std::string& text, const std::string& setting = "") {
  Played played;
  const std::string name = new_name();
  played.refused = add_lua_lock_text(name, text);
  if (!played.refused.empty()) return played;
  ScenarioFile file = read_scenario(kScenario, "test.toml");
  EXPECT_TRUE(file.ok());
  EXPECT_FALSE(set_lock(file.scenario, name));
  if (!setting.empty()) {
    EXPECT_FALSE(set_in_scenario(file.scenario, setting)) << setting;
  }
  auto compiled = Runner::compile(file.scenario);
  auto* const runner = std::get_if<std::unique_ptr<Runner>>(&compiled);
  if (runner == nullptr) {
    played.refused = std::get<1>(compiled)[0].found;
    return played;
  }
  played.result = (*runner)->run(1);
  played.error = played.result.error;
  return played;
}

// Leaves out the lock's name, which is new each time.
std::string error_of(const std::string& text) {
  const Played played = play(text);
  std::string error = played.refused.empty() ? played.error : played.refused;
  constexpr std::string_view kFailed = " failed: ";
  const std::size_t failed = error.find(kFailed);
  if (failed != error.npos) error.erase(0, failed + kFailed.size());
  const std::size_t colon = error.find(':');
  return colon == error.npos ? error : "lua" + error.substr(colon);
}

bool begins(const std::string& text, std::string_view with) {
  EXPECT_TRUE(text.starts_with(with)) << text;
  return text.starts_with(with);
}

TEST(LuaLock, LocksAndReleases) {
  const Played played = play(kHead + kAcquire + kRelease);
  EXPECT_EQ(played.refused, "");
  EXPECT_EQ(played.error, "");
  EXPECT_EQ(of(played.result.findings, Property::mutual_exclusion).verdict, Verdict::holds);
}

TEST(LuaLock, HasOptions) {
  EXPECT_EQ(play(kHead + kAcquire + kRelease, "lock.ttl=10ms").error, "");
  EXPECT_EQ(of(play(kHead + kAcquire + kRelease, "lock.ttl=10ms").result.findings, Property::mutual_exclusion).verdict,
            Verdict::violated);
}

TEST(LuaLock, IsRefusedWithFileAndLine) {
  EXPECT_EQ(error_of("lock = {\n  service = 'redis'\n  lease = 'ttl'\n}"),
            "lua:3: '}' expected (to close '{' at line 1) near 'lease'");
  EXPECT_EQ(error_of("acquire = 1"), "lua:1: found no head, expected lock = { name = \"…\", service = \"redis\", … }");
  EXPECT_EQ(error_of(kHead + kRelease), "lua:1: found no function acquire, expected function acquire(ctx, patience)");
  EXPECT_EQ(error_of(kHead + kAcquire), "lua:1: found no function release, expected function release(ctx, hold)");
  const std::string rest = kAcquire + kRelease;
  EXPECT_EQ(error_of("lock = {\n  claims = { mutual_exlusion = true } }" + rest),
            "lua:2: found 'mutual_exlusion', expected a claim; did you mean 'mutual_exclusion'?");
  EXPECT_EQ(error_of("lock = {\n  servise = 'redis' }" + rest),
            "lua:2: found 'servise', expected a key of lock; did you mean 'service'?");
  EXPECT_EQ(error_of("lock = { options = { ttl = '1s' },\n  lease = 'tll' }" + rest),
            "lua:2: found 'tll', expected an option of this lock; did you mean 'ttl'?");
  EXPECT_EQ(error_of("lock = { options = {\n  ttl = {} } }" + rest).substr(0, 40),
            "lua:2: option ttl: found a table without");
  const Played service = play("lock = {\n  service = 'radis' }" + rest);
  EXPECT_TRUE(service.refused.starts_with("'radis' at lock") && service.refused.ends_with(".lua:2")) << service.refused;
  const Played rule = play("lock = {\n  service = 'etcd',\n  ownership = 'etcd-frist' }" + rest);
  EXPECT_TRUE(rule.refused.starts_with("'etcd-frist' at lock") && rule.refused.ends_with(".lua:3")) << rule.refused;
  const Played assumption = play("lock = {\n  assumptions = { 'no-dataloss' } }" + rest);
  EXPECT_TRUE(assumption.refused.starts_with("'no-dataloss' at lock") && assumption.refused.ends_with(".lua:2"))
      << assumption.refused;
  EXPECT_EQ(error_of("while true do end" + rest).substr(0, 21), "lua:1: stopped after ");
  EXPECT_NE(add_lua_lock("no/such/file.lua").find("no/such/file.lua: found no such file"), std::string::npos);
}

TEST(LuaLock, ErrorsOfARunSayFileAndLine) {
  begins(error_of(kHead + kRelease + "function acquire(ctx)\n  return ctx.nothing.at.all\nend"),
         "lua:7: attempt to index field 'nothing' (a nil value)\n    in acquire (lock");
  begins(error_of(kHead + kRelease + "function acquire(ctx)\n  while true do end\nend"), "lua:7: stopped after ");
  begins(error_of(kHead + kRelease +
                  "function acquire(ctx)\n  local t = {}\n  while true do t[#t + 1] = ('x'):rep(9999) .. #t end\nend"),
         "lua:8: not enough memory");
  begins(error_of(kHead + kRelease + "function acquire(ctx)\n  host:sleep('soon')\nend"),
         "lua:7: host:sleep: expected milliseconds, or a text such as");
  begins(error_of(kHead + kRelease + "function acquire(ctx)\n  redis:call('GET', {})\nend"),
         "lua:7: redis:call: found a table as an argument");
  begins(error_of(kHead + kRelease + "function acquire(ctx)\n  redis:subscribe('x')\nend"),
         "lua:7: redis:subscribe: the head must say subscribes = true");
  begins(error_of(kHead + kRelease + "\nfunction acquire(ctx)\n  return 1\nend"),
         "lua:7: acquire returned number, expected a hold such as { value = \"…\" }, no or unknown");
  begins(error_of(kHead + kAcquire + "function release() return {} end"),
         "lua:12: release returned a table that is none of these, expected yes, no, unknown");
  begins(error_of(
             kHead + kRelease +
             "function acquire(ctx, p)\n  host:spawn('x', function() p:over() end)\n  host:sleep(1)\n  return no\nend"),
         "lua:7: patience:over: the patience of an acquire that is not under way here\n    in x (lock");
}

TEST(LuaLock, AWrongNameIsToldWithTheNearest) {
  struct Mistake {
    const char *line, *error;
  };
  for (const auto& [line, error] : {
           Mistake{"redis:cal('GET', 'x')", "redis has no question 'cal'; did you mean 'call'?"},
           Mistake{"etcd:tnx({}, {})", "etcd has no question 'tnx'; did you mean 'txn'?"},
           Mistake{"zk:chidren('/x')", "zk has no question 'chidren'; did you mean 'children'?"},
           Mistake{"host:slep(1)", "host has no question 'slep'; did you mean 'sleep'?"},
           Mistake{"p:exhauste()", "patience has no question 'exhauste'; did you mean 'exhausted'?"},
           Mistake{"redis:get('x')", "redis has no question 'get'; its questions are call, eval, wait_at_most, "},
           Mistake{"ctx.servers[1]:evl('return 1')", "redis has no question 'evl'; did you mean 'eval'?"},
           Mistake{"return ctx.optoins.ttl",
                   "attempt to index field 'optoins' (a nil value); did you mean 'options'?\n    in acquire (lock"},
           Mistake{"return 2 * ctx.options.tll",
                   "attempt to perform arithmetic on field 'tll' (a nil value); did you mean 'ttl'?\n"},
           Mistake{"hots:sleep(1)",
                   "Script attempted to access nonexistent global variable 'hots'; did you mean 'host'?\n"},
           Mistake{"ctx:thead()", "attempt to call method 'thead' (a nil value); did you mean 'thread'?\n"},
           Mistake{"return ctx.options.ttl.value.x", "attempt to index field 'ttl' (a number value)\n"},
           Mistake{"return 1 .. ctx.options.ttl.x", "attempt to index field 'ttl' (a number value)\n"},
           Mistake{"return redis:call('GET', 'x').yess", "an answer has no field 'yess'; did you mean 'yes'?\n"},
           Mistake{"return host:sleep(1), redis:call('GET', 'x').valu.x",
                   "an answer has no field 'valu'; did you mean 'value'?\n"},
           Mistake{"return redis:call('GET', 'x').result",
                   "an answer has no field 'result'; its fields are yes, no, unknown, value, why, error, code\n"},
           Mistake{"return ctx.token.x", "attempt to index field 'token' (a nil value)\n"},
       }) {
    begins(error_of(kHead + kRelease + "function acquire(ctx, p)\n  " + line + "\nend"),
           "lua:7: " + std::string(error));
  }
}

// A field that an answer may have, and this one has not, is nil; a text may give an answer fields of its own.
TEST(LuaLock, FieldsOfAnswersMayBeAbsent) {
  const std::string acquire =
      "function acquire(ctx, p)\n  local set = redis:call('SET', ctx.name, 'x', 'NX')\n"
      "  set.mine = set.error == nil and set.why == nil and set.code == nil\n"
      "  if set.mine and set.yes then return { value = 'x' } end\n  p:pause(5)\n  return no\nend\n";
  EXPECT_EQ(play(kHead + acquire + kRelease).error, "");
}

// Ends of beliefs, by their kind, in a run in which holders work for longer than their lease and stop when they hear of it.
std::map<BeliefEnd, int> ends_of_beliefs(const std::string& text) {
  const std::string name = new_name();
  EXPECT_EQ(add_lua_lock_text(name, text), "");
  ScenarioFile file = read_scenario(kScenario, "test.toml");
  EXPECT_FALSE(set_lock(file.scenario, name));
  for (const char* setting :
       {"lock.ttl=30ms", "client[0].hold=200ms", "client[0].on-loss=stop", "client[1].on-loss=ignore"}) {
    EXPECT_FALSE(set_in_scenario(file.scenario, setting)) << setting;
  }
  auto compiled = Runner::compile(file.scenario);
  const RunResult& result = std::get<0>(compiled)->run(1);
  EXPECT_EQ(result.error, "");
  std::map<BeliefEnd, int> ends;
  for (const BeliefEvent& event : result.history->beliefs) ++ends[event.end];
  return ends;
}

TEST(LuaLock, AFunctionLostTellsTheHolder) {
  constexpr const char* kLost = R"(
function lost(ctx, hold)
  repeat
    host:sleep(1)
    local found = redis:call("GET", ctx.name)
  until found.yes and found.value ~= hold.value or found.why == "refused"
end)";
  auto ends = ends_of_beliefs(kHead + kAcquire + kRelease + kLost);
  EXPECT_EQ(ends[BeliefEnd::lost], 2);  // two rounds of a
  ends = ends_of_beliefs(kHead + kAcquire + kRelease);
  EXPECT_EQ(ends[BeliefEnd::lost], 0);
  ends = ends_of_beliefs(kHead + kAcquire + kRelease + "function lost() return no end");
  EXPECT_EQ(ends[BeliefEnd::lost], 0);
  ends = ends_of_beliefs(kHead + kAcquire + kRelease + "function lost() end");
  EXPECT_EQ(ends[BeliefEnd::lost], 2);
  // It ends with the hold: a watch that goes on for ever keeps no run from its end.
  ends = ends_of_beliefs(kHead + kAcquire + kRelease + "function lost() while true do host:sleep(1) end end");
  EXPECT_EQ(ends[BeliefEnd::lost], 0);
  EXPECT_EQ(error_of(kHead + kAcquire + kRelease + "function lost() return nothing end").substr(0, 8), "lua:16: ");
}

TEST(LuaLock, MayBeNamedByAScenario) {
  const std::string name = new_name();
  ASSERT_EQ(add_lua_lock_text(name, kHead + kAcquire + kRelease), "");
  const std::string text = "lock = { name = \"" + name + "\", ttl = \"7s\" }\nclients = [ { name = \"a\" } ]\n";
  const ScenarioFile file = read_scenario(text, "x.toml");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file.scenario.lock.name, name);
  const ScenarioFile none = read_scenario("lock = \"none.lua\"\nclients = [ { name = \"a\" } ]\n", "x.toml");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(print(none.errors[0]), "x.toml:1:8: none.lua: found no such file, or an empty one, expected a lock in Lua");
}

// Two runs with one seed are the same; another process begins with the file's own globals.
TEST(LuaLock, IsDeterministic) {
  const std::string counting = kHead + "calls = 0\n" + kRelease + R"(
function acquire(ctx, patience)
  calls = calls + 1
  if calls > 2 then error("a global outlived its process") end
  host:sleep('1ms..9ms')
  for name in pairs({ x = 1, y = 2, z = 3 }) do redis:call('SET', name, tostring({})) end
  return { value = host:random() }
end)";
  const Played one = play(counting), two = play(counting);
  EXPECT_EQ(one.error, "");
  EXPECT_EQ(one.result.digest, two.result.digest);
}

}  // namespace lua_lock_test
}  // namespace picklock
