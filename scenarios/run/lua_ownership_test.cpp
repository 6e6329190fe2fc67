// Tests of where the ownership of a lock lies: a key with a prefix, a lease in data, permits, an operator's force.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/lua/lua_locks.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/run/run_lab.hpp"

namespace picklock {
namespace lua_ownership_test {

std::string added(const std::string& text) {
  static int count = 0;
  std::string name = "owned" + std::to_string(++count) + ".lua";
  EXPECT_EQ(add_lua_lock_text(name, text), "");
  return name;
}

// The scenario with this lock, played with one seed.
struct Played {
  std::unique_ptr<Runner> runner;
  const RunResult* result = nullptr;
  Verdict of(Property p) const { return picklock::of(result->findings, p).verdict; }
  Reason why(Property p) const { return picklock::of(result->findings, p).reason; }
  bool violates_nothing() const {
    for (const Finding& f : result->findings) {
      if (f.verdict == Verdict::violated) ADD_FAILURE() << explain(f, *result->history, result->judged_with);
    }
    return std::none_of(result->findings.begin(), result->findings.end(),
                        [](const Finding& f) { return f.verdict == Verdict::violated; });
  }
  const Assessment& assessed(AssumptionKind kind) const {
    for (const Assessment& a : result->assumptions) {
      if (a.assumption.kind == kind) return a;
    }
    ADD_FAILURE() << "no such assumption";
    return result->assumptions.front();
  }
};

Played play(ScenarioFile file, const std::string& lock, const std::vector<std::string>& settings = {}) {
  for (const ScenarioError& e : file.errors) ADD_FAILURE() << print(e);
  EXPECT_FALSE(set_lock(file.scenario, lock));
  for (const std::string& s : settings) EXPECT_FALSE(set_in_scenario(file.scenario, s)) << s;
  Played played{compile(file.scenario)};
  if (played.runner != nullptr) played.result = &played.runner->run(1);
  return played;
}

// --- a key with a prefix

// SET NX PX and compare-and-delete on `key`; the head says `head` of it.
std::string on_key(const std::string& key, const std::string& head) {
  return "lock = { " + head + R"(
  claims = { mutual_exclusion = true, frees_after_crash = true, releases_only_own = true },
  assumptions = { ["pauses-shorter-than"] = "ttl", ["beliefs-shorter-than"] = "ttl" },
  lease = "ttl", options = { ttl = { default = "100ms", least = "1ms", help = "lease" }, retry = "5ms..10ms" } }
local delete_if_equals = [[
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
]]
local function key(ctx) return )" +
         key + R"( end
function acquire(ctx, patience)
  while not patience:over() do
    local value, deadline = host:random(), host:now() + ctx.options.ttl
    local set = redis:call("SET", key(ctx), value, "NX", "PX", math.floor(ctx.options.ttl))
    if set.yes then return { value = value, deadline = deadline } end
    patience:pause(ctx.options.retry)
  end
  return patience:exhausted()
end
function release(ctx, hold) return yes_if(redis:eval(delete_if_equals, { key(ctx) }, { hold.value }), 1) end
function force(ctx) return yes_if(redis:call("DEL", key(ctx)), 1) end
)";
}

TEST(Ownership, AKeyThatTheHeadDoesNotNameIsNeverSeen) {
  const Played p = play(load_scenario("paused_holder"), added(on_key("'lock:' .. ctx.name", "")));
  EXPECT_EQ(p.of(Property::mutual_exclusion), Verdict::violated);
  for (const Property rests : {Property::double_grant, Property::stale_write, Property::wrong_release}) {
    EXPECT_EQ(p.of(rests), Verdict::not_applicable);
    EXPECT_EQ(p.why(rests), Reason::owner_never_named);
  }
  EXPECT_TRUE(p.assessed(AssumptionKind::beliefs_shorter_than).unknown);
  EXPECT_FALSE(all_met(p.result->assumptions, Property::mutual_exclusion)) << "no refutation";
  EXPECT_EQ(p.result->unseen.locks, std::vector<std::string>{"lock"});
  EXPECT_EQ(p.result->unseen.keys, std::vector<std::string>{"lock:lock"});
  EXPECT_EQ(p.result->unseen.runs, 1U);
}

TEST(Ownership, AKeyThatTheHeadNamesIsJudgedAsItsTwinWithoutAPrefix) {
  const Played named =
      play(load_scenario("paused_holder"), added(on_key("'lock:' .. ctx.name", "key = 'lock:{name}',")));
  const Played twin = play(load_scenario("paused_holder"), "set-nx-px");
  for (const PropertyInfo& p : properties()) EXPECT_EQ(named.of(p.property), twin.of(p.property)) << p.name;
  EXPECT_EQ(named.of(Property::stale_write), Verdict::violated);
  EXPECT_TRUE(named.assessed(AssumptionKind::beliefs_shorter_than).broken());
  EXPECT_EQ(named.result->unseen, UnseenOwners{});
}

TEST(Ownership, AKeyNeedsAPlaceForTheName) {
  EXPECT_NE(
      add_lua_lock_text("nameless.lua", on_key("ctx.name", "key = 'lock',")).find("expected a text that has {name}"),
      std::string::npos);
  LockKind kind = *find_lock_kind("set-nx-px");
  kind.name = "own-lock-nameless";
  kind.key = "lock";
  (void)add_lock_kind(kind);
  Scenario scenario = load_scenario("paused_holder").scenario;
  scenario.lock.name = "own-lock-nameless";
  const auto problems = problems_of(scenario);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].expected, "a key that has {name} in it");
}

TEST(Ownership, AnOperatorsForceIsTheTexts) {
  constexpr const char* kForced = R"(
lock    = { name = "set-nx-px", ttl = "10s" }
clients = [ { name = "a", hold = "300ms" }, { name = "b", start = "10ms", hold = "10ms" },
            { name = "o", role = "operator", start = "50ms" } ]
)";
  const Played p = play(read_scenario(kForced, "test.toml"), added(on_key("ctx.name", "")), {"lock.ttl=10s"});
  EXPECT_EQ(p.result->executed.forced_releases, 1);
  EXPECT_EQ(p.of(Property::wrong_release), Verdict::holds) << "it was declared";
  EXPECT_EQ(p.of(Property::mutual_exclusion), Verdict::violated) << "the holder was not told";
}

// --- what is no renewal

std::string gate(const std::string& poll) {
  return R"(
lock = { claims = { mutual_exclusion = true }, lease = "ttl", options = { ttl = "300ms", retry = "20ms" } }
function acquire(ctx, patience)
  while not patience:over() do
    local deadline = host:now() + ctx.options.ttl
    local n = redis:call("INCR", ctx.name)
    if n.yes and n.value == 1 then
      redis:call("PEXPIRE", ctx.name, math.floor(ctx.options.ttl))
      return { value = "1", deadline = deadline }
    end
    )" + poll +
         R"(
    patience:pause(ctx.options.retry)
  end
  return patience:exhausted()
end
function release(ctx, hold) return yes_if(redis:call("DEL", ctx.name), 1) end
)";
}

constexpr const char* kTwoClients = R"(
lock    = { name = "set-nx-px" }
clients = [ { name = "a", hold = "50ms" }, { name = "b", start = "10ms", hold = "50ms" } ]
)";

TEST(Ownership, AnIncrementLeavesTheTimeToLiveAsItIs) {
  const Played p = play(read_scenario(kTwoClients, "test.toml"), added(gate("")));
  EXPECT_NE(p.of(Property::wrong_renewal), Verdict::violated);
  const Played twin =
      play(read_scenario(kTwoClients, "test.toml"), added(gate("redis:call('PEXPIRE', ctx.name, 300)")));
  EXPECT_EQ(twin.of(Property::wrong_renewal), Verdict::violated) << "a waiter that renews";
}

// --- a lease in data

// A list of free tokens and a hash of those taken, with the time of their taking.
std::string tokens(const std::string& head) {
  return "lock = { " + head + R"(
  claims = { mutual_exclusion = true, frees_after_crash = true, releases_only_own = true },
  assumptions = { ["beliefs-shorter-than"] = "stale" }, lease = "stale",
  options = { stale = { default = "10s", least = "1ms", help = "lease" }, retry = "20ms",
    clock = { default = "client", one_of = { "client", "server" }, help = "clock of the time stamps" },
    resources = { default = 1, least = 1, most = 100, help = "permits" } } }
local init = [[
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('SET', KEYS[1], '1')
for i = 1, tonumber(ARGV[1]) do redis.call('RPUSH', KEYS[2], i) end
return 1
]]
local function now(ctx)
  if ctx.options.clock == "client" then return host:wall() end
  local t = redis:call("TIME")
  return t.value[1] * 1000 + t.value[2] / 1000
end
local function give_back(ctx, token)
  return yes_if(redis:eval([[
if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('LPUSH', KEYS[2], ARGV[1])
return 1
]], { ctx.name, ctx.name .. ":free" }, { token }), 1)
end
local function clear_stale(ctx)
  local all = redis:call("HGETALL", ctx.name)
  local at = now(ctx)
  for i = 1, #all.value, 2 do
    if tonumber(all.value[i + 1]) + ctx.options.stale < at then give_back(ctx, all.value[i]) end
  end
end
function acquire(ctx, patience)
  redis:eval(init, { ctx.name .. ":exists", ctx.name .. ":free" }, { ctx.options.resources })
  while not patience:over() do
    clear_stale(ctx)
    local deadline = host:now() + ctx.options.stale
    local got = redis:call("LPOP", ctx.name .. ":free")
    if got.yes and got.value then
      redis:call("HSET", ctx.name, got.value, string.format("%d", now(ctx)))
      return { value = got.value, deadline = deadline }
    end
    patience:pause(ctx.options.retry)
  end
  return patience:exhausted()
end
function release(ctx, hold) return give_back(ctx, hold.value) end
)";
}
const std::string kInFields = R"(ownership = "redis-lease-fields", permits = "resources",
  lease_data = { says = "begin", unit = "ms", clock = "clock" },)";

constexpr const char* kDeadHolder = R"(
lock    = { name = "set-nx-px" }
clients = [ { name = "a", hold = "300ms" }, { name = "b", start = "50ms", hold = "100ms" } ]
[[fault]]
kind = "kill"
node = "a"
on = "after a reads"
stays = true
[phases]
load = "5s"
)";
constexpr const char* kFastClock = R"(
lock    = { name = "set-nx-px" }
clients = [ { name = "a", hold = "300ms" }, { name = "b", start = "50ms", hold = "100ms" } ]
[[clock]]
node = "b"
offset = "11s"
[phases]
load = "3s"
)";

TEST(Ownership, AStaleLeaseInDataIsTakenOverRightly) {
  const std::vector<std::string> settings = {"lock.stale=1s", "lock.clock=server"};
  const Played p = play(read_scenario(kDeadHolder, "test.toml"), added(tokens(kInFields)), settings);
  EXPECT_TRUE(p.violates_nothing());
  EXPECT_EQ(p.of(Property::wrong_release), Verdict::holds);
  const Played twin =
      play(read_scenario(kDeadHolder, "test.toml"), added(tokens("ownership = \"redis-fields\",")), settings);
  EXPECT_EQ(twin.of(Property::double_grant), Verdict::violated) << "a field without a time is promised for ever";
}

TEST(Ownership, AFastClockTakesALeaseThatIsNotStale) {
  const Played p = play(read_scenario(kFastClock, "test.toml"), added(tokens(kInFields)), {"lock.stale=10s"});
  EXPECT_EQ(p.of(Property::mutual_exclusion), Verdict::violated);
  EXPECT_EQ(p.of(Property::double_grant), Verdict::violated);
  EXPECT_EQ(p.of(Property::wrong_release), Verdict::violated);
}

TEST(Ownership, PermitsAreCountedWhereTheyAreDeclared) {
  const Played p = play(read_scenario(kTwoClients, "test.toml"), added(tokens(kInFields)), {"lock.resources=3"});
  EXPECT_TRUE(p.violates_nothing());
  EXPECT_EQ(p.result->judged_with.permits, 3U);
  const std::string one = R"(ownership = "redis-lease-fields", lease_data = { says = "begin", clock = "clock" },)";
  const Played twin = play(read_scenario(kTwoClients, "test.toml"), added(tokens(one)), {"lock.resources=3"});
  EXPECT_EQ(twin.of(Property::mutual_exclusion), Verdict::violated);
  EXPECT_EQ(twin.of(Property::double_grant), Verdict::violated);
}

TEST(Ownership, AWrongTableOfALeaseIsTold) {
  const auto told = [](const std::string& head) { return add_lua_lock_text("wrong.lua", tokens(head)); };
  const std::string rule = "ownership = 'redis-lease-fields', lease_data = { ";
  EXPECT_NE(told(rule + "unit = 'minutes' },").find("found 'minutes', expected one of s, ms, us, ns"),
            std::string::npos);
  EXPECT_NE(told(rule + "sais = 'end' },").find("did you mean 'says'?"), std::string::npos);
  EXPECT_NE(told(rule + "clock = 'retry' },").find("or an option that is one_of"), std::string::npos);
  Scenario scenario = load_scenario("paused_holder").scenario;
  EXPECT_FALSE(set_lock(scenario, added(tokens("ownership = 'redis-lease-fields',"))));
  ASSERT_EQ(problems_of(scenario).size(), 1U);
  EXPECT_EQ(problems_of(scenario)[0].expected, "one, as redis-lease-fields reads the owner from it");
}

// --- JSON in a value, of each service; a score

// Takes the lock if it is free or its time is over; a release sets a time that has come.
const std::string kInJson = R"(
  claims = { mutual_exclusion = true }, lease = "ttl", options = { ttl = "200ms", retry = "10ms" },
  lease_data = { owner = "holder", time = "until", says = "end", unit = "ms", clock = "client" } }
local function said(ctx, holder, until_) return string.format('{"holder": "%s", "until": %d}', holder, until_) end
local function over(text) return tonumber(text:match('"until": (%d+)')) <= host:wall() end
function acquire(ctx, patience)
  local me = host:random()
  while not patience:over() do
    ready()
    local deadline = host:now() + ctx.options.ttl
    if take(ctx, said(ctx, me, host:wall() + ctx.options.ttl), over) then return { value = me, deadline = deadline } end
    patience:pause(ctx.options.retry)
  end
  return patience:exhausted()
end
function release(ctx, hold) return put(ctx, said(ctx, hold.value, host:wall())) end
)";
const std::string kOnRedis = "lock = { ownership = 'redis-lease-value', key = 'lock/{name}'," + kInJson + R"(
function ready() end
local swap = [[
local now = redis.call('GET', KEYS[1])
if now and now ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
]]
function take(ctx, new, over)
  local got = redis:call("GET", "lock/" .. ctx.name)
  if got.yes and not over(got.value) then return false end
  return redis:eval(swap, { "lock/" .. ctx.name }, { got.yes and got.value or "", new }).value == 1
end
function put(ctx, new) return redis:call("SET", "lock/" .. ctx.name, new) end
)";
const std::string kOnEtcd =
    "lock = { service = 'etcd', ownership = 'etcd-lease-value', key = 'lock/{name}'," + kInJson + R"(
function ready() etcd:get("x") end
function take(ctx, new, over)
  local key = "lock/" .. ctx.name
  local got = etcd:get(key)
  local kv = got.yes and got.value.kvs[1]
  if not got.yes or (kv and not over(kv.value)) then return false end
  local done = etcd:txn({ { "mod", key, "=", kv and kv.mod or 0 } }, { { "put", key, new } }, {})
  return done.yes and done.value.succeeded
end
function put(ctx, new) return etcd:put("lock/" .. ctx.name, new) end
)";
const std::string kOnZooKeeper =
    "lock = { service = 'zookeeper', ownership = 'znode-lease-value', key = '/lock-{name}'," + kInJson + R"(
local function connected()
  local session = zk:session(10000)
  session:connected()
  return session
end
function ready() connected() end
function take(ctx, new, over)
  local session, path = connected(), "/lock-" .. ctx.name
  local got = session:get(path)
  if got.code == "NoNode" then return session:create(path, new, "persistent").yes end
  if not got.yes or not over(got.value.data) then return false end
  return session:set(path, new, got.value.version).yes
end
function put(ctx, new) return connected():set("/lock-" .. ctx.name, new, -1) end
)";

TEST(Ownership, JsonInAValueNamesItsOwner) {
  for (const std::string& text : {kOnRedis, kOnEtcd, kOnZooKeeper}) {
    const std::string lock = added(text);
    const Played p = play(read_scenario(kTwoClients, "test.toml"), lock);
    EXPECT_EQ(p.result->error, "");
    EXPECT_TRUE(p.violates_nothing());
    EXPECT_EQ(p.of(Property::double_grant), Verdict::holds);
    EXPECT_EQ(p.result->unseen, UnseenOwners{});
    const Played dead = play(read_scenario(kDeadHolder, "test.toml"), lock);
    EXPECT_TRUE(dead.violates_nothing()) << "taken over";
    if (text == kOnZooKeeper) continue;  // b is connected first, and its clock keeps a out
    const Played fast = play(read_scenario(kFastClock, "test.toml"), lock, {"lock.ttl=1s"});
    EXPECT_EQ(fast.of(Property::double_grant), Verdict::violated);
  }
}

const std::string kScores = R"(
lock = { ownership = "redis-lease-scores", claims = { mutual_exclusion = true }, lease = "ttl",
  options = { ttl = "200ms", retry = "10ms" }, lease_data = { unit = "s", clock = "client" } }
local take = [[
for i, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])) do redis.call('ZREM', KEYS[1], member) end
if redis.call('ZCARD', KEYS[1]) > 0 then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
return 1
]]
function acquire(ctx, patience)
  local me = host:random()
  while not patience:over() do
    local deadline, now = host:now() + ctx.options.ttl, host:wall() / 1000
    local got = redis:eval(take, { ctx.name }, { me, string.format("%.6f", now),
                                                 string.format("%.6f", now + ctx.options.ttl / 1000) })
    if got.yes and got.value == 1 then return { value = me, deadline = deadline } end
    patience:pause(ctx.options.retry)
  end
  return patience:exhausted()
end
function release(ctx, hold) return yes_if(redis:call("ZREM", ctx.name, hold.value), 1) end
)";

TEST(Ownership, AScoreSaysWhenTheLeaseEnds) {
  const std::string lock = added(kScores);
  const Played p = play(read_scenario(kTwoClients, "test.toml"), lock);
  EXPECT_EQ(p.result->error, "");
  EXPECT_TRUE(p.violates_nothing());
  EXPECT_EQ(p.of(Property::double_grant), Verdict::holds);
  EXPECT_TRUE(play(read_scenario(kDeadHolder, "test.toml"), lock).violates_nothing());
  const Played fast = play(read_scenario(kFastClock, "test.toml"), lock, {"lock.ttl=1s"});
  EXPECT_EQ(fast.of(Property::double_grant), Verdict::violated);
}

}  // namespace lua_ownership_test
}  // namespace picklock
