#include "lua/library.hpp"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <lua.hpp>

#include "lua/interface.hpp"
#include "lua/machine.hpp"

namespace picklock {
namespace {

bool has_address(int type) {
  return type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA || type == LUA_TTHREAD ||
         type == LUA_TLIGHTUSERDATA;
}

// As the original's, without the address.
int safe_tostring(lua_State* lua) {
  luaL_checkany(lua, 1);
  if (luaL_callmeta(lua, 1, "__tostring") != 0) return 1;
  const int type = lua_type(lua, 1);
  if (type == LUA_TNUMBER || type == LUA_TSTRING) {
    lua_pushvalue(lua, 1);
    (void)lua_tostring(lua, -1);
  } else if (type == LUA_TBOOLEAN) {
    lua_pushstring(lua, lua_toboolean(lua, 1) != 0 ? "true" : "false");
  } else {
    lua_pushstring(lua, luaL_typename(lua, 1));
  }
  return 1;
}

// A table orders keys that are objects by their addresses.
void check_order(lua_State* lua) {
  std::int64_t keys = 0;
  lua_pushnil(lua);
  while (lua_next(lua, 1) != 0) {
    lua_pop(lua, 1);
    ++keys;
    if (has_address(lua_type(lua, -1))) {
      luaL_error(lua, "a table with a %s for a key has no order: it cannot be traversed", luaL_typename(lua, -1));
    }
  }
  LuaMachine::charge(lua, keys);
}

int safe_next(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  lua_settop(lua, 2);
  if (lua_isnil(lua, 2)) check_order(lua);
  if (lua_next(lua, 1) != 0) return 2;
  lua_pushnil(lua);
  return 1;
}

int safe_pairs(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  lua_pushcfunction(lua, safe_next);
  lua_pushvalue(lua, 1);
  lua_pushnil(lua);
  return 3;
}

// Bytecode is not checked by Lua 5.1, and may do anything.
int safe_loadstring(lua_State* lua) {
  std::size_t size = 0;
  const char* const text = luaL_checklstring(lua, 1, &size);
  const char* const name = luaL_optstring(lua, 2, text);
  if (size > 0 && text[0] == LUA_SIGNATURE[0]) {
    lua_pushnil(lua);
    lua_pushstring(lua, "bytecode is not run");
    return 2;
  }
  if (luaL_loadbuffer(lua, text, size, name) == 0) return 1;
  lua_pushnil(lua);
  lua_insert(lua, -2);
  return 2;
}

// Fails for a table that LuaMachine::seal() made, in the words of Redis, which name no place.
void refuse_sealed(lua_State* lua) {
  if (luaL_getmetafield(lua, 1, "__metatable") == 0) return;
  if (lua_type(lua, -1) == LUA_TBOOLEAN) {
    lua_pushliteral(lua, "Attempt to modify a readonly table");
    lua_error(lua);
  }
  lua_pop(lua, 1);
}

int safe_rawset(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  luaL_checkany(lua, 3);
  lua_settop(lua, 3);
  refuse_sealed(lua);
  lua_rawset(lua, 1);
  return 1;
}

// As the original's; a table that a text protects itself is not sealed.
int safe_setmetatable(lua_State* lua) {
  const int type = lua_type(lua, 2);
  luaL_checktype(lua, 1, LUA_TTABLE);
  luaL_argcheck(lua, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table expected");
  refuse_sealed(lua);
  check_metatable(lua, 2);
  if (luaL_getmetafield(lua, 1, "__metatable") != 0) return luaL_error(lua, "cannot change a protected metatable");
  lua_settop(lua, 2);
  lua_setmetatable(lua, 1);
  return 1;
}

// math.random draws as lrand48 does, as in a Redis script; but each text begins with the same seed.
int safe_random(lua_State* lua) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;
  constexpr std::int64_t kMost = 0x7FFFFFFF;
  std::uint64_t& state = LuaMachine::of(lua).random_state;
  state = (state * 0x5DEECE66DU + 0xB) & kMask;
  const auto bits = static_cast<std::int64_t>(state >> 17);
  const double r = static_cast<double>(bits % kMost) / static_cast<double>(kMost);
  switch (lua_gettop(lua)) {
    case 0:
      lua_pushnumber(lua, r);
      return 1;
    case 1: {
      const int most = luaL_checkint(lua, 1);
      luaL_argcheck(lua, 1 <= most, 1, "interval is empty");
      lua_pushnumber(lua, std::floor(r * most) + 1);
      return 1;
    }
    case 2: {
      const int least = luaL_checkint(lua, 1);
      const int most = luaL_checkint(lua, 2);
      luaL_argcheck(lua, least <= most, 2, "interval is empty");
      lua_pushnumber(lua, std::floor(r * (static_cast<double>(most) - least + 1)) + least);
      return 1;
    }
    default:
      return luaL_error(lua, "wrong number of arguments");
  }
}

int safe_randomseed(lua_State* lua) {
  const auto seed = static_cast<std::uint32_t>(luaL_checkint(lua, 1));
  LuaMachine::of(lua).random_state = std::uint64_t{seed} << 16 | 0x330E;
  return 0;
}

// string.find and its like call themselves for each part of a pattern: a long one would exhaust the stack of the processor.
int bounded_pattern(lua_State* lua) {
  constexpr std::size_t kLongest = 2'000;
  std::size_t size = 0;
  if (lua_isstring(lua, 2) != 0) (void)lua_tolstring(lua, 2, &size);
  if (size > kLongest) return luaL_error(lua, "a pattern of more than %d characters", static_cast<int>(kLongest));
  return lua_tocfunction(lua, lua_upvalueindex(1))(lua);
}

// Puts bounded_pattern before the function of this name in the table on the top.
void bound_pattern(lua_State* lua, const char* name) {
  lua_getfield(lua, -1, name);
  if (lua_iscfunction(lua, -1) == 0) return lua_pop(lua, 1);
  lua_pushcclosure(lua, bounded_pattern, 1);
  lua_setfield(lua, -2, name);
}

void set(lua_State* lua, const char* name, lua_CFunction function) {
  lua_pushcfunction(lua, function);
  lua_setfield(lua, -2, name);
}

// From the table on the top, to the table below it.
void copy(lua_State* lua, const char* name) {
  lua_getfield(lua, -1, name);
  lua_setfield(lua, -3, name);
}

// Pushes a global of the original library.
void push_part(lua_State* lua, const char* name) {
  push_lua_globals(lua);
  lua_getfield(lua, -1, name);
  lua_remove(lua, -2);
}

// Moves the table from the top into the one below it, sealed.
void set_sealed(lua_State* lua, const char* name) {
  LuaMachine::seal(lua);
  lua_setfield(lua, -2, name);
}

}  // namespace

void push_lua_library(lua_State* lua) {
  open_lua_libraries(lua);

  lua_newtable(lua);
  push_lua_globals(lua);
  for (const char* name : {"assert", "error", "getmetatable", "ipairs", "pcall", "rawequal", "rawget", "select",
                           "tonumber", "type", "unpack", "xpcall", "_VERSION"}) {
    copy(lua, name);
  }
  lua_pop(lua, 1);
  set(lua, "tostring", safe_tostring);
  set(lua, "next", safe_next);
  set(lua, "pairs", safe_pairs);
  set(lua, "loadstring", safe_loadstring);
  set(lua, "rawset", safe_rawset);
  set(lua, "setmetatable", safe_setmetatable);

  push_part(lua, LUA_STRLIBNAME);
  lua_pushnil(lua);
  lua_setfield(lua, -2, "dump");
  for (const char* name : {"find", "match", "gmatch", "gfind", "gsub"}) bound_pattern(lua, name);
  set_sealed(lua, "string");
  push_part(lua, LUA_MATHLIBNAME);
  set(lua, "random", safe_random);
  set(lua, "randomseed", safe_randomseed);
  set_sealed(lua, "math");
  push_part(lua, LUA_TABLIBNAME);
  for (const char* name : {"foreach", "foreachi"}) {  // of old, and in the order of addresses
    lua_pushnil(lua);
    lua_setfield(lua, -2, name);
  }
  set_sealed(lua, "table");
  push_part(lua, LUA_COLIBNAME);
  set_sealed(lua, "coroutine");
}

}  // namespace picklock
