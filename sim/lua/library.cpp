#include "sim/lua/library.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <lua.hpp>
#include <string_view>

#include "sim/lua/interface.hpp"
#include "sim/lua/machine.hpp"
#include "sim/lua/pattern_steps.hpp"

namespace picklock {
namespace {

bool has_address(int type) {
  return type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA || type == LUA_TTHREAD ||
         type == LUA_TLIGHTUSERDATA;
}

// Prints like the original, without the address.
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

// Acts like the original; a table that a text protects itself is not sealed.
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

// --- functions whose work is not that of one instruction: it is counted before they begin

// The text at this place, or an empty one; a number becomes its text there, as the functions do it themselves.
std::string_view text_at(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* const text = lua_isstring(lua, index) != 0 ? lua_tolstring(lua, index, &size) : nullptr;
  return text == nullptr ? std::string_view() : std::string_view(text, size);
}

int call_original(lua_State* lua) { return lua_tocfunction(lua, lua_upvalueindex(1))(lua); }

enum class Search : std::uint8_t { find, match, every, replace };

// Index at which find and match begin, from 0.
std::size_t begin_of_search(lua_State* lua, std::size_t size) {
  const double place = lua_isnumber(lua, 3) != 0 ? lua_tonumber(lua, 3) : 1;
  const double from = place < 0 ? static_cast<double>(size) + place : place - 1;
  return from <= 0 ? 0 : from >= static_cast<double>(size) ? size : static_cast<std::size_t>(from);
}

// string.find and its like call themselves for each part of a pattern: a long one would exhaust the stack of the processor.
// A pattern with many repetitions tries more places than there is time for.
int bounded_search(lua_State* lua) {
  constexpr std::size_t kLongest = 2'000;
  const std::string_view text = text_at(lua, 1), pattern = text_at(lua, 2);
  if (pattern.size() > kLongest) {
    return luaL_error(lua, "a pattern of more than %d characters", static_cast<int>(kLongest));
  }
  const auto search = static_cast<Search>(static_cast<int>(lua_tonumber(lua, lua_upvalueindex(2))));
  const bool from_begin = search == Search::every || search == Search::replace;
  const std::size_t from = from_begin ? 0 : begin_of_search(lua, text.size());
  const std::int64_t most = LuaMachine::of(lua).left();
  const bool is_plain = search == Search::find && (lua_toboolean(lua, 4) != 0 || !is_pattern(pattern));
  const PatternSteps counted = is_plain ? count_plain_steps(text, pattern, from, most)
                                        : count_pattern_steps({.text = text,
                                                               .pattern = pattern,
                                                               .from = from,
                                                               .every = from_begin,
                                                               .anchored = search != Search::every},
                                                              most);
  LuaMachine::charge(lua, counted.steps);
  return call_original(lua);
}

enum class Work : std::uint8_t { text, all_texts, part_of_text, repeated_text, list, insertion, removal, sorted_list };

double length_at(lua_State* lua, int index) {
  return lua_istable(lua, index) ? static_cast<double>(lua_objlen(lua, index)) : 0;
}

// A place in a list, as its functions read it: an int.
int place_at(lua_State* lua, int index) { return static_cast<int>(lua_tointeger(lua, index)); }

// Upper bound of the letters that string.sub copies.
double length_of_part(lua_State* lua) {
  const auto size = static_cast<double>(text_at(lua, 1).size());
  const double first = lua_tonumber(lua, 2), last = lua_isnumber(lua, 3) != 0 ? lua_tonumber(lua, 3) : -1;
  const double begin = std::max(first < 0 ? size + first : first - 1, 0.0);
  const double end = std::min(last < 0 ? size + last + 1 : last, size);
  return std::max(end - begin, 0.0);
}

// Work on the arguments, in instructions.
double work_of(lua_State* lua, Work work) {
  constexpr double kBytes = 16;           // copied as quickly as an instruction runs
  constexpr double kMostMade = 16 << 20;  // more bytes would exhaust the memory
  constexpr double kElement = 16;         // bytes per element of a list that becomes a text
  switch (work) {
    case Work::text:
      return static_cast<double>(text_at(lua, 1).size()) / kBytes;
    case Work::all_texts: {
      double bytes = 0;
      for (int i = lua_gettop(lua); i > 0; --i) {
        if (lua_type(lua, i) == LUA_TSTRING) bytes += static_cast<double>(text_at(lua, i).size());
      }
      return bytes / kBytes;
    }
    case Work::part_of_text:
      return length_of_part(lua) / kBytes;
    case Work::repeated_text:
      return std::min(static_cast<double>(text_at(lua, 1).size()) * lua_tonumber(lua, 2), kMostMade) / kBytes;
    case Work::list:
      return length_at(lua, 1) * kElement;
    case Work::insertion:  // a call with two arguments inserts at the end
      return lua_gettop(lua) > 2 ? length_at(lua, 1) - place_at(lua, 2) : 0;
    case Work::removal:
      return place_at(lua, 2) > 0 ? length_at(lua, 1) - place_at(lua, 2) : 0;
    case Work::sorted_list:
      return 2 * length_at(lua, 1) * std::log2(length_at(lua, 1) + 1);
  }
  return 0;
}

int charged(lua_State* lua) {
  const auto kind = static_cast<Work>(static_cast<int>(lua_tonumber(lua, lua_upvalueindex(2))));
  const double work = work_of(lua, kind);
  constexpr double kMost = 1e15;
  if (work >= 1) LuaMachine::charge(lua, static_cast<std::int64_t>(work < kMost ? work : kMost));
  return call_original(lua);
}

// Puts `before` in front of the function of this name in the table on the top.
template <class Kind>
void put_before(lua_State* lua, const char* name, lua_CFunction before, Kind kind) {
  lua_getfield(lua, -1, name);
  if (lua_iscfunction(lua, -1) == 0) return lua_pop(lua, 1);
  lua_pushnumber(lua, static_cast<double>(kind));
  lua_pushcclosure(lua, before, 2);
  lua_setfield(lua, -2, name);
}

void bound_texts(lua_State* lua) {
  put_before(lua, "find", bounded_search, Search::find);
  put_before(lua, "match", bounded_search, Search::match);
  put_before(lua, "gmatch", bounded_search, Search::every);
  put_before(lua, "gfind", bounded_search, Search::every);
  put_before(lua, "gsub", bounded_search, Search::replace);
  for (const char* const name : {"lower", "reverse", "upper"}) put_before(lua, name, charged, Work::text);
  put_before(lua, "format", charged, Work::all_texts);
  put_before(lua, "rep", charged, Work::repeated_text);
  put_before(lua, "sub", charged, Work::part_of_text);
}

void bound_lists(lua_State* lua) {
  for (const char* const name : {"concat", "maxn"}) put_before(lua, name, charged, Work::list);
  put_before(lua, "insert", charged, Work::insertion);
  put_before(lua, "remove", charged, Work::removal);
  put_before(lua, "sort", charged, Work::sorted_list);
}

void set(lua_State* lua, const char* name, lua_CFunction function) {
  lua_pushcfunction(lua, function);
  lua_setfield(lua, -2, name);
}

// Copies from the table on the top to the table below it.
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
  put_before(lua, "tonumber", charged, Work::text);
  put_before(lua, "loadstring", charged, Work::text);

  push_part(lua, LUA_STRLIBNAME);
  lua_pushnil(lua);
  lua_setfield(lua, -2, "dump");
  bound_texts(lua);
  set_sealed(lua, "string");
  push_part(lua, LUA_MATHLIBNAME);
  set(lua, "random", safe_random);
  set(lua, "randomseed", safe_randomseed);
  set_sealed(lua, "math");
  push_part(lua, LUA_TABLIBNAME);
  for (const char* name : {"foreach", "foreachi"}) {  // deprecated; they iterate in the order of addresses
    lua_pushnil(lua);
    lua_setfield(lua, -2, name);
  }
  bound_lists(lua);
  set_sealed(lua, "table");
  push_part(lua, LUA_COLIBNAME);
  set_sealed(lua, "coroutine");
}

}  // namespace picklock
