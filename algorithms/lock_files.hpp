// Locks that a name opens: a file in Lua, or whatever else a program has an opener for.
#pragma once

#include <string>
#include <string_view>

namespace picklock {

struct LockOpener {
  bool (*is_meant)(std::string_view name) = nullptr;
  // Makes the lock known by this name. Gives what is wrong; empty: nothing.
  std::string (*add)(const std::string& name) = nullptr;
};

// Call it at the start of main, before any scenario is read.
void add_lock_opener(const LockOpener& opener);

// True if this name is none of the table, but opens a lock.
bool opens_lock(std::string_view name);
// Makes the lock known that this name opens. Gives what is wrong; empty: nothing.
std::string open_lock(const std::string& name);

}  // namespace picklock
