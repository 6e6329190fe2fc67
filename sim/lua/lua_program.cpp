#include "sim/lua/lua_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <lua.hpp>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/nearest.hpp"
#include "sim/lua/conversion.hpp"
#include "sim/lua/interface.hpp"

namespace picklock {
namespace {

// --- questions

// object:name(…); upvalues: place of the question, number of the object.
int ask_caller(lua_State* lua) {
  if (!lua_istable(lua, 1)) return luaL_error(lua, "a question was asked with a dot, expected a colon: object:name(…)");
  lua_pushvalue(lua, lua_upvalueindex(1));
  lua_replace(lua, 1);
  lua_pushvalue(lua, lua_upvalueindex(2));
  lua_insert(lua, 2);
  return lua_yield(lua, lua_gettop(lua));
}

// Gives no object with a destructor to its caller, over whom an error of Lua jumps.
std::array<char, 400> no_such_question(std::span<const LuaAsk> asks, std::string_view object, std::string_view name) {
  std::vector<std::string> names;
  for (const LuaAsk& ask : asks) {
    if (ask.object == object) names.emplace_back(ask.name);
  }
  std::string hint = did_you_mean(name, names);
  if (hint.empty() && !names.empty()) hint = fmt::format("; its questions are {}", fmt::join(names, ", "));
  const std::string text = fmt::format("{} has no question '{}'{}", object, name.substr(0, 60), hint);
  std::array<char, 400> words{};
  std::copy_n(text.begin(), std::min(text.size(), words.size() - 1), words.begin());
  return words;
}

// Makes the function of a question when a text first asks it.  Upvalues: name and number of the object.
int find_question(lua_State* lua) {
  const std::span<const LuaAsk> asks = static_cast<LuaProgram*>(LuaMachine::of(lua).guest)->asks();
  std::size_t size = 0;
  const char* const object = lua_tolstring(lua, lua_upvalueindex(1), &size);
  const std::string_view name = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : luaL_typename(lua, 2);
  for (std::size_t i = 0; i < asks.size(); ++i) {
    if (asks[i].object != std::string_view(object, size) || asks[i].name != name) continue;
    lua_pushnumber(lua, static_cast<double>(i));
    lua_pushvalue(lua, lua_upvalueindex(2));
    lua_pushcclosure(lua, ask_caller, 2);
    lua_pushvalue(lua, 2);
    lua_pushvalue(lua, -2);
    lua_rawset(lua, 1);
    return 1;
  }
  const auto words = no_such_question(asks, std::string_view(object, size), name);
  return luaL_error(lua, "%s", words.data());
}

// Pushes an object whose questions may be asked, to be read only.
void push_object(lua_State* lua, std::string_view object, std::int64_t number) {
  lua_newtable(lua);
  lua_newtable(lua);
  lua_pushlstring(lua, object.data(), object.size());
  lua_pushnumber(lua, static_cast<double>(number));
  lua_pushcclosure(lua, find_question, 2);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, -2);
  LuaMachine::seal(lua);
}

int no_new_global(lua_State* lua) {
  const bool named = lua_type(lua, 2) == LUA_TSTRING;
  return luaL_error(lua,
                    "attempt to create the global '%s' in a function; declare it at the top of the file, or as local",
                    named ? lua_tostring(lua, 2) : luaL_typename(lua, 2));
}

// --- loading

struct Loading {
  LuaProgram& program;
  const LuaProgram::Source& source;
  const std::string chunk_name;
  int globals = 0;
  LuaValue main = {};
};

// Pushes the text as a function.  Bytecode of strangers may do anything.
void push_function(lua_State* lua, std::string_view text, const char* name, bool translated) {
  if (!translated && !text.empty() && text[0] == LUA_SIGNATURE[0])
    luaL_error(lua, "%s:1: bytecode is not run", name + 1);
  if (luaL_loadbuffer(lua, text.data(), text.size(), name) != 0) lua_error(lua);
}

// Its globals are the table on the top, which it leaves below.
void push_text(lua_State* lua, std::string_view text, const char* name, bool translated) {
  push_function(lua, text, name, translated);
  lua_pushvalue(lua, -2);
  set_globals_of_text(lua);
}

struct Translation {
  std::string_view text;
  const std::string chunk_name;
  std::string out = {};
};

int append_code(lua_State*, const void* bytes, std::size_t size, void* out) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(bytes), size);
  return 0;
}

int translate_text(lua_State* lua) {
  Translation& t = *static_cast<Translation*>(lua_touserdata(lua, 1));
  push_function(lua, t.text, t.chunk_name.c_str(), false);
  lua_dump(lua, append_code, &t.out);
  return 0;
}

int load_text(lua_State* lua) {
  Loading& loading = *static_cast<Loading*>(lua_touserdata(lua, 1));
  const LuaProgram::Source& source = loading.source;
  // So that giving a number back needs no memory.
  lua_pushboolean(lua, 1);
  luaL_unref(lua, LUA_REGISTRYINDEX, luaL_ref(lua, LUA_REGISTRYINDEX));

  LuaMachine::push_library(lua);
  lua_pushnil(lua);
  lua_setfield(lua, -2, "coroutine");  // tasks are the caller's
  for (const std::string_view name : source.objects) {
    lua_pushlstring(lua, name.data(), name.size());
    push_object(lua, name, 0);
    lua_rawset(lua, -3);
  }
  push_text(lua, source.before, "=(built in)", source.translated);
  lua_call(lua, 0, 0);
  LuaMachine::set_globals(lua);

  lua_newtable(lua);
  lua_newtable(lua);
  push_lua_globals(lua);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, -2);
  lua_pushvalue(lua, -1);
  loading.globals = luaL_ref(lua, LUA_REGISTRYINDEX);
  push_text(lua, source.text, loading.chunk_name.c_str(), source.translated);
  read_value(lua, -1, loading.program, loading.main);
  return 0;
}

int close_globals(lua_State* lua) {
  lua_rawgeti(lua, LUA_REGISTRYINDEX, *static_cast<int*>(lua_touserdata(lua, 1)));
  lua_getmetatable(lua, -1);
  lua_pushcfunction(lua, no_new_global);
  lua_setfield(lua, -2, "__newindex");
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
  return 0;
}

// --- reading and making values

struct Reading {
  LuaProgram& program;
  int globals;
  std::string_view name;
  LuaValue out = {};
};

int read_global(lua_State* lua) {
  Reading& r = *static_cast<Reading*>(lua_touserdata(lua, 1));
  lua_rawgeti(lua, LUA_REGISTRYINDEX, r.globals);
  lua_pushlstring(lua, r.name.data(), r.name.size());
  lua_rawget(lua, -2);
  read_value(lua, -1, r.program, r.out);
  return 0;
}

struct Making {
  const LuaValue* table = nullptr;
  std::string_view object = {};
  std::int64_t object_number = 0;
  int number = 0;
};

int make_kept(lua_State* lua) {
  Making& m = *static_cast<Making*>(lua_touserdata(lua, 1));
  if (m.table != nullptr) {
    push_value(lua, *m.table);
  } else {
    push_object(lua, m.object, m.object_number);
  }
  m.number = luaL_ref(lua, LUA_REGISTRYINDEX);
  return 0;
}

int make_thread(lua_State* lua) {
  lua_newthread(lua);
  *static_cast<int*>(lua_touserdata(lua, 1)) = luaL_ref(lua, LUA_REGISTRYINDEX);
  return 0;
}

// --- steps

struct Resumption {
  LuaProgram& program;
  lua_State* thread;
  const LuaKept* function;  // null: goes on
  const LuaValues& values;
  LuaStep step = {};
};

int resume_thread(lua_State* lua) {
  Resumption& r = *static_cast<Resumption*>(lua_touserdata(lua, 1));
  if (r.function != nullptr) {
    lua_rawgeti(lua, LUA_REGISTRYINDEX, r.function->number());
    lua_xmove(lua, r.thread, 1);
  }
  for (const LuaValue& value : r.values) {
    push_value(lua, value);
    lua_xmove(lua, r.thread, 1);
  }
  const int status = resume_lua(r.thread, lua, static_cast<int>(r.values.size()));
  if (status != 0 && status != LUA_YIELD) {
    std::size_t size = 0;
    const bool is_text = lua_type(r.thread, -1) == LUA_TSTRING;
    const char* const text = is_text ? lua_tolstring(r.thread, -1, &size) : nullptr;
    if (text != nullptr) r.step.error.assign(text, size);
    if (text == nullptr) r.step.error.assign("an error that is a ").append(luaL_typename(r.thread, -1));
    return 0;
  }
  const int count = lua_gettop(r.thread);
  luaL_checkstack(lua, count + 1, "too many values");
  lua_xmove(r.thread, lua, count);
  const int first = lua_gettop(lua) - count + 1;
  int place = 0;
  if (status == LUA_YIELD) {
    r.step.ask = static_cast<std::size_t>(lua_tonumber(lua, first));
    r.step.number = static_cast<std::int64_t>(lua_tonumber(lua, first + 1));
    place = 2;
  }
  for (; place < count; ++place) read_value(lua, first + place, r.program, r.step.values.emplace_back());
  r.step.kind = status == LUA_YIELD ? LuaStep::Kind::asks : LuaStep::Kind::returned;
  return 0;
}

// "my.lua:7", at the innermost call that has a line; empty: none has.
std::string place_in(lua_State* thread) {
  lua_Debug call;
  for (int level = 0; lua_getstack(thread, level, &call) != 0; ++level) {
    lua_getinfo(thread, "Sl", &call);
    if (call.currentline > 0) return fmt::format("{}:{}", call.short_src, call.currentline);
  }
  return "";
}

// One line for each call, innermost first.
std::string traceback(lua_State* thread, const std::string& outermost) {
  constexpr int kMost = 12;
  std::string lines;
  lua_Debug call;
  for (int level = 0; level < kMost && lua_getstack(thread, level, &call) != 0; ++level) {
    lua_getinfo(thread, "nSl", &call);
    if (call.currentline <= 0) continue;
    lua_Debug next;
    const bool is_outermost = lua_getstack(thread, level + 1, &next) == 0;
    const std::string name = is_outermost ? outermost : call.name != nullptr ? call.name : "a function";
    lines += fmt::format("\n    in {} ({}:{})", name, call.short_src, call.currentline);
  }
  return lines;
}

}  // namespace

// --- what is kept

LuaKept::~LuaKept() { luaL_unref(program_->machine_.state(), LUA_REGISTRYINDEX, number_); }

std::shared_ptr<const LuaKept> LuaProgram::kept(int number) {
  return std::make_shared<const LuaKept>(shared_from_this(), number);
}

// --- programs

std::string LuaProgram::protect(int (*function)(lua_State*), void* argument) {
  lua_State* const lua = machine_.state();
  if (machine_.protect(function, argument)) {
    lua_settop(lua, 0);
    return "";
  }
  std::string error = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : "an error without words";
  lua_settop(lua, 0);
  return error;
}

std::string LuaProgram::translate(std::string_view name, std::string_view text, std::string& error) {
  LuaProgram reader({}, {});
  Translation translation{text, "@" + std::string(name)};
  error = reader.protect(translate_text, &translation);
  return error.empty() ? std::move(translation.out) : "";
}

std::shared_ptr<LuaProgram> LuaProgram::load(const Source& source, std::string& error) {
  auto program = std::make_shared<LuaProgram>(source.limits, source.asks);
  Loading loading{*program, source, "@" + std::string(source.name)};
  error = program->protect(load_text, &loading);
  if (!error.empty()) return nullptr;
  program->globals_ = loading.globals;
  LuaCall main(loading.main, "the file");
  LuaStep step = main.resume({});
  if (step.kind == LuaStep::Kind::asks) {
    error = main.failure("a question was asked while the file is loaded; ask in a function");
  } else if (step.kind == LuaStep::Kind::failed) {
    error = step.error;
  } else {
    error = program->protect(close_globals, &program->globals_);
  }
  return error.empty() ? program : nullptr;
}

LuaValue LuaProgram::global(std::string_view name) {
  Reading reading{*this, globals_, name};
  machine_.refill();
  const std::string error = protect(read_global, &reading);
  return error.empty() ? std::move(reading.out) : LuaValue();
}

LuaValue LuaProgram::keep(const LuaValue& table) {
  Making making{.table = &table};
  machine_.refill();
  if (!protect(make_kept, &making).empty()) return {};
  return LuaValue(kept(making.number));
}

LuaValue LuaProgram::object(std::string_view object, std::int64_t number) {
  Making making{.object = object, .object_number = number};
  machine_.refill();
  if (!protect(make_kept, &making).empty()) return {};
  return LuaValue(kept(making.number));
}

std::string LuaProgram::place_of(const LuaValue& function) const {
  PICKLOCK_CHECK(function.kept != nullptr);
  lua_State* const lua = machine_.state();
  lua_rawgeti(lua, LUA_REGISTRYINDEX, function.kept->number());
  lua_Debug info;
  lua_getinfo(lua, ">S", &info);
  lua_settop(lua, 0);
  return fmt::format("{}:{}", info.short_src, info.linedefined);
}

// --- calls

LuaCall::LuaCall(const LuaValue& function, std::string name) : function_(function.kept), name_(std::move(name)) {
  PICKLOCK_CHECK(function_ != nullptr);
}

LuaStep LuaCall::resume(const LuaValues& values) {
  LuaProgram& program = *function_->program();
  program.machine_.refill();
  lua_State* const lua = program.machine_.state();
  const bool begins = thread_ == nullptr;
  if (begins) {
    int number = 0;
    const std::string error = program.protect(make_thread, &number);
    if (!error.empty()) {
      LuaStep failed;
      failed.error = fmt::format("{}: {}", name_, error);
      return failed;
    }
    thread_ = program.kept(number);
  }
  lua_rawgeti(lua, LUA_REGISTRYINDEX, thread_->number());
  lua_State* const thread = lua_tothread(lua, -1);
  lua_settop(lua, 0);
  Resumption r{program, thread, begins ? function_.get() : nullptr, values};
  const std::string error = program.protect(resume_thread, &r);
  if (!error.empty()) {
    r.step.kind = LuaStep::Kind::failed;
    r.step.error = error;
  }
  if (r.step.kind == LuaStep::Kind::failed) r.step.error = failure(r.step.error);
  return std::move(r.step);
}

std::string LuaCall::failure(std::string_view why) const {
  if (thread_ == nullptr) return std::string(why);
  lua_State* const lua = function_->program()->machine_.state();
  lua_rawgeti(lua, LUA_REGISTRYINDEX, thread_->number());
  lua_State* const thread = lua_tothread(lua, -1);
  lua_settop(lua, 0);
  const std::string place = place_in(thread);
  const bool placed = place.empty() || why.starts_with(place.substr(0, place.rfind(':') + 1));
  return placed ? fmt::format("{}{}", why, traceback(thread, name_))
                : fmt::format("{}: {}{}", place, why, traceback(thread, name_));
}

}  // namespace picklock
