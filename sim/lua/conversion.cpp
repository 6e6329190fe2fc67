#include "sim/lua/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <lua.hpp>

#include "base/nearest.hpp"
#include "sim/lua/lua_program.hpp"
#include "sim/lua/machine.hpp"

namespace picklock {
namespace {

constexpr int kDepthMost = 16;
constexpr int kRoom = 8;  // places on the stack

int rank(const LuaValue& key) { return key.is_number() ? 0 : key.is_text() ? 1 : 2; }

// lua_next goes by the places in a table, which follow from how it was filled.
void sort_entries(std::vector<LuaEntry>& entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const LuaEntry& a, const LuaEntry& b) {
    if (rank(a.key) != rank(b.key)) return rank(a.key) < rank(b.key);
    return a.key.is_number() ? a.key.number < b.key.number : a.key.text < b.key.text;
  });
}

// Gives no object with a destructor to its caller, over whom an error of Lua jumps.
std::array<char, 200> no_such_field(const LuaFields& fields, std::string_view name) {
  const std::vector<std::string> names(fields.names.begin(), fields.names.end());
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = fmt::format("; its fields are {}", fmt::join(names, ", "));
  const std::string text = fmt::format("{} has no field '{}'{}", fields.what, name.substr(0, 60), hint);
  std::array<char, 200> words{};
  std::copy_n(text.begin(), std::min(text.size(), words.size() - 1), words.begin());
  return words;
}

// Reports a field that is absent.  Upvalue: the fields that may be present.
int read_absent_field(lua_State* lua) {
  const auto& fields = *static_cast<const LuaFields*>(lua_touserdata(lua, lua_upvalueindex(1)));
  if (lua_type(lua, 2) != LUA_TSTRING) return 0;
  const std::string_view name = lua_tostring(lua, 2);
  if (std::find(fields.names.begin(), fields.names.end(), name) != fields.names.end()) return 0;
  const auto words = no_such_field(fields, name);
  return luaL_error(lua, "%s", words.data());
}

// Lets the table on the top have these fields and no others.
void restrict_fields(lua_State* lua, const LuaFields& fields) {
  void* const key = const_cast<LuaFields*>(&fields);
  lua_pushlightuserdata(lua, key);
  lua_rawget(lua, LUA_REGISTRYINDEX);
  if (lua_isnil(lua, -1)) {
    lua_pop(lua, 1);
    lua_newtable(lua);
    lua_pushlightuserdata(lua, key);
    lua_pushcclosure(lua, read_absent_field, 1);
    lua_setfield(lua, -2, "__index");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_pushlightuserdata(lua, key);
    lua_pushvalue(lua, -2);
    lua_rawset(lua, LUA_REGISTRYINDEX);
  }
  lua_setmetatable(lua, -2);
}

}  // namespace

void push_value(lua_State* lua, const LuaValue& value) {
  luaL_checkstack(lua, kRoom, "a value is nested too deeply");
  switch (value.kind) {
    case LuaValue::Kind::nil:
      return lua_pushnil(lua);
    case LuaValue::Kind::boolean:
      return lua_pushboolean(lua, value.boolean ? 1 : 0);
    case LuaValue::Kind::number:
      return lua_pushnumber(lua, value.number);
    case LuaValue::Kind::text:
      lua_pushlstring(lua, value.text.data(), value.text.size());
      return;
    case LuaValue::Kind::table:
      lua_createtable(lua, 0, static_cast<int>(value.entries.size()));
      for (const LuaEntry& e : value.entries) {
        push_value(lua, e.key);
        push_value(lua, e.value);
        lua_rawset(lua, -3);
      }
      if (value.fields != nullptr) restrict_fields(lua, *value.fields);
      return;
    case LuaValue::Kind::kept:
      return lua_rawgeti(lua, LUA_REGISTRYINDEX, value.kept->number());
  }
}

// Nothing here may own memory while Lua is called, since an error of Lua jumps over destructors: what is read lies in `out`.
void read_value(lua_State* lua, int index, LuaProgram& program, LuaValue& out, int depth) {
  if (depth > kDepthMost) luaL_error(lua, "a table is nested too deeply, or in itself");
  luaL_checkstack(lua, kRoom, "a table is nested too deeply");
  if (index < 0) index = lua_gettop(lua) + 1 + index;
  switch (lua_type(lua, index)) {
    case LUA_TBOOLEAN:
      out.kind = LuaValue::Kind::boolean;
      out.boolean = lua_toboolean(lua, index) != 0;
      return;
    case LUA_TNUMBER:
      out.kind = LuaValue::Kind::number;
      out.number = lua_tonumber(lua, index);
      return;
    case LUA_TSTRING: {
      std::size_t size = 0;
      const char* const text = lua_tolstring(lua, index, &size);
      out.kind = LuaValue::Kind::text;
      out.text.assign(text, size);
      return;
    }
    case LUA_TTABLE:
      out.kind = LuaValue::Kind::table;
      lua_pushnil(lua);
      while (lua_next(lua, index) != 0) {
        LuaMachine::charge(lua, 1);
        LuaEntry& entry = out.entries.emplace_back();
        read_value(lua, -2, program, entry.key, depth + 1);
        read_value(lua, -1, program, out.entries.back().value, depth + 1);
        lua_pop(lua, 1);
      }
      return sort_entries(out.entries);
    case LUA_TFUNCTION: {
      lua_pushvalue(lua, index);
      const int number = luaL_ref(lua, LUA_REGISTRYINDEX);
      out.kind = LuaValue::Kind::kept;
      out.kept = std::make_shared<const LuaKept>(program.shared_from_this(), number);
      return;
    }
    default:
      return;
  }
}

}  // namespace picklock
