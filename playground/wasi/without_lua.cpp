// The module has no interpreter of Lua: Debian has none for WebAssembly. Scripts of Redis run by their bodies in C++, which
// all locks of the library have; a lock in a file of Lua is refused when the scenario is read.
#include "algorithms/lua/lua_locks.hpp"
#include "base/check.hpp"
#include "sim/redis/script_text.hpp"

namespace picklock {

std::string add_lua_lock(const std::string& path) {
  return path + ": the playground has no interpreter of Lua; picklock run plays locks in Lua";
}

RedisReply run_script_text(std::string_view, ScriptContext&) {
  constexpr bool kHasAnInterpreterOfLua = false;
  PICKLOCK_CHECK(kHasAnInterpreterOfLua);
}

}  // namespace picklock
