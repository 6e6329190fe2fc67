#include "sim/lua/interface.hpp"

#include <initializer_list>
#include <lua.hpp>

namespace picklock {

#if LUA_VERSION_NUM == 501

namespace {

void open(lua_State* lua, lua_CFunction function, const char* name) {
  lua_pushcfunction(lua, function);
  lua_pushstring(lua, name);
  lua_call(lua, 1, 0);
}

}  // namespace

void push_lua_globals(lua_State* lua) { lua_pushvalue(lua, LUA_GLOBALSINDEX); }

void replace_lua_globals(lua_State* lua) { lua_replace(lua, LUA_GLOBALSINDEX); }

void set_globals_of_text(lua_State* lua) { lua_setfenv(lua, -2); }

void open_lua_libraries(lua_State* lua) {
  open(lua, luaopen_base, "");
  open(lua, luaopen_string, LUA_STRLIBNAME);
  open(lua, luaopen_table, LUA_TABLIBNAME);
  open(lua, luaopen_math, LUA_MATHLIBNAME);
}

int resume_lua(lua_State* thread, lua_State*, int count) { return lua_resume(thread, count); }

void check_metatable(lua_State*, int) {}

#else

namespace {

// A call in protected mode that no coroutine can leave by a yield, as in 5.1.
int finish_call(lua_State* lua, int status) {
  lua_pushboolean(lua, status == LUA_OK ? 1 : 0);
  lua_replace(lua, 1);
  return lua_gettop(lua);
}
int pcall51(lua_State* lua) {
  luaL_checkany(lua, 1);
  lua_pushnil(lua);
  lua_insert(lua, 1);  // room for the status
  return finish_call(lua, lua_pcall(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0));
}
int xpcall51(lua_State* lua) {
  luaL_checkany(lua, 2);
  lua_settop(lua, 2);
  lua_insert(lua, 1);  // the handler, below the function
  lua_pushnil(lua);
  lua_insert(lua, 1);
  const int status = lua_pcall(lua, 0, LUA_MULTRET, 2);
  lua_remove(lua, 2);
  return finish_call(lua, status);
}
int length(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  lua_pushnumber(lua, static_cast<double>(lua_rawlen(lua, 1)));
  return 1;
}

// Replaces a function in the table on the top.
void replace(lua_State* lua, const char* name, lua_CFunction function) {
  lua_pushcfunction(lua, function);
  lua_setfield(lua, -2, name);
}
void rename(lua_State* lua, const char* now, const char* before) {
  lua_getfield(lua, -1, now);
  lua_setfield(lua, -2, before);
}
void drop(lua_State* lua, const char* name) {
  lua_pushnil(lua);
  lua_setfield(lua, -2, name);
}

}  // namespace

void push_lua_globals(lua_State* lua) { lua_pushglobaltable(lua); }

void replace_lua_globals(lua_State* lua) { lua_rawseti(lua, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS); }

// The only upvalue of a loaded text.
void set_globals_of_text(lua_State* lua) { lua_setupvalue(lua, -2, 1); }

void open_lua_libraries(lua_State* lua) {
  static const luaL_Reg kLibraries[] = {{"_G", luaopen_base},
                                        {LUA_STRLIBNAME, luaopen_string},
                                        {LUA_TABLIBNAME, luaopen_table},
                                        {LUA_MATHLIBNAME, luaopen_math},
                                        {LUA_COLIBNAME, luaopen_coroutine}};
  for (const luaL_Reg& library : kLibraries) {
    luaL_requiref(lua, library.name, library.func, 1);
    lua_pop(lua, 1);
  }
  push_lua_globals(lua);
  replace(lua, "pcall", pcall51);
  replace(lua, "xpcall", xpcall51);
  lua_pushliteral(lua, "Lua 5.1");
  lua_setfield(lua, -2, "_VERSION");
  lua_getfield(lua, -1, LUA_STRLIBNAME);
  rename(lua, "gmatch", "gfind");
  lua_pop(lua, 1);
  lua_getfield(lua, -1, LUA_TABLIBNAME);
  replace(lua, "getn", length);
  for (const char* const name : {"pack", "unpack"}) drop(lua, name);
  lua_pop(lua, 1);
  lua_getfield(lua, -1, LUA_MATHLIBNAME);
  rename(lua, "fmod", "mod");
  lua_pop(lua, 2);
}

int resume_lua(lua_State* thread, lua_State* from, int count) { return lua_resume(thread, from, count); }

// A table with __gc would run it whenever memory is collected.
void check_metatable(lua_State* lua, int index) {
  if (lua_type(lua, index) != LUA_TTABLE) return;
  for (const char* const name : {"__gc", "__len", "__pairs", "__ipairs"}) {
    lua_pushstring(lua, name);
    lua_rawget(lua, index);
    if (!lua_isnil(lua, -1)) luaL_error(lua, "%s is not of Lua 5.1", name);
    lua_pop(lua, 1);
  }
}

#endif

}  // namespace picklock
