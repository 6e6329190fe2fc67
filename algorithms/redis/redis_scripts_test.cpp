#include "algorithms/redis/redis_scripts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "algorithms/redis/redis_lock_lab.hpp"

namespace picklock {
namespace {

using testing::LabRuntime;
using testing::RedisLockLab;

std::string eval(RedisLockLab& world, const RedisScript& script, std::initializer_list<std::string_view> keys,
                 std::initializer_list<std::string_view> arguments) {
  return world.server.command(script.call(keys, arguments));
}

TEST(RedisScripts, DeleteOnlyWhatIsOurs) {
  RedisLockLab world;
  EXPECT_EQ(eval(world, kDeleteIfEquals, {"door"}, {"mine"}), "0");
  world.server.ask("SET", "door", "other");
  EXPECT_EQ(eval(world, kDeleteIfEquals, {"door"}, {"mine"}), "0");
  EXPECT_EQ(eval(world, kDeleteIfEquals, {"door"}, {""}), "0");
  EXPECT_EQ(eval(world, kDeleteIfEquals, {"door"}, {"other"}), "1");
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
}

TEST(RedisScripts, ProlongOnlyWhatIsOurs) {
  RedisLockLab world;
  EXPECT_EQ(eval(world, kExpireIfEquals, {"door"}, {"mine", "100"}), "0");
  world.server.ask("SET", "door", "other");
  EXPECT_EQ(eval(world, kExpireIfEquals, {"door"}, {"mine", "100"}), "0");
  EXPECT_EQ(world.server.ask("PTTL", "door"), "-1");
  EXPECT_EQ(eval(world, kExpireIfEquals, {"door"}, {"other", "100"}), "1");
  EXPECT_EQ(world.server.ask("PTTL", "door"), "100");
}

// Text and body of each script must agree.
TEST(RedisScripts, AddToTheTimeOfWhatIsOurs) {
  for (const bool by_text : {false, true}) {
    RedisLockLab world;
    const auto prolong = [&](std::string_view value) {
      if (!by_text) return eval(world, kProlongIfEquals, {"door"}, {value, "100"});
      return world.server.ask("EVAL", kProlongIfEquals.lua, 1, "door", value, "100");
    };
    EXPECT_EQ(prolong("mine"), "0");
    world.server.ask("SET", "door", "mine");
    EXPECT_EQ(prolong("mine"), "0") << "a key without a TTL";
    world.server.ask("PEXPIRE", "door", 50);
    EXPECT_EQ(prolong("other"), "0");
    EXPECT_EQ(world.pttl(), 50);
    EXPECT_EQ(prolong("mine"), "1");
    EXPECT_EQ(world.pttl(), 150);
    const auto by = [&](std::string_view more) {
      if (!by_text) return eval(world, kProlongIfEquals, {"door"}, {"mine", more});
      return world.server.ask("EVAL", kProlongIfEquals.lua, 1, "door", "mine", more);
    };
    for (const char* wrong : {"soon", "", "10 ms"})
      EXPECT_NE(by(wrong).find("attempt to perform arithmetic on field '?' (a string value)"), std::string::npos);
    EXPECT_EQ(world.pttl(), 150);
    EXPECT_EQ(by(" 100 "), "1");
    EXPECT_EQ(world.pttl(), 250);
  }
}

TEST(RedisScripts, ATokenComesWithAGrantOnly) {
  RedisLockLab world;
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
  // Bit i: the i-th call is answered by nil.
  explicit Recorder(std::uint32_t nils = 0) : nils_(nils) {}
  std::vector<std::string> calls;

 private:
  std::optional<std::string_view> look(std::string_view key) override {
    return run(RedisCommand("GET", key)).is_nil() ? std::nullopt : std::optional<std::string_view>("ARGV[1]");
  }
  std::int64_t remove(std::string_view key) override { return run(RedisCommand("DEL", key)).is_nil() ? 0 : 1; }
  RedisReply run(const RedisCommand& command) override {
    std::string spelt;
    for (std::size_t i = 0; i < command.argc(); ++i) {
      const std::string_view arg = command.arg(i);
      const bool name = arg.starts_with("KEYS") || arg.starts_with("ARGV");
      spelt += (i > 0 ? ", " : "") + (name ? std::string(arg) : "'" + std::string(arg) + "'");
    }
    calls.push_back(spelt);
    if (nils_ >> (calls.size() - 1) & 1) return RedisReply::nil();
    return command.arg(0) == "GET" ? RedisReply::bulk("ARGV[1]") : RedisReply::ok();
  }
  std::uint32_t nils_;
};

bool is_subsequence(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
  auto at = whole.begin();
  for (const std::string& one : part) {
    at = std::find(at, whole.end(), one);
    if (at++ == whole.end()) return false;
  }
  return true;
}

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
    if (std::string_view(script->name).starts_with("redisson-")) continue;  // these scripts loop
    if (script == &kProlongIfEquals) continue;                              // this script adds
    const std::vector<std::string> lua = calls_in(script->lua);
    std::set<std::string> made;  // calls that any branch made
    for (std::uint32_t nils = 0; nils < 1U << std::min<std::size_t>(lua.size(), 10); ++nils) {
      Recorder recorder(nils);
      script->body(recorder);
      EXPECT_TRUE(is_subsequence(recorder.calls, lua)) << script->name;
      made.insert(recorder.calls.begin(), recorder.calls.end());
    }
    EXPECT_EQ(made, std::set<std::string>(lua.begin(), lua.end())) << script->name;
  }
}

TEST(RedisScripts, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const RedisScript* script : redis_scripts()) {
    EXPECT_TRUE(names.insert(script->name).second) << script->name;
  }
}

TEST(OwnerValue, IsShortAndAnotherEachTime) {
  LabRuntime runtime;
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
