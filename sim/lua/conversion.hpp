// Values between C++ and the stack of an interpreter.  To be called inside of LuaMachine::protect.
#pragma once

#include <memory>

#include "sim/lua/value.hpp"

struct lua_State;

namespace picklock {

class LuaProgram;

// Pushes the value.  A kept value must be kept in the program of this state.
void push_value(lua_State* lua, const LuaValue& value);
// Reads the value at `index` into `out`, which must be nil; it changes nothing on the stack.
void read_value(lua_State* lua, int index, LuaProgram& program, LuaValue& out, int depth = 0);

}  // namespace picklock
