// Lock kinds made from files in Lua: docs/lua.md describes the files.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace picklock {

class Lock;
class Options;
struct LockContext;
struct LuaHead;

// The longest text of a lock.
inline constexpr std::size_t kMostLuaBytes = std::size_t{1} << 20;

inline bool is_lua_file(std::string_view lock) { return lock.ends_with(".lua"); }

// Makes the lock of this file known by the name of the file as it is given here; does nothing if it is
// there already.  Gives what is wrong with the file, with its line; empty: nothing.  As add_lock_kind: while nothing runs.
std::string add_lua_lock(const std::string& path);
// While it lives, this thread looks for a relative path in this folder first, and then in the one in which the program runs.
class LuaFilesBeside {
 public:
  explicit LuaFilesBeside(std::string folder);
  LuaFilesBeside(const LuaFilesBeside&) = delete;
  LuaFilesBeside& operator=(const LuaFilesBeside&) = delete;
  ~LuaFilesBeside();

 private:
  std::string before_;
};

// The same with a text that is no file's; its name should end in .lua.
std::string add_lua_lock_text(const std::string& name, const std::string& text);

// The same of a head without a text: `make` makes its locks, whose options are LuaLockOptions.
using LockMaker = std::unique_ptr<Lock> (*)(const LockContext&, const Options&);
std::string add_lock_with_head(std::unique_ptr<LuaHead> head, LockMaker make);

// The text of the lock of this name; empty: it is no lock in Lua.
std::string lua_lock_text(std::string_view name);

// While it lives no file is read: a lock in Lua has to be there already.
class NoLuaFiles {
 public:
  NoLuaFiles();
  NoLuaFiles(const NoLuaFiles&) = delete;
  NoLuaFiles& operator=(const NoLuaFiles&) = delete;
  ~NoLuaFiles();
};

// Forgets all of them, for programs that try many: no scenario or run that refers to one may be left.
void forget_lua_locks();
// The part of that in the table of locks.
void forget_locks_of_files();

}  // namespace picklock
