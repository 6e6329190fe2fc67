// How Lua's errors come back to where they are caught. WebAssembly of its own can neither jump nor throw; JavaScript can
// throw through it. `attempt` of the page calls the function, and `jump` throws what `attempt` catches (app/playground/page/engine.js).
//
// Included before each source of Lua.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
struct lua_State;
void picklock_lua_attempt(void (*function)(struct lua_State *, void *), struct lua_State *lua, void *argument)
    __attribute__((import_module("picklock"), import_name("attempt")));
void picklock_lua_jump(void) __attribute__((import_module("picklock"), import_name("jump"), noreturn));
#ifdef __cplusplus
}
#endif

#define luai_jmpbuf int
#define LUAI_THROW(lua, target) picklock_lua_jump()
// `f` and `ud` are of luaD_rawrunprotected, the only place.
#define LUAI_TRY(lua, target, action) picklock_lua_attempt(f, lua, ud)

// Tables keep their order of 5.1: the hash of a number is the sum of its two halves.
#define luai_hashnum(hash, number)                                          \
  do {                                                                      \
    unsigned int halves[2];                                                 \
    __builtin_memcpy(halves, &(number), sizeof halves);                     \
    (hash) = (number) == 0 ? 0 : (int)((halves[0] + halves[1]) % ((sizenode(t) - 1) | 1)); \
  } while (0)
