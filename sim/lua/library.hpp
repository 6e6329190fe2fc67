// The functions that every text may use.
#pragma once

struct lua_State;

namespace picklock {

// Pushes a table with them; its parts (string, table, math, coroutine) are sealed.
void push_lua_library(lua_State* lua);

}  // namespace picklock
