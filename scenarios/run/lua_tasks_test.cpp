// Coroutines of a lock in Lua are tasks of the world: faults and other tasks come between a check and the write behind it.
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "algorithms/lua/lua_locks.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace lua_tasks_test {

constexpr std::uint64_t kSeeds = 20;

struct Counts {
  std::uint64_t violated = 0, held = 0;
  std::string error;  // error of the first run that has one
};

// The lock of this text in this scenario, on kSeeds seeds.
Counts played(const std::string& text, const std::string& scenario, Property property) {
  static int count = 0;
  const std::string name = "task" + std::to_string(++count) + ".lua";
  EXPECT_EQ(add_lua_lock_text(name, text), "");
  ScenarioFile file = read_scenario("lock = { name = \"set-nx-px\", ttl = \"100ms\" }\n" + scenario, "test.toml");
  EXPECT_TRUE(file.ok()) << (file.ok() ? "" : print(file.errors[0]));
  EXPECT_FALSE(set_lock(file.scenario, name));
  auto compiled = Runner::compile(file.scenario);
  Counts counts;
  if (compiled.index() != 0) {
    counts.error = std::get<1>(compiled)[0].found;
    return counts;
  }
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RunResult& run = std::get<0>(compiled)->run(seed);
    if (counts.error.empty()) counts.error = run.error;
    counts.violated += of(run.findings, property).verdict == Verdict::violated;
    counts.held += of(run.findings, property).verdict == Verdict::holds;
  }
  return counts;
}

const std::string kHead = "lock = { lease = 'ttl', options = { ttl = '100ms' } }\n";
const std::string kAcquire = R"(
function acquire(ctx, patience)
  while not patience:over() do
    local value = host:random()
    if redis:call('SET', ctx.name, value, 'NX', 'PX', ctx.options.ttl).yes then return { value = value } end
    patience:pause(5)
  end
  return patience:exhausted()
end
)";
const std::string kChecksFirst = R"(
function release(ctx, hold)
  if redis:call('GET', ctx.name).value ~= hold.value then return no end
  redis:call('DEL', ctx.name)
  return yes
end
)";
const std::string kChecksInTheServer = R"(
function release(ctx, hold)
  redis:call('GET', ctx.name)
  return yes_if(redis:eval("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0",
                           { ctx.name }, { hold.value }), 1)
end
)";
const std::string kClients = R"(
clients = [ { name = "a", hold = "20ms" }, { name = "b", start = "10ms", hold = "200ms" } ]
)";
const std::string kPause = R"(
[[fault]]
kind  = "pause"
node  = "a"
on    = "after a get"
lasts = "150ms"
)";

TEST(LuaTasks, AreStoppedBetweenACheckAndAWrite) {
  const Counts stopped = played(kHead + kAcquire + kChecksFirst, kClients + kPause, Property::wrong_release);
  EXPECT_EQ(stopped.error, "");
  EXPECT_EQ(stopped.violated, kSeeds);
  EXPECT_EQ(played(kHead + kAcquire + kChecksFirst, kClients, Property::wrong_release).violated, 0U);
  const Counts at_once = played(kHead + kAcquire + kChecksInTheServer, kClients + kPause, Property::wrong_release);
  EXPECT_EQ(at_once.error, "");
  EXPECT_EQ(at_once.held, kSeeds);
}

// A process that died between the two begins with the file anew.
TEST(LuaTasks, AreKilledBetweenACheckAndAWrite) {
  const std::string text = kHead + "checked = false\n" + R"(
function acquire(ctx)
  if checked then error('the write was reached') end
  redis:call('SET', ctx.name, 'x')
  return { value = 'x' }
end
function release(ctx)
  redis:call('GET', ctx.name)
  checked = true
  redis:call('DEL', ctx.name)
  return yes
end
)";
  const std::string clients = "clients = [ { name = \"a\", hold = \"20ms\", rounds = 2 } ]\n";
  const std::string kill =
      "[[fault]]\nkind = \"kill\"\nnode = \"a\"\non = \"after a get\"\ncount = 1\nrestart-after = \"10ms\"\n";
  const std::string lives = played(text, clients, Property::mutual_exclusion).error;
  EXPECT_NE(lives.find("the write was reached"), lives.npos) << lives;
  const std::string dies = played(text, clients + kill, Property::mutual_exclusion).error;
  EXPECT_EQ(dies.find("the write was reached"), dies.npos) << dies;
}

// Two threads of one process share the file's globals: they come between two questions, and never within Lua.
TEST(LuaTasks, AreOvertakenAtQuestionsAlone) {
  const auto lock = [](const std::string& between) {
    return kHead + "busy = false\n" + R"(
function acquire(ctx, patience)
  while busy do patience:pause(1) end
)" + between +
           R"(
  busy = true
  redis:call('SET', ctx.name, 'thread ' .. ctx.thread)
  return { value = 'thread ' .. ctx.thread }
end
function release(ctx)
  redis:call('DEL', ctx.name)
  busy = false
  return yes
end
)";
  };
  const std::string threads = R"(
clients = [ { name = "a", machine = "jvm", hold = "20ms" }, { name = "b", machine = "jvm", hold = "20ms" } ]
)";
  const Counts yields = played(lock("  host:yield()"), threads, Property::mutual_exclusion);
  EXPECT_EQ(yields.error, "");
  EXPECT_EQ(yields.violated, kSeeds);
  const Counts works = played(lock("  for i = 1, 10000 do end"), threads, Property::mutual_exclusion);
  EXPECT_EQ(works.error, "");
  EXPECT_EQ(works.held, kSeeds);
}

}  // namespace lua_tasks_test
}  // namespace picklock
