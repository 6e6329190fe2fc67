// Locks in Lua, as users of the command meet them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/command_runs.hpp"

namespace picklock {
namespace lua_lock_command_test {

using testing::has;
using testing::Ran;
using testing::run_picklock;
using testing::run_shell;
using testing::scratch;

const std::string kExample = PICKLOCK_SOURCE_DIR "/examples/lua/set_nx_px.lua";

class LuaLockCommand : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& text) const {
    std::ofstream(folder_ + "/my.lua") << text;
    return folder_ + "/my.lua";
  }
  const std::string folder_ = scratch("lua_lock");
};

const std::string kFunctions = "function acquire() return no end\nfunction release() return no end\n";

TEST_F(LuaLockCommand, RunsWhereverALockIsNamed) {
  const Ran run = run_picklock("run paused_holder --lock " + kExample + " --seeds 5 --jobs 1");
  EXPECT_EQ(run.status, 1) << run.out;
  EXPECT_TRUE(has(run, "paused_holder: " + kExample + " on lock, seeds 1..5")) << run.out;
  EXPECT_TRUE(has(run, "--lock " + kExample + " --seed 1")) << run.out;
  const Ran compared = run_picklock("compare paused_holder --lock set-nx-px," + kExample + " --seeds 10 --jobs 1");
  EXPECT_TRUE(has(compared, "violated in both 10, in A alone 0, in B alone 0")) << compared.out;
  EXPECT_TRUE(has(compared, "commands each      +0.000")) << compared.out;
  const Ran explained = run_picklock("explain paused_holder --lock " + kExample + " --jobs 1");
  EXPECT_TRUE(has(explained, "It takes the pause of a")) << explained.out;
}

TEST_F(LuaLockCommand, IsHuntedAndKept) {
  const std::string kept = folder_ + "/kept";
  const Ran hunted = run_picklock("hunt paused_holder --lock " + kExample +
                                  " --plans 20 --findings 1 --shrink-runs 20 --jobs 1 --out " + kept);
  EXPECT_EQ(hunted.status, 1) << hunted.out;
  const Ran again = run_picklock("regress " + kept + " --others 2");
  EXPECT_EQ(again.status, 1) << again.out;
  EXPECT_TRUE(has(again, "1 still fail, 0 fixed, 0 cannot be told any more")) << again.out;
}

TEST_F(LuaLockCommand, TellsMistakesWithTheirPlaces) {
  const auto refused = [&](const std::string& text) {
    const Ran ran = run_picklock("run paused_holder --lock " + file(text));
    EXPECT_EQ(ran.status, 2) << ran.out;
    return ran;
  };
  const Ran syntax = refused("lock = {\n}}\n");
  EXPECT_TRUE(has(syntax, "my.lua:2: unexpected symbol near '}'")) << syntax.out;
  const Ran service = refused("lock = { service = 'radis' }\n" + kFunctions);
  EXPECT_TRUE(has(service, "my.lua:1, expected the name of a service; did you mean 'redis'?")) << service.out;
  const Ran rule = refused("lock = {\n  ownership = 'redis-keys' }\n" + kFunctions);
  EXPECT_TRUE(has(rule, "my.lua:2, expected the name of a rule of ownership of Redis; did you mean 'redis-key'?"))
      << rule.out;
  const Ran assumption = refused("lock = { assumptions = { 'no-dataloss' } }\n" + kFunctions);
  EXPECT_TRUE(has(assumption, "my.lua:1, expected the name of an assumption; did you mean 'no-data-loss'?"))
      << assumption.out;
  const Ran missing = run_picklock("run paused_holder --lock " + folder_ + "/none.lua");
  EXPECT_EQ(missing.status, 2) << missing.out;
  EXPECT_TRUE(has(missing, "none.lua: found no such file")) << missing.out;
  const Ran error =
      run_picklock("run paused_holder --lock " + file("lock = {}\nfunction release() end\nfunction acquire(ctx)\n  "
                                                      "return ctx.x.y\nend\n"));
  EXPECT_EQ(error.status, 1) << error.out;
  EXPECT_TRUE(has(error, "seed 1: lock " + folder_ + "/my.lua failed: " + folder_ + "/my.lua:4: ") ||
              has(error, "\nlock " + folder_ + "/my.lua failed: " + folder_ + "/my.lua:4: "))
      << error.out;
  EXPECT_TRUE(has(error, "my.lua:4: attempt to index field 'x' (a nil value)\n    in acquire (")) << error.out;
}

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST_F(LuaLockCommand, TellsOneMistakeOnce) {
  const std::string lock = file("lock = {}\nfunction release() end\nfunction acquire(ctx)\n  return ctx.x.y\nend\n");
  const std::string mistake = "my.lua:4: attempt to index field 'x' (a nil value)";
  for (const char* const command : {"run paused_holder --seeds 300 --jobs 1", "sweep paused_holder --seeds 300",
                                    "compare paused_holder --seeds 300 --lock set-nx-px",
                                    "hunt paused_holder --plans 30 --jobs 1", "run paused_holder --brief"}) {
    const std::string two = std::string(command).starts_with("compare") ? "," : " --lock ";
    const Ran ran = run_picklock(command + two + lock);
    EXPECT_EQ(times(ran.out, mistake), 1U) << command << "\n" << ran.out;
    EXPECT_EQ(ran.status, 1) << command;
  }
  EXPECT_TRUE(has(run_picklock("run paused_holder --seeds 300 --jobs 1 --lock " + lock), "seed 1, and others: lock "));
}

// The connection of a waiter breaks, its error is swallowed, and it works beside the holder.
TEST_F(LuaLockCommand, AHolderThatWasNeverGrantedIsNamed) {
  const std::string lock = file(
      "lock = { lease = 'ttl', options = { ttl = '10s' } }\n"
      "function acquire(ctx, patience)\n  while not patience:over() do\n    local value = host:random()\n"
      "    local set = redis:call('SET', ctx.name, value, 'NX', 'PX', math.floor(ctx.options.ttl))\n"
      "    if set.yes or set.unknown then return { value = value } end\n    patience:pause('20ms')\n  end\n"
      "  return patience:exhausted()\nend\n"
      "function release(ctx, hold)\n  redis:call('DEL', ctx.name)\n  return yes\nend\n");
  const std::string scenario = folder_ + "/fail_open.toml";
  std::ofstream(scenario) << "lock = { name = \"" + lock + "\", ttl = \"10s\" }\n" +
                                 "clients = [ { name = \"a\", hold = \"3s\" },\n"
                                 "            { name = \"b\", start = \"10ms\", hold = \"1s\" } ]\n"
                                 "[[fault]]\nkind = \"partition\"\nbetween = \"b | redis\"\nat = \"500ms\"\n"
                                 "lasts = \"3s\"\n[phases]\nload = \"8s\"\n";
  const Ran run = run_picklock("run " + scenario);
  EXPECT_EQ(run.status, 1) << run.out;
  for (const char* const text : {"b believed that it held lock although the service never named it",
                                 "b stops waiting for an answer of redis to its set"}) {
    EXPECT_TRUE(has(run, text)) << text << "\n" << run.out;
  }
  EXPECT_TRUE(has(run_picklock("explain " + scenario + " --jobs 1"), "although the service never named it"));
}

TEST_F(LuaLockCommand, BeginsFromASkeleton) {
  const Ran made = run_shell("cd " + folder_ + " && " + PICKLOCK_BINARY + " new lock my-own --lua");
  EXPECT_EQ(made.status, 0) << made.out;
  EXPECT_TRUE(has(made, "my-own/my_own.lua\n")) << made.out;
  const Ran run = run_picklock("run healthy_control --lock " + folder_ + "/my-own/my_own.lua --seeds 20 --jobs 1");
  EXPECT_EQ(run.status, 0) << run.out;
}

// The exercise of chapter 10: the skeleton, but for its release. A hunt within the assumptions finds the mistake; the skeleton
// mends it.
TEST_F(LuaLockCommand, HasASkeletonWithAMistake) {
  const std::string here = "cd " + folder_ + " && " + PICKLOCK_BINARY;
  ASSERT_EQ(run_shell(here + " new lock sound --lua && " + PICKLOCK_BINARY + " new lock taken --lua --mistake").status,
            0);
  const auto code = [&](const std::string& name) {  // without the head, the script, and the release
    std::string text = content(folder_ + "/" + name + "/" + name + ".lua");
    for (std::size_t at; (at = text.find(name)) != text.npos;) text.replace(at, name.size(), "x");
    const std::size_t options = text.find("  -- Under these"), acquire = text.find("-- Every answer"),
                      release = text.find("function release");
    return std::array<std::string, 2>{text.substr(options, text.find("\n}\n") - options),
                                      text.substr(acquire, release - acquire)};
  };
  EXPECT_EQ(code("sound"), code("taken"));
  const Ran hunt = run_shell(here +
                             " hunt --lock taken/taken.lua --within-assumptions --property wrong-release --plans 600 "
                             "--hunt-seed 5 --findings 1 --jobs 1 --out kept");
  EXPECT_EQ(hunt.status, 1) << hunt.out;
  EXPECT_TRUE(has(hunt, "broken assumptions: none")) << hunt.out;
  EXPECT_EQ(run_shell(here + " regress kept").status, 1);
  const Ran mended = run_shell(here + " regress kept --lock sound/sound.lua");
  EXPECT_EQ(mended.status, 0) << mended.out;
  EXPECT_EQ(run_shell(here + " new lock in-cpp --mistake").status, 2) << "there is none in C++";
}

}  // namespace lua_lock_command_test
}  // namespace picklock
