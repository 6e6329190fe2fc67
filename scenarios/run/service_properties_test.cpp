// A service and those who ask it: holds that are granted anew, orphans, acquires that are not served, dead servers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "algorithms/lua/lua_locks.hpp"
#include "checker/properties/properties.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/server_deaths.hpp"
#include "scenarios/run/run_lab.hpp"

namespace picklock {
namespace service_properties_test {

Scenario read(const std::string& text) {
  const ScenarioFile file = read_scenario(text, "service.toml");
  for (const ScenarioError& e : file.errors) ADD_FAILURE() << print(e);
  return file.scenario;
}

const Finding& finding(const RunResult& r, Property p) { return of(r.findings, p); }
std::string told(const RunResult& r, Property p) { return explain(finding(r, p), *r.history, r.judged_with); }

const std::string kRelease = R"(
local delete_if_equals = [[
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
]]
function release(ctx, hold)
  active = nil
  if ctx.options.twice then redis:eval(delete_if_equals, { ctx.name }, { hold.value }) end
  return yes_if(redis:eval(delete_if_equals, { ctx.name }, { hold.value }), 1)
end
)";

// A timer extends the key at half its life by a script that also sets it if it is gone, unless `recreates` is false.
const std::string kAutoExtend = R"(
lock = { lease = "ttl", claims = { renewing = true }, assumptions = { "no-data-loss", "no-unanswered-requests" },
  options = { ttl = "1s", retry = "20ms", recreates = true, renews = true, twice = false } }
local extend_script = [[
local v = redis.call('GET', KEYS[1])
if v == false and ARGV[3] == '1' then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1 end
if v == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
]]
local active = nil
local function keep_alive(ctx, hold)
  while active == hold.value do
    host:sleep(ctx.options.ttl / 2)
    if active ~= hold.value then return end
    host:renews()
    local asked = host:now()
    host:yield()
    local r = redis:eval(extend_script, { ctx.name },
                         { hold.value, math.floor(ctx.options.ttl), ctx.options.recreates and 1 or 0 })
    if r.yes and r.value == 1 then host:prolong(hold, asked + ctx.options.ttl) end
  end
end
function acquire(ctx, patience)
  while not patience:over() do
    local value, deadline = host:random(), host:now() + ctx.options.ttl
    local set = redis:call("SET", ctx.name, value, "NX", "PX", math.floor(ctx.options.ttl))
    if set.yes then
      local hold = { value = value, deadline = deadline }
      active = value
      if ctx.options.renews then host:spawn("keepalive", function() keep_alive(ctx, hold) end) end
      return hold
    end
    patience:pause(ctx.options.retry)
  end
  return patience:exhausted()
end
)" + kRelease;

class ServiceProperties : public testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(add_lua_lock_text("auto-extend.lua", kAutoExtend), ""); }
};

// The timer's task has decided to extend, stands still, and the release goes first.
std::string extended_after_the_release(const char* recreates) {
  return fmt::format(R"(
lock    = {{ name = "auto-extend.lua", recreates = {} }}
clients = [ {{ name = "a", hold = "510ms" }}, {{ name = "b", start = "10ms", hold = "20ms", rounds = 3 }} ]
[[fault]]
kind = "pause"
node = "a"
task = "keepalive"
on = "a renews"
lasts = "13ms"
[phases]
load = "8s"
)",
                     recreates);
}

TEST_F(ServiceProperties, AHoldThatALateExtensionBringsBackIsKept) {
  const auto runner = compile(read(extended_after_the_release("true")));
  const RunResult& r = runner->run(1);
  EXPECT_EQ(verdict(r, Property::unreleased), Verdict::violated);
  EXPECT_NE(told(r, Property::unreleased).find("the service granted it that hold anew at"), std::string::npos)
      << told(r, Property::unreleased);
  EXPECT_EQ(verdict(r, Property::orphaned), Verdict::holds) << "a lease ends it";
  EXPECT_GE(finding(r, Property::orphaned).measure, seconds(1).ns) << "and that long it keeps all clients out";
  const auto sound = compile(read(extended_after_the_release("false")));
  EXPECT_EQ(verdict(sound->run(1), Property::unreleased), Verdict::holds);
}

// Its first command gave the hold back, and the second one is told that nothing is there.
TEST_F(ServiceProperties, ASecondReleaseIsAnsweredAndLeavesNothingBehind) {
  for (const char* const twice : {"true", "false"}) {
    const auto runner = compile(read(fmt::format(
        "lock = {{ name = \"auto-extend.lua\", renews = false, twice = {} }}\n"
        "clients = [ {{ name = \"a\", hold = \"50ms\" }}, {{ name = \"b\", start = \"10ms\", hold = \"50ms\" }} ]\n",
        twice)));
    const RunResult& r = runner->run(1);
    const bool failed = std::any_of(r.history->operations.begin(), r.history->operations.end(), [&](const auto& e) {
      return e.type == OperationType::fail && static_cast<Function>(e.f) == Function::release;
    });
    EXPECT_EQ(failed, std::string_view(twice) == "true");
    EXPECT_EQ(r.executed.unanswered_requests, 0);
    EXPECT_TRUE(all_met(r.assumptions, Property::mutual_exclusion));
  }
}

std::string with_dead(std::string_view lock, std::string_view server, int number) {
  std::string text = fmt::format(
      "lock = \"{}\"\nclients = [ {{ name = \"a\", hold = \"10ms\" }}, {{ name = \"b\", hold = \"10ms\" }} ]\n", lock);
  for (int i = 1; i <= number; ++i) {
    text += fmt::format("[[fault]]\nkind = \"kill\"\nnode = \"{}{}\"\non = \"a enters\"\nstays = true\n", server,
                        server == "redis" ? "" : std::to_string(i));
  }
  return text;
}

// Liveness assumes that enough servers come back; the refused connection of a probe is no refusal of the lock.
TEST_F(ServiceProperties, WhoWaitsAssumesEnoughServers) {
  struct Case {
    const char *lock, *server;
    int dead;
    bool enough;
  };
  for (const Case& c :
       {Case{"set-nx-px", "redis", 1, false}, Case{"etcd-mutex", "etcd", 2, false}, Case{"etcd-mutex", "etcd", 1, true},
        Case{"curator-leader-latch", "zookeeper", 2, false}, Case{"curator-leader-latch", "zookeeper", 1, true}}) {
    const auto runner = compile(read(with_dead(c.lock, c.server, c.dead)));
    const RunResult& r = runner->run(1);
    const auto enough = std::find_if(r.assumptions.begin(), r.assumptions.end(), [](const Assessment& a) {
      return a.assumption.kind == AssumptionKind::enough_servers;
    });
    ASSERT_NE(enough, r.assumptions.end()) << c.lock;
    EXPECT_EQ(enough->met, c.enough) << c.lock << " without " << c.dead;
    EXPECT_EQ(r.judged_with.too_few_servers, !c.enough);
    EXPECT_NE(verdict(r, Property::never_free_again), Verdict::violated) << c.lock << " without " << c.dead;
    if (!c.enough) {
      EXPECT_EQ(finding(r, Property::never_free_again).reason, Reason::too_few_servers) << c.lock;
      EXPECT_FALSE(all_met(r.assumptions, Property::lost_wake_up)) << c.lock;
    }
  }
  const auto healed =
      compile(read("lock = \"set-nx-px\"\nclients = [ { name = \"a\" } ]\n"
                   "[[fault]]\nkind = \"kill\"\nnode = \"redis\"\nat = \"1ms\"\n"));
  EXPECT_EQ(verdict(healed->run(1), Property::never_free_again), Verdict::holds);
  EXPECT_EQ(healed->run(1).judged_with.too_few_servers, false);
}

// A client that stops or dies keeps no service from its work: all of the time counts.
TEST_F(ServiceProperties, FaultsOfClientsAloneDisturbNoService) {
  const auto disturbs = [](std::string_view fault) {
    return may_disturb_service(read(
        fmt::format("lock = \"set-nx-px\"\nclients = [ {{ name = \"a\" }} ]\n[[fault]]\nat = \"1s\"\n{}\n", fault)));
  };
  for (const char* const kind : {"pause", "freeze", "kill", "power-loss", "restart"}) {
    EXPECT_FALSE(disturbs(fmt::format("kind = \"{}\"\nnode = \"a\"", kind))) << kind;
    EXPECT_TRUE(disturbs(fmt::format("kind = \"{}\"\nnode = \"redis\"", kind))) << kind;
  }
  EXPECT_TRUE(disturbs("kind = \"partition\"\nbetween = \"a | redis\""));
  EXPECT_TRUE(disturbs("kind = \"clock-step\"\nnode = \"a\"\nby = \"1s\""));
}

// A client may wait for an answer that does not come, or pause before it sends a command again, when healing begins.
TEST_F(ServiceProperties, AWaiterMayFirstHaveToLearnThatNoAnswerComes) {
  const auto bound = [](std::string_view lock, std::string_view fault) {
    const auto runner = compile(read(
        fmt::format("lock = {{ name = \"{}\", ttl = \"54ms\" }}\nclients = [ {{ name = \"b\", hold = \"10ms\" }} ]\n"
                    "[network]\nrequest-timeout = \"200ms\"\n{}",
                    lock, fault)));
    return runner->run(1).judged_with.starvation_bound;
  };
  const std::string dies = "[[fault]]\nkind = \"kill\"\nnode = \"redis\"\n";
  const std::string of_client = "[[fault]]\nkind = \"kill\"\nnode = \"b\"\n";
  EXPECT_EQ(bound("set-nx-px", dies), bound("set-nx-px", of_client) + milliseconds(400).ns);
  EXPECT_GT(bound("redis-py-lock", dies), seconds(1).ns) << "its longest pause before it sends a command again";
}

// A client that asks before its servers have a leader tries them all, pauses for up to two seconds, and tries again.
TEST_F(ServiceProperties, TheFirstElectionIsNoFaultOfALock) {
  const auto early = compile(
      read("lock = \"zookeeper-lock\"\nclients = [ { name = \"a\" } ]\n[network]\nrequest-timeout = \"10ms\"\n"));
  std::int64_t longest = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RunResult& r = early->run(seed);
    EXPECT_EQ(verdict(r, Property::unserved), Verdict::holds) << seed << ": " << told(r, Property::unserved);
    longest = std::max(longest, r.history->beliefs.front().time);
    EXPECT_LT(r.judged_with.unserved_bound, seconds(4).ns) << seed;
  }
  EXPECT_GT(longest, seconds(2).ns) << "some clients wait for so long";
}

}  // namespace service_properties_test
}  // namespace picklock
