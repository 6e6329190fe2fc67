// Redis's conversions between replies and values of Lua.
#pragma once

#include "sim/task/redis_values.hpp"

struct lua_State;

namespace picklock {

// Nil is false, a status {ok = …}, an error {err = …}; the rest is as one expects.  May fail as Lua does.
void push_redis_reply(lua_State* lua, const RedisReply& reply);

// Takes the value on the top: nil and false are nil, true is 1, a number loses its fraction, an array ends before its
// first nil.  A value that is too deep or too large becomes an error.
void take_redis_reply(lua_State* lua, RedisReply& reply);

}  // namespace picklock
