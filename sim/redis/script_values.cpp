#include "sim/redis/script_values.hpp"

#include <cstdio>
#include <initializer_list>
#include <lua.hpp>

namespace picklock {
namespace {

constexpr int kDeepest = 1000;
constexpr int kMostElements = 100'000;

void push_field(lua_State* lua, const char* name, std::string_view text) {
  lua_createtable(lua, 0, 1);
  lua_pushlstring(lua, text.data(), text.size());
  lua_setfield(lua, -2, name);
}

// Lua's conversion of a number that has no int64 is the processor's.
std::int64_t whole(double number) {
  return number >= -0x1p63 && number < 0x1p63 ? static_cast<std::int64_t>(number) : INT64_MIN;
}

std::string_view text_at(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* const text = lua_tolstring(lua, index, &size);
  return {text, size};
}

// A status and an error end before their first zero byte, as the server takes them.
std::string_view line_at(lua_State* lua, int index) {
  const std::string_view text = text_at(lua, index);
  return text.substr(0, text.find('\0'));
}

// Calls nothing of Lua that may fail: the names of fields lie in the stack already, and so does its space.
class Taking {
 public:
  explicit Taking(lua_State* lua, int names) : lua_(lua), names_(names) {}

  // The value on the top, which is taken away.
  void take(RedisReply& reply, int depth) {
    switch (lua_type(lua_, -1)) {
      case LUA_TNUMBER:
        reply = RedisReply::integer(whole(lua_tonumber(lua_, -1)));
        break;
      case LUA_TSTRING:
        reply = RedisReply::bulk(text_at(lua_, -1));
        break;
      case LUA_TBOOLEAN:
        reply = lua_toboolean(lua_, -1) != 0 ? RedisReply::integer(1) : RedisReply::nil();
        break;
      case LUA_TTABLE:
        take_table(reply, depth);
        break;
      default:
        reply = RedisReply::nil();
    }
    lua_pop(lua_, 1);
  }

 private:
  // True if the table on the top has a text in the named field; then that lies above it.
  bool has(int name, int type) {
    lua_pushvalue(lua_, names_ + name);
    lua_rawget(lua_, -2);
    if (lua_type(lua_, -1) == type) return true;
    lua_pop(lua_, 1);
    return false;
  }

  void take_table(RedisReply& reply, int depth) {
    if (has(0, LUA_TSTRING)) {
      reply = RedisReply::error(line_at(lua_, -1));
      lua_pop(lua_, 1);
    } else if (has(1, LUA_TSTRING)) {
      reply = RedisReply::status(line_at(lua_, -1));
      lua_pop(lua_, 1);
    } else if (has(2, LUA_TNUMBER)) {
      char digits[64];
      const int size = std::snprintf(digits, sizeof digits, "%.17g", lua_tonumber(lua_, -1));
      reply = RedisReply::bulk(std::string_view(digits, static_cast<std::size_t>(size)));
      lua_pop(lua_, 1);
    } else if (depth >= kDeepest) {
      reply = RedisReply::error("ERR reached lua stack limit");
    } else {
      take_array(reply, depth);
    }
  }

  void take_array(RedisReply& reply, int depth) {
    reply = RedisReply::array();
    for (int i = 1;; ++i) {
      lua_rawgeti(lua_, -1, i);
      if (lua_isnil(lua_, -1) || ++elements_ > kMostElements) {
        lua_pop(lua_, 1);
        return;
      }
      RedisReply element;
      take(element, depth + 1);
      reply.push_back(std::move(element));
    }
  }

  lua_State* lua_;
  int names_;
  int elements_ = 0;
};

}  // namespace

void push_redis_reply(lua_State* lua, const RedisReply& reply) {
  luaL_checkstack(lua, 4, "a reply is too deep");
  switch (reply.kind()) {
    case RedisReply::Kind::nil:
      lua_pushboolean(lua, 0);
      return;
    case RedisReply::Kind::integer:
      lua_pushnumber(lua, static_cast<double>(reply.integer()));
      return;
    case RedisReply::Kind::status:
      return push_field(lua, "ok", reply.text());
    case RedisReply::Kind::error:
      return push_field(lua, "err", reply.text());
    case RedisReply::Kind::bulk:
      lua_pushlstring(lua, reply.text().data(), reply.text().size());
      return;
    case RedisReply::Kind::array:
      lua_newtable(lua);
      for (std::size_t i = 0; i < reply.elements().size(); ++i) {
        push_redis_reply(lua, reply.elements()[i]);
        lua_rawseti(lua, -2, static_cast<int>(i) + 1);
      }
  }
}

void take_redis_reply(lua_State* lua, RedisReply& reply) {
  const int value = lua_gettop(lua);
  luaL_checkstack(lua, 3 * kDeepest + 16, "a reply is too deep");
  for (const char* name : {"err", "ok", "double"}) lua_pushstring(lua, name);
  lua_pushvalue(lua, value);
  Taking(lua, value + 1).take(reply, 0);
}

}  // namespace picklock
