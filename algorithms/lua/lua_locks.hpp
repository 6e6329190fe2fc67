// Lock kinds made from files in Lua: docs/lua.md describes the files.
#pragma once

#include <string>
#include <string_view>

namespace picklock {

inline bool is_lua_file(std::string_view lock) { return lock.ends_with(".lua"); }

// Makes the lock of this file known by the name of the file as it is given here; does nothing if it is
// there already.  Gives what is wrong with the file, with its line; empty: nothing.  As add_lock_kind: while nothing runs.
std::string add_lua_lock(const std::string& path);
// The same with a text that is no file's; its name should end in .lua.
std::string add_lua_lock_text(const std::string& name, const std::string& text);

// Forgets all of them, for programs that try many: no scenario or run that refers to one may be left.
void forget_lua_locks();
// The part of that in the table of locks.
void forget_locks_of_files();

}  // namespace picklock
