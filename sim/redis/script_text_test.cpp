// The Lua text of scripts in the simulated server.  scripts/compare-scripts compares with a real one.
#include "sim/redis/script_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "sim/redis/database.hpp"
#include "sim/redis/scripts_lab.hpp"

namespace picklock {
namespace {

struct OneServer {
  RedisDatabase database{redis_lab_scripts()};
  RedisSession session{1};
  RedisOutputs out;

  template <class... Args>
  std::string ask(const Args&... args) {
    const RedisCommand command(args...);
    return database.execute(session, command, 1'000, out).to_string();
  }
  std::string eval(std::string_view lua) { return ask("EVAL", lua, 2, "k", "l", "v", "40"); }
};

std::string error_of(std::string_view reply) { return std::string(reply.substr(0, reply.find(" script: "))); }

TEST(ScriptText, RunsInTheServer) {
  OneServer server;
  EXPECT_EQ(server.eval("return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])"), "OK");
  EXPECT_EQ(server.ask("GET", "k"), "\"v\"");
  EXPECT_EQ(server.eval("return {redis.call('PTTL', KEYS[1]), #KEYS, #ARGV}"), "[40, 2, 2]");
  EXPECT_EQ(server.eval("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end"), "1");
  EXPECT_EQ(server.eval("return redis.call('GET', KEYS[1]) == false"), "1");
}

TEST(ScriptText, ItsEffectsAreReplicatedAndNotItself) {
  OneServer server;
  server.eval("redis.call('SET', KEYS[1], 1) redis.call('INCR', KEYS[1]) redis.call('GET', KEYS[1])");
  std::string effects;
  server.out.for_each_effect(EffectTarget::replica,
                             [&](const RedisCommandView& effect) { effects += effect.to_string() + "; "; });
  EXPECT_EQ(effects, "MULTI; SET k 1; INCR k; EXEC; ");
}

TEST(ScriptText, ConvertsBothWays) {
  OneServer server;
  EXPECT_EQ(server.eval("return {1, {2, nil, 3}, 3.7, 'a', true, false}"), "[1, [2], 3, \"a\", 1, nil]");
  EXPECT_EQ(server.eval("return {double = 3.5}"), "\"3.5\"");
  EXPECT_EQ(server.eval("return {ok = 'fine'}"), "fine");
  EXPECT_EQ(server.eval("return 1e300"), "-9223372036854775808");
  EXPECT_EQ(server.eval("return redis.call('SET', KEYS[1], 3.5).ok"), "\"OK\"");
  EXPECT_EQ(server.eval("return redis.status_reply('so')"), "so");
  EXPECT_EQ(server.eval("return redis.error_reply('My Err')"), "!My Err");
  EXPECT_EQ(server.eval("return {ok = 'so\\0me'}"), "so");
  EXPECT_EQ(server.eval("return {{err = 'E so\\0me'}, 'so\\0me'}").substr(0, 8), "[!E so, ");
  EXPECT_EQ(server.eval("return redis.error_reply('one')"), "!ERR one");
  EXPECT_EQ(server.eval("return redis.sha1hex('abc')"), "\"a9993e364706816aba3e25717850c26c9cd0d89d\"");
  EXPECT_EQ(server.eval("local t = {} t[1] = t return t").find("[[[["), 0U);
  EXPECT_EQ(server.eval("return redis.log(redis.LOG_NOTICE, 'x')"), "nil");
}

TEST(ScriptText, ErrorsComeInTheServersWords) {
  OneServer server;
  EXPECT_EQ(
      server.eval("x=1"),
      "!ERR user_script:1: Attempt to modify a readonly table script: 7caf6056913504f0508c65faf2dc3f94ff65bcfd, on "
      "@user_script:1.");
  EXPECT_EQ(error_of(server.eval("return y")),
            "!ERR user_script:1: Script attempted to access nonexistent global variable 'y'");
  EXPECT_EQ(server.eval("for"),
            "!ERR Error compiling script (new function): user_script:1: '<name>' expected near '<eof>'");
  EXPECT_EQ(error_of(server.eval("\nerror({err = 'My thing'})")), "!My thing");
  EXPECT_EQ(error_of(server.eval("error({err = ''})")), "!");
  EXPECT_EQ(error_of(server.eval("error({err = 110})")), "!110");
  EXPECT_EQ(error_of(server.eval("rawset(_G, 'x', 1)")), "!ERR Attempt to modify a readonly table");
  EXPECT_EQ(error_of(server.eval("setmetatable(_G, {})")), "!ERR Attempt to modify a readonly table");
  EXPECT_EQ(server.eval("return setmetatable({}, {__index = {a = 1}}).a"), "1");
  EXPECT_EQ(error_of(server.eval("setmetatable(setmetatable({}, {__metatable = 1}), nil)")),
            "!ERR user_script:1: cannot change a protected metatable");
  EXPECT_EQ(error_of(server.eval("error({})")), "!ERR the script failed with an error that is no text");
  EXPECT_EQ(error_of(server.eval("return redis.call()")),
            "!ERR Please specify at least one argument for this redis lib call");
  server.ask("SET", "k", "v");
  const std::string wrong = "WRONGTYPE Operation against a key holding the wrong kind of value";
  EXPECT_EQ(error_of(server.eval("return redis.call('HGET', KEYS[1], 'f')")), "!" + wrong);
  EXPECT_EQ(server.eval("return redis.pcall('HGET', KEYS[1], 'f')"), "!" + wrong);
  EXPECT_EQ(server.eval("local ok, e = pcall(redis.call, 'HGET', KEYS[1], 'f') return e"), "\"" + wrong + "\"");
}

TEST(ScriptText, IsStoppedAtItsLimits) {
  OneServer server;
  EXPECT_NE(server.eval("while true do pcall(error) end").find("stopped after 5000000 instructions"),
            std::string::npos);
  EXPECT_EQ(server.eval("return ('x'):rep(1e8)").find("!ERR not enough memory"), 0U);
  EXPECT_EQ(server.eval("local t = {} for i = 1, 50 do t = {t, t} end return t").size() > 100'000, true);
}

// The scripts of the lab have bodies; here their texts run.
TEST(ScriptText, SaysWhatTheBodiesSay) {
  for (const RedisScript* script : redis_lab_scripts()) {
    OneServer texts, bodies;
    for (OneServer* server : {&texts, &bodies}) {
      server->ask("SET", "k", "v");
      server->ask("RPUSH", "list", "a", "b");
    }
    const std::string_view arguments[] = {"GET", "k"};
    for (const std::string_view key : {"k", "list", "absent"}) {
      for (const std::string_view argument : {std::string_view("v"), std::string_view("100"), arguments[0]}) {
        const std::string by_text = texts.ask("EVAL", script->lua, 1, key, argument, arguments[1]);
        const std::string by_body = bodies.ask("EVAL", script->name, 1, key, argument, arguments[1]);
        EXPECT_EQ(error_of(by_text), error_of(by_body)) << script->name << " " << key << " " << argument;
        EXPECT_EQ(texts.database.fingerprint(), bodies.database.fingerprint()) << script->name;
      }
    }
  }
}

}  // namespace
}  // namespace picklock
