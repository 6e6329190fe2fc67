// The part of Lua's C interface that differs between 5.1, the language that Redis embeds, and 5.2, of which alone Debian has
// the sources: the module for browsers is made with 5.2 (cmake/playground_lua.cmake). Texts see what 5.1 has.
//
// Called inside of LuaMachine::protect().
#pragma once

struct lua_State;

namespace picklock {

// Pushes the table of globals.
void push_lua_globals(lua_State* lua);
// Takes the table from the top, and makes it the globals of what is loaded next.
void replace_lua_globals(lua_State* lua);
// Takes the table from the top, and makes it the globals of the loaded text that is then on the top.
void set_globals_of_text(lua_State* lua);
// Adds the functions of the language, of string, table, math and coroutine to the globals.
void open_lua_libraries(lua_State* lua);
// Goes on with a coroutine, with `count` values from its stack.
int resume_lua(lua_State* thread, lua_State* from, int count);

// Fails if the metatable at `index` has what only 5.2 obeys.
void check_metatable(lua_State* lua, int index);

}  // namespace picklock
