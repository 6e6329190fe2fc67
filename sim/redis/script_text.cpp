#include "sim/redis/script_text.hpp"

#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <lua.hpp>
#include <string>

#include "base/sha1.hpp"
#include "sim/lua/machine.hpp"
#include "sim/redis/script_values.hpp"

namespace picklock {
namespace {

// One run. C functions reach it through the machine, and keep no C++ object of their own.
struct ScriptTextRun {
  std::string_view text;
  ScriptContext& context;
  RedisCommand command = {};
  RedisReply reply = {};
  bool failed = true;  // false once the text has ended
  std::string error = {}, digest = {};
  char source[100] = "";
  int line = -1;
};

ScriptTextRun& run_of(lua_State* lua) { return *static_cast<ScriptTextRun*>(LuaMachine::of(lua).guest); }

// --- redis.*

int fail_with(lua_State* lua, const char* error) {
  lua_newtable(lua);
  lua_pushstring(lua, error);
  lua_setfield(lua, -2, "err");
  return 1;
}

int execute(lua_State* lua) {
  const int count = lua_gettop(lua);
  if (count == 0) return fail_with(lua, "ERR Please specify at least one argument for this redis lib call");
  ScriptTextRun& run = run_of(lua);
  run.command.clear();
  for (int i = 1; i <= count; ++i) {
    if (lua_type(lua, i) == LUA_TNUMBER) {
      char number[64];
      const int size = std::snprintf(number, sizeof number, "%.17g", lua_tonumber(lua, i));
      run.command.add(std::string_view(number, static_cast<std::size_t>(size)));
    } else if (lua_type(lua, i) == LUA_TSTRING) {
      std::size_t size = 0;
      const char* const text = lua_tolstring(lua, i, &size);
      run.command.add(std::string_view(text, size));
    } else {
      return fail_with(lua, "ERR Lua redis lib command arguments must be strings or integers");
    }
  }
  run.reply = run.context.pcall(run.command);
  push_redis_reply(lua, run.reply);
  return 1;
}

int redis_pcall(lua_State* lua) { return execute(lua); }

int redis_call(lua_State* lua) {
  execute(lua);
  if (lua_istable(lua, -1)) {
    lua_getfield(lua, -1, "err");
    const bool failed = lua_type(lua, -1) == LUA_TSTRING;
    lua_pop(lua, 1);
    if (failed) return lua_error(lua);
  }
  return 1;
}

bool one_text(lua_State* lua) { return lua_gettop(lua) == 1 && lua_type(lua, 1) == LUA_TSTRING; }

int redis_error_reply(lua_State* lua) {
  if (!one_text(lua)) return fail_with(lua, "ERR wrong number or type of arguments");
  const char* const text = lua_tostring(lua, 1);
  const char* const words = text[0] == '-' ? text + 1 : text;
  lua_pushfstring(lua, std::strchr(words, ' ') == nullptr ? "ERR %s" : "%s", words);
  lua_newtable(lua);
  lua_insert(lua, -2);
  lua_setfield(lua, -2, "err");
  return 1;
}

int redis_status_reply(lua_State* lua) {
  if (!one_text(lua)) return fail_with(lua, "ERR wrong number or type of arguments");
  lua_newtable(lua);
  lua_pushvalue(lua, 1);
  lua_setfield(lua, -2, "ok");
  return 1;
}

int redis_sha1hex(lua_State* lua) {
  if (lua_gettop(lua) != 1) {
    fail_with(lua, "ERR wrong number of arguments");
    return lua_error(lua);
  }
  std::size_t size = 0;
  const char* const text = lua_tolstring(lua, 1, &size);
  run_of(lua).digest = sha1_hex(std::string_view(text == nullptr ? "" : text, size));
  lua_pushlstring(lua, run_of(lua).digest.data(), run_of(lua).digest.size());
  return 1;
}

int redis_log(lua_State* lua) {
  if (lua_gettop(lua) < 2) {
    fail_with(lua, "ERR redis.log() requires two arguments or more.");
    return lua_error(lua);
  }
  if (lua_type(lua, 1) != LUA_TNUMBER) {
    fail_with(lua, "ERR First argument must be a number (log level).");
    return lua_error(lua);
  }
  return 0;
}

int redis_replicate_commands(lua_State* lua) {
  lua_pushboolean(lua, 1);
  return 1;
}

// The error of a command comes out of pcall() as its text.
int script_pcall(lua_State* lua) {
  luaL_checkany(lua, 1);
  lua_pushboolean(lua, 1);
  lua_insert(lua, 1);
  if (lua_pcall(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0) != 0) {
    lua_remove(lua, 1);
    if (lua_istable(lua, -1)) {
      lua_getfield(lua, -1, "err");
      if (lua_isstring(lua, -1) != 0) {
        lua_replace(lua, -2);
      } else {
        lua_pop(lua, 1);
      }
    }
    lua_pushboolean(lua, 0);
    lua_insert(lua, 1);
  }
  return lua_gettop(lua);
}

void push_redis_table(lua_State* lua) {
  static const luaL_Reg kFunctions[] = {{"call", redis_call},
                                        {"pcall", redis_pcall},
                                        {"error_reply", redis_error_reply},
                                        {"status_reply", redis_status_reply},
                                        {"sha1hex", redis_sha1hex},
                                        {"log", redis_log},
                                        {"replicate_commands", redis_replicate_commands}};
  static const char* const kLevels[] = {"LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING"};
  lua_newtable(lua);
  for (const luaL_Reg& f : kFunctions) {
    lua_pushcfunction(lua, f.func);
    lua_setfield(lua, -2, f.name);
  }
  for (int level = 0; level < 4; ++level) {
    lua_pushinteger(lua, level);
    lua_setfield(lua, -2, kLevels[level]);
  }
  LuaMachine::seal(lua);
}

// --- a run

// Notes where the text failed.
int note_place(lua_State* lua) {
  ScriptTextRun& run = run_of(lua);
  lua_Debug place;
  if (lua_getstack(lua, 1, &place) == 0) return 1;
  lua_getinfo(lua, "Sl", &place);
  if (std::strcmp(place.what, "C") == 0 && lua_getstack(lua, 2, &place) != 0) lua_getinfo(lua, "Sl", &place);
  std::snprintf(run.source, sizeof run.source, "%s", place.source);
  run.line = place.currentline;
  return 1;
}

// `count` texts of the context as a table in the field `name` of the table on the top.
void set_texts(lua_State* lua, const char* name, bool keys) {
  const ScriptContext& context = run_of(lua).context;
  const std::size_t count = keys ? context.key_count() : context.argument_count();
  lua_newtable(lua);
  for (std::size_t i = 1; i <= count; ++i) {
    const std::string_view text = keys ? context.key(i) : context.argument(i);
    lua_pushlstring(lua, text.data(), text.size());
    lua_rawseti(lua, -2, static_cast<int>(i));
  }
  lua_setfield(lua, -2, name);
}

void note_error(ScriptTextRun& run, lua_State* lua) {
  std::size_t size = 0;
  if (lua_istable(lua, -1)) {
    lua_getfield(lua, -1, "err");
    const bool is_text = lua_isstring(lua, -1) != 0;  // true for a number, too
    const char* const text = is_text ? lua_tolstring(lua, -1, &size) : nullptr;
    run.error.assign(is_text ? text : "ERR the script failed with an error that is no text");
    return;
  }
  const char* const text = lua_tolstring(lua, -1, &size);
  run.error.assign("ERR ");
  if (text != nullptr) {
    run.error.append(text, size);
  } else {
    run.error.append(lua_isnil(lua, -1) ? "nil" : luaL_typename(lua, -1));
  }
}

// Puts the text on the top as a function; false: it is none, and the run's error says why.
bool compile(lua_State* lua, std::string_view text, std::string& error) {
  if (!text.empty() && text[0] == LUA_SIGNATURE[0]) {
    error = "ERR Error compiling script (new function): bytecode is not run";
    return false;
  }
  if (luaL_loadbuffer(lua, text.data(), text.size(), "@user_script") == 0) return true;
  error = "ERR Error compiling script (new function): ";
  error += lua_tostring(lua, -1);
  return false;
}

struct Compilation {
  std::string_view text;
  std::string error = {};
};
int compile_text(lua_State* lua) {
  Compilation& compilation = *static_cast<Compilation*>(lua_touserdata(lua, 1));
  compile(lua, compilation.text, compilation.error);
  return 0;
}

RedisReply error_in_one_line(std::string error) {
  for (char& c : error) {
    if (c == '\r' || c == '\n') c = ' ';
  }
  return RedisReply::error(error);
}

int run_text(lua_State* lua) {
  ScriptTextRun& run = *static_cast<ScriptTextRun*>(lua_touserdata(lua, 1));
  LuaMachine::push_library(lua);
  lua_pushcfunction(lua, script_pcall);
  lua_setfield(lua, -2, "pcall");
  push_redis_table(lua);
  lua_setfield(lua, -2, "redis");
  set_texts(lua, "KEYS", true);
  set_texts(lua, "ARGV", false);
  LuaMachine::set_globals(lua);

  lua_settop(lua, 0);
  lua_pushcfunction(lua, note_place);
  if (!compile(lua, run.text, run.error)) return 0;
  if (lua_pcall(lua, 0, 1, 1) != 0) {
    note_error(run, lua);
  } else {
    take_redis_reply(lua, run.reply);
    run.failed = false;
  }
  return 0;
}

}  // namespace

RedisReply run_script_text(std::string_view lua, ScriptContext& context) {
  ScriptTextRun run{.text = lua, .context = context};
  LuaMachine machine;
  machine.guest = &run;
  if (!machine.protect(run_text, &run)) run.error = "ERR not enough memory";
  if (!run.failed) return std::move(run.reply);
  if (run.line >= 0) {
    run.error += " script: " + sha1_hex(lua) + ", on " + run.source + ":" + std::to_string(run.line) + ".";
  }
  return error_in_one_line(std::move(run.error));
}

std::optional<RedisReply> script_text_error(std::string_view lua) {
  Compilation compilation{.text = lua};
  LuaMachine machine;
  if (!machine.protect(compile_text, &compilation)) compilation.error = "ERR not enough memory";
  if (compilation.error.empty()) return std::nullopt;
  return error_in_one_line(std::move(compilation.error));
}

}  // namespace picklock
