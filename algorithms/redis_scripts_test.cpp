#include "algorithms/redis_scripts.hpp"

#include <gtest/gtest.h>

#include <set>

#include "algorithms/test_world.hpp"

namespace picklock {
namespace {

using testing::ToyRuntime;
using testing::ToyWorld;

std::string eval(ToyWorld& world, const RedisScript& script,
                 std::initializer_list<std::string_view> keys,
                 std::initializer_list<std::string_view> arguments) {
  return world.server.command(script.call(keys, arguments));
}

TEST(RedisScripts, DeleteOnlyWhatIsOurs) {
  ToyWorld world;
  EXPECT_EQ(eval(world, kDeleteIfEquals, {"door"}, {"mine"}), "0");
  world.server.ask("SET", "door", "other");
  EXPECT_EQ(eval(world, kDeleteIfEquals, {"door"}, {"mine"}), "0");
  EXPECT_EQ(eval(world, kDeleteIfEquals, {"door"}, {""}), "0");
  EXPECT_EQ(eval(world, kDeleteIfEquals, {"door"}, {"other"}), "1");
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
}

TEST(RedisScripts, ProlongOnlyWhatIsOurs) {
  ToyWorld world;
  EXPECT_EQ(eval(world, kExpireIfEquals, {"door"}, {"mine", "100"}), "0");
  world.server.ask("SET", "door", "other");
  EXPECT_EQ(eval(world, kExpireIfEquals, {"door"}, {"mine", "100"}), "0");
  EXPECT_EQ(world.server.ask("PTTL", "door"), "-1");
  EXPECT_EQ(eval(world, kExpireIfEquals, {"door"}, {"other", "100"}), "1");
  EXPECT_EQ(world.server.ask("PTTL", "door"), "100");
}

TEST(RedisScripts, ATokenComesWithAGrantOnly) {
  ToyWorld world;
  EXPECT_EQ(eval(world, kSetWithToken, {"door", "door:token"}, {"mine", "100"}), "1");
  EXPECT_EQ(eval(world, kSetWithToken, {"door", "door:token"}, {"other", "100"}), "nil");
  EXPECT_EQ(world.server.ask("GET", "door:token"), "\"1\"");
  EXPECT_EQ(world.server.ask("GET", "door"), "\"mine\"");
  EXPECT_EQ(world.server.ask("PTTL", "door"), "100");
  world.server.ask("DEL", "door");
  EXPECT_EQ(eval(world, kSetWithToken, {"door", "door:token"}, {"other", "100"}), "2");
}

// Writes down what a body calls, as the Lua text would spell it.
class Recorder final : public ScriptContext {
 public:
  std::size_t key_count() const override { return 2; }
  std::size_t argument_count() const override { return 2; }
  std::string_view key(std::size_t n) const override { return n == 1 ? "KEYS[1]" : "KEYS[2]"; }
  std::string_view argument(std::size_t n) const override { return n == 1 ? "ARGV[1]" : "ARGV[2]"; }
  std::int64_t now_ms() const override { return 0; }
  std::vector<std::string> calls;

 private:
  RedisReply run(const RedisCommand& command) override {
    std::string spelt;
    for (std::size_t i = 0; i < command.argc(); ++i) {
      const std::string_view arg = command.arg(i);
      const bool name = arg.starts_with("KEYS") || arg.starts_with("ARGV");
      spelt += (i > 0 ? ", " : "") + (name ? std::string(arg) : "'" + std::string(arg) + "'");
    }
    calls.push_back(spelt);
    return command.arg(0) == "GET" ? RedisReply::bulk("ARGV[1]") : RedisReply::ok();
  }
};

std::vector<std::string> calls_in(std::string_view lua) {
  constexpr std::string_view kCall = "redis.call(";
  std::vector<std::string> calls;
  for (auto at = lua.find(kCall); at != lua.npos; at = lua.find(kCall, at + 1)) {
    const std::size_t begin = at + kCall.size();
    calls.emplace_back(lua.substr(begin, lua.find(')', begin) - begin));
  }
  return calls;
}

TEST(RedisScripts, BothSpellingsMakeTheSameCalls) {
  for (const RedisScript* script : redis_scripts()) {
    Recorder recorder;
    script->body(recorder);
    EXPECT_EQ(recorder.calls, calls_in(script->lua)) << script->name;
  }
}

TEST(RedisScripts, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const RedisScript* script : redis_scripts()) {
    EXPECT_TRUE(names.insert(script->name).second) << script->name;
  }
}

TEST(OwnerValue, IsShortAndAnotherEachTime) {
  ToyRuntime runtime;
  const Host host(runtime, 1);
  std::set<std::string> values;
  for (int i = 0; i < 1000; ++i) {
    const std::string value = owner_value(host);
    EXPECT_EQ(value.size(), 13U);
    EXPECT_TRUE(values.insert(value).second);
  }
}

}  // namespace
}  // namespace picklock
