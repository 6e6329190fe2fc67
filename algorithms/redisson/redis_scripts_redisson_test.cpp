// Each Redisson script in both its spellings, on two databases: the Lua text, run by Lua 5.1 as Redis
// runs it, and the body in C++ must give the same replies, messages and data, whatever came before.
#include "algorithms/redisson/redis_scripts_redisson.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

extern "C" {
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
}

#include "sim/redis/database.hpp"

namespace picklock {
namespace {

// Redis's conversions between replies and Lua values, and redis.call on a database.
class LuaServer {
 public:
  LuaServer() : lua_(luaL_newstate()) {
    luaL_openlibs(lua_);
    lua_newtable(lua_);
    lua_pushlightuserdata(lua_, this);
    lua_pushcclosure(lua_, call, 1);
    lua_setfield(lua_, -2, "call");
    lua_pushcfunction(lua_, error_reply);
    lua_setfield(lua_, -2, "error_reply");
    lua_setglobal(lua_, "redis");
  }
  LuaServer(const LuaServer&) = delete;
  LuaServer& operator=(const LuaServer&) = delete;
  ~LuaServer() { lua_close(lua_); }

  std::string run(const RedisScript& script, const std::vector<std::string>& keys,
                  const std::vector<std::string>& arguments, std::int64_t now_ms) {
    now_ms_ = now_ms;
    set_global("KEYS", keys);
    set_global("ARGV", arguments);
    if (luaL_loadstring(lua_, script.lua) != 0 || lua_pcall(lua_, 0, 1, 0) != 0) {
      const std::string error = lua_tostring(lua_, -1);
      lua_pop(lua_, 1);
      return "error: " + error;
    }
    const std::string reply = from_lua(lua_gettop(lua_)).to_string();
    lua_settop(lua_, 0);
    return reply;
  }
  RedisDatabase database;
  RedisOutputs out;

 private:
  static int error_reply(lua_State* lua) {
    lua_newtable(lua);
    lua_pushvalue(lua, 1);
    lua_setfield(lua, -2, "err");
    return 1;
  }
  static int call(lua_State* lua) {
    auto* const self = static_cast<LuaServer*>(lua_touserdata(lua, lua_upvalueindex(1)));
    RedisCommand command;
    command.clear();
    for (int i = 1; i <= lua_gettop(lua); ++i) {
      char number[32];
      if (lua_type(lua, i) == LUA_TNUMBER) {
        const int n = std::snprintf(number, sizeof number, "%.17g", lua_tonumber(lua, i));
        command.add(std::string_view(number, static_cast<std::size_t>(n)));
      } else {
        std::size_t size = 0;
        const char* const text = luaL_checklstring(lua, i, &size);
        command.add(std::string_view(text, size));
      }
    }
    const RedisReply reply = self->database.execute(self->session_, command, self->now_ms_, self->out);
    if (reply.is_error()) return luaL_error(lua, "%s", std::string(reply.text()).c_str());
    self->to_lua(reply);
    return 1;
  }
  void to_lua(const RedisReply& reply) {
    if (reply.is_integer()) {
      lua_pushnumber(lua_, static_cast<lua_Number>(reply.integer()));
    } else if (reply.is_array()) {
      lua_newtable(lua_);
      int i = 0;
      for (const RedisReply& element : reply.elements()) {
        to_lua(element);
        lua_rawseti(lua_, -2, ++i);
      }
    } else if (reply.is_nil()) {
      lua_pushboolean(lua_, 0);
    } else {
      lua_pushlstring(lua_, reply.text().data(), reply.text().size());
    }
  }
  RedisReply from_lua(int index) {
    switch (lua_type(lua_, index)) {
      case LUA_TNUMBER:
        return RedisReply::integer(static_cast<std::int64_t>(lua_tonumber(lua_, index)));
      case LUA_TSTRING:
        return RedisReply::bulk(lua_tostring(lua_, index));
      case LUA_TBOOLEAN:
        return lua_toboolean(lua_, index) != 0 ? RedisReply::integer(1) : RedisReply::nil();
      case LUA_TTABLE: {
        lua_getfield(lua_, index, "err");
        const bool fails = lua_isstring(lua_, -1) != 0;
        if (fails) return RedisReply::error(lua_tostring(lua_, -1));
        lua_settop(lua_, index);
        RedisReply all = RedisReply::array();
        for (int i = 1;; ++i) {
          lua_rawgeti(lua_, index, i);
          if (lua_isnil(lua_, -1)) break;
          all.push_back(from_lua(lua_gettop(lua_)));
          lua_settop(lua_, index);
        }
        return all;
      }
      default:
        return RedisReply::nil();
    }
  }
  void set_global(const char* name, const std::vector<std::string>& values) {
    lua_newtable(lua_);
    for (std::size_t i = 0; i < values.size(); ++i) {
      lua_pushlstring(lua_, values[i].data(), values[i].size());
      lua_rawseti(lua_, -2, static_cast<int>(i) + 1);
    }
    lua_setglobal(lua_, name);
  }

  lua_State* lua_;
  RedisSession session_{1};
  std::int64_t now_ms_ = 0;
};

// Call of a script; words that begin with $ are drawn.
struct Call {
  const RedisScript* script;
  std::vector<std::string> keys, arguments;
};

const std::vector<Call>& calls() {
  static const std::vector<Call> kCalls = {
      {&kRedissonAcquire, {"p"}, {"$lease", "$owner"}},
      {&kRedissonAcquireFenced, {"p", "counter"}, {"$lease", "$owner"}},
      {&kRedissonUnlock, {"p", "channel"}, {"0", "$owner", "$lease"}},
      {&kRedissonUnlock, {"p", "channel", "$latch"}, {"0", "$owner", "$lease", "300"}},
      {&kRedissonForceUnlock, {"p", "channel"}, {"0"}},
      {&kRedissonRenewMany, {"p", "r", "f"}, {"$lease", "$owner", "$owner", "$owner"}},
      {&kRedissonExpire, {"p", "counter"}, {"$lease"}},
      {&kRedissonExpireIfOwned, {"p"}, {"$lease", "$owner"}},
      {&kRedissonReadAcquire, {"r"}, {"$lease", "a:1", "a:1:write"}},
      {&kRedissonReadAcquire, {"r"}, {"$lease", "$owner", "$owner:write"}},
      {&kRedissonReadUnlock, {"r", "channel"}, {"0", "$owner", "$answer"}},
      {&kRedissonReadUnlock, {"r", "channel", "$latch"}, {"0", "$owner", "$answer", "300"}},
      {&kRedissonWriteAcquire, {"r"}, {"$lease", "a:1:write"}},
      {&kRedissonWriteAcquire, {"r"}, {"$lease", "$owner:write"}},
      {&kRedissonWriteUnlock, {"r", "channel"}, {"1", "a:1:write", "$answer", "$lease"}},
      {&kRedissonWriteUnlock, {"r", "channel", "$latch"}, {"1", "$owner:write", "$answer", "$lease", "300"}},
      {&kRedissonForceUnlockMode, {"r", "channel"}, {"0", "read"}},
      {&kRedissonRenewOwnReaders, {"r"}, {"$lease", "1", "$owner"}},
      {&kRedissonRenewOwnReaders, {"p", "r"}, {"$lease", "1", "$owner", "2", "a:1", "$owner"}},
      {&kRedissonRenewFirstReaders, {"r", "r"}, {"$lease", "$owner"}},
      {&kRedissonRenewFirstReaders, {"p", "p", "r", "r"}, {"$lease", "$owner", "$owner"}},
      {&kRedissonRenewAllReaders, {"r"}, {"$lease", "$owner"}},
      {&kRedissonFairAcquire, {"f", "queue", "timeouts"}, {"$lease", "$owner", "$wait", "$now", "lock"}},
      {&kRedissonFairAcquire, {"f", "queue", "timeouts"}, {"$lease", "$owner", "$wait", "$now", "own"}},
      {&kRedissonFairAcquireDrifting, {"f", "queue", "timeouts"}, {"$lease", "$owner", "$wait", "$now", "lock"}},
      {&kRedissonFairAcquireOnce, {"f", "queue", "timeouts"}, {"$lease", "$owner", "$wait", "$now"}},
      {&kRedissonFairGiveUp, {"queue", "timeouts"}, {"$owner", "$wait"}},
      {&kRedissonFairUnlock, {"f", "queue", "timeouts", "channel"}, {"0", "$owner", "$lease", "$now"}},
      {&kRedissonFairUnlock, {"f", "queue", "timeouts", "channel", "$latch"}, {"0", "$owner", "$lease", "$now", "300"}},
      {&kRedissonFairForceUnlock, {"f", "queue", "timeouts", "channel"}, {"0", "$now"}},
  };
  return kCalls;
}

class Draw {
 public:
  std::size_t below(std::size_t n) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state_ >> 33) % n;
  }
  std::string word(const std::string& pattern, std::int64_t now_ms, const std::string& owner) {
    if (pattern == "$owner") return owner;
    if (pattern == "$owner:write") return owner + ":write";
    if (pattern == "$lease") return below(3) == 0 ? "40" : "400";
    if (pattern == "$wait") return below(2) == 0 ? "30" : "200";
    if (pattern == "$answer") return below(2) == 0 ? "yes" : "no";
    if (pattern == "$now") return std::to_string(now_ms);
    if (pattern == "$latch") return "latch:" + std::to_string(below(3));
    return pattern;
  }

 private:
  std::uint64_t state_ = 20260101;
};

// Hears all channels that the calls name, the fair lock's for each waiter too.
void listen(RedisDatabase& database) {
  RedisSession listener(2);
  RedisOutputs out;
  for (const std::string_view of : {"", ":a:1", ":a:2", ":b:1"}) {
    const std::string channel = "channel" + std::string(of);
    const RedisCommand subscribe("SUBSCRIBE", channel);
    (void)database.execute(listener, subscribe, 0, out);
  }
}

// Messages published since the outputs were cleared.
std::string messages(const RedisOutputs& out) {
  std::string all;
  for (std::size_t i = 0; i < out.delivery_count(); ++i) {
    const RedisOutputs::Delivery d = out.delivery(i);
    all += std::string(d.channel) + " <- " + std::string(d.message) + "; ";
  }
  return all;
}

TEST(RedissonScripts, BothSpellingsDoTheSameWhateverCameBefore) {
  constexpr int kSequences = 30, kSteps = 200;
  Draw draw;
  std::map<std::string, int> published;                       // counted by script
  std::map<std::string, std::map<std::string, int>> replies;  // counted by script, to prove that branches were taken
  for (int sequence = 0; sequence < kSequences; ++sequence) {
    LuaServer lua;
    RedisDatabase bodies(redisson_scripts());
    RedisSession session(1);
    RedisOutputs out;
    listen(lua.database);
    listen(bodies);
    std::int64_t now_ms = 1'700'000'000'000;
    for (int step = 0; step < kSteps; ++step) {
      now_ms += static_cast<std::int64_t>(draw.below(4) == 0 ? draw.below(120) : draw.below(3));
      const Call& call = calls()[draw.below(calls().size())];
      const std::string owner = std::vector<std::string>{"a:1", "a:2", "b:1"}[draw.below(3)];
      std::vector<std::string> keys, arguments;
      for (const std::string& k : call.keys) keys.push_back(draw.word(k, now_ms, owner));
      for (const std::string& a : call.arguments) arguments.push_back(draw.word(a, now_ms, owner));
      const std::vector<std::string_view> key_views(keys.begin(), keys.end());
      const std::vector<std::string_view> argument_views(arguments.begin(), arguments.end());
      const RedisCommand command = call.script->call(key_views, argument_views);
      out.clear();
      lua.out.clear();
      const std::string by_body = bodies.execute(session, command, now_ms, out).to_string();
      const std::string by_lua = lua.run(*call.script, keys, arguments, now_ms);
      ASSERT_EQ(by_body, by_lua) << command.to_string() << " in sequence " << sequence << ", step " << step;
      ASSERT_EQ(bodies.fingerprint(), lua.database.fingerprint()) << command.to_string();
      ASSERT_EQ(messages(out), messages(lua.out)) << command.to_string();
      published[call.script->name] += out.delivery_count() > 0;
      ++replies[call.script->name][by_body];
    }
  }
  for (const RedisScript* script : redisson_scripts()) {
    EXPECT_GE(replies[script->name].size(), 2U) << script->name << " always gives the same reply";
    const bool publishes = std::string_view(script->lua).find("PUBLISH") != std::string_view::npos;
    EXPECT_EQ(published[script->name] > 0, publishes) << script->name;
  }
}

}  // namespace
}  // namespace picklock
