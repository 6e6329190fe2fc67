// An interpreter of Lua 5.1 for texts of strangers: bounded in memory and instructions, and deterministic.
//
// A text sees the functions of the language, of string, table, math and coroutine; no files, no clocks, no addresses, no
// bytecode.  It cannot create global variables.  The order in which pairs() visits a table follows from its keys alone: a
// table that has tables or functions for keys has no such order and cannot be traversed.
//
// Errors of Lua jump over the frames of C functions without running destructors.  A C function that calls Lua therefore
// keeps no object with a destructor, and what may fail is called through protect().
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/lua/memory.hpp"

struct lua_State;
struct lua_Debug;

namespace picklock {

class LuaMachine {
 public:
  struct Limits {
    std::size_t bytes = std::size_t{16} << 20;
    std::int64_t instructions = 5'000'000;
  };
  LuaMachine() : LuaMachine(Limits{}) {}
  explicit LuaMachine(const Limits& limits);
  LuaMachine(const LuaMachine&) = delete;
  LuaMachine& operator=(const LuaMachine&) = delete;
  ~LuaMachine() = default;

  // The machine that runs this state.
  static LuaMachine& of(lua_State* lua);

  // Calls `function` with `argument` as its light userdata.  False: it failed, and its error is on the top of the stack.
  bool protect(int (*function)(lua_State*), void* argument);

  // Inside of protect: pushes a table with the functions that every text may use, for the caller to add its own to.
  static void push_library(lua_State* lua);
  // Inside of protect: takes the table from the top, and makes it the globals of what is loaded next, to be read only.
  static void set_globals(lua_State* lua);
  // Inside of protect: takes the table from the top and pushes another one, which gives what it has and cannot be changed.
  static void seal(lua_State* lua);

  // Counts work of a C function among the instructions; fails as a text that has run for too long.
  static void charge(lua_State* lua, std::int64_t instructions);
  // Gives a text all its instructions again.
  void refill();
  // Instructions that a text may still run, not counting up to 1,000 of the last ones.
  std::int64_t left() const { return left_; }

  lua_State* state() const { return lua_; }
  std::size_t bytes() const { return memory_.used(); }

  void* guest = nullptr;       // context of the caller that runs the texts
  std::uint64_t random_state;  // state of math.random

 private:
  static void* allocate(void* self, void* block, std::size_t before, std::size_t after);
  static void on_count(lua_State* lua, lua_Debug* what);

  Limits limits_;
  LuaMemory memory_;
  std::int64_t left_ = 0;
  lua_State* lua_ = nullptr;
};

}  // namespace picklock
