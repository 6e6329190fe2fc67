// The head of a lock in Lua: the global table `lock` of its file.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/lua/lua_lock.hpp"

namespace picklock {

struct LuaHead {
  std::shared_ptr<const LuaFile> file;
  LockKind kind;  // lacks functions, assumptions and options
  std::vector<AssumptionOf> assumptions;
  std::vector<std::unique_ptr<const std::string>> texts;  // texts that kind and assumptions refer to
};

// Runs the text and reads its head.  Gives what is wrong, beginning with file and line; empty: nothing.
std::string read_lua_head(const std::string& path, const std::string& text, LuaHead& head);
// The same of a head that no text has: `head` is its table, and `name` stands in messages where a file's name would.
std::string read_lock_head(const std::string& name, const LuaValue& table, LuaHead& head);

}  // namespace picklock
