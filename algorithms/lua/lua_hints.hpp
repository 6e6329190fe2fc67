// Names that a text in Lua may have meant.
#pragma once

#include <deque>
#include <string>

#include "algorithms/lua/lua_options.hpp"

namespace picklock {

// The error, with "; did you mean 'options'?" behind its first line where that blames a field or a global that is nil, and
// whose name resembles one that a lock finds: of ctx, of its options, of a hold, of an answer, of the built-in globals.
std::string with_lua_hint(std::string error, const std::deque<LuaOption>& options);

}  // namespace picklock
