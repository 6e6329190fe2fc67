// There are no files: a lock in Lua comes as a text beside the question that names it.
#include <fmt/format.h>

#include "algorithms/lock.hpp"
#include "algorithms/lua/lua_locks.hpp"

namespace picklock {

LuaFilesBeside::LuaFilesBeside(std::string folder) : before_(std::move(folder)) {}
LuaFilesBeside::~LuaFilesBeside() = default;

std::string add_lua_lock(const std::string& path) {
  if (find_lock_kind(path) != nullptr) return "";
  return fmt::format("{}: found no such lock; the playground has the one in the editor of a lock in Lua", path);
}

}  // namespace picklock
