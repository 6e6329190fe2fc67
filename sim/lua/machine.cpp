#include "sim/lua/machine.hpp"

#include <lua.hpp>

#include "base/check.hpp"
#include "sim/lua/interface.hpp"
#include "sim/lua/library.hpp"

namespace picklock {
namespace {

constexpr int kSlice = 1000;              // instructions between two looks at the rest
constexpr std::size_t kManyBytes = 4096;  // one instruction may make as many bytes, and takes longer then
constexpr std::int64_t kToFillThem = 16;
constexpr std::uint64_t kSeed = 0x330E;  // srand48(0)

int attempt_to_modify(lua_State* lua) { return luaL_error(lua, "Attempt to modify a readonly table"); }

int no_such_global(lua_State* lua) {
  const bool named = lua_type(lua, 2) == LUA_TSTRING;
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'",
                    named ? lua_tostring(lua, 2) : luaL_typename(lua, 2));
}

}  // namespace

LuaMachine::LuaMachine(const Limits& limits) : random_state(kSeed), limits_(limits), memory_(limits.bytes) {
  lua_ = lua_newstate(allocate, this);
  PICKLOCK_CHECK(lua_ != nullptr);
  refill();
}

LuaMachine& LuaMachine::of(lua_State* lua) {
  void* self = nullptr;
  lua_getallocf(lua, &self);
  return *static_cast<LuaMachine*>(self);
}

bool LuaMachine::protect(int (*function)(lua_State*), void* argument) {
  return lua_cpcall(lua_, function, argument) == 0;
}

void LuaMachine::push_library(lua_State* lua) { push_lua_library(lua); }

void LuaMachine::seal(lua_State* lua) {
  lua_newtable(lua);
  lua_newtable(lua);
  lua_pushvalue(lua, -3);
  lua_setfield(lua, -2, "__index");
  lua_pushcfunction(lua, attempt_to_modify);
  lua_setfield(lua, -2, "__newindex");
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
  lua_setmetatable(lua, -2);
  lua_remove(lua, -2);
}

void LuaMachine::set_globals(lua_State* lua) {
  lua_newtable(lua);
  lua_pushcfunction(lua, no_such_global);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, -2);
  lua_pushvalue(lua, -1);
  seal(lua);
  lua_pushvalue(lua, -1);
  lua_setfield(lua, -3, "_G");
  replace_lua_globals(lua);
  lua_pop(lua, 1);
}

void LuaMachine::refill() {
  left_ = limits_.instructions;
  lua_sethook(lua_, on_count, LUA_MASKCOUNT, kSlice);
}

void LuaMachine::charge(lua_State* lua, std::int64_t instructions) {
  LuaMachine& self = of(lua);
  self.left_ -= instructions;
  if (self.left_ > 0) return;
  // A script that catches this error gets no further than the next instruction.
  lua_sethook(lua, on_count, LUA_MASKCOUNT, 1);
  luaL_where(lua, 0);
  std::size_t size = 0;
  (void)lua_tolstring(lua, -1, &size);
  if (size == 0) luaL_where(lua, 1);  // a C function has no line, but its caller
  lua_pushfstring(lua, "stopped after %f instructions", static_cast<double>(self.limits_.instructions));
  lua_concat(lua, 2);  // the error is what is on the top
  lua_error(lua);
}

void LuaMachine::on_count(lua_State* lua, lua_Debug*) { charge(lua, kSlice); }

void* LuaMachine::allocate(void* self, void* block, std::size_t before, std::size_t after) {
  LuaMachine& machine = *static_cast<LuaMachine*>(self);
  if (after > kManyBytes) machine.left_ -= static_cast<std::int64_t>(after / kManyBytes) * kToFillThem;
  return machine.memory_.resize(block, before, after);
}

}  // namespace picklock
