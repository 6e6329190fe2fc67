#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "algorithms/lock.hpp"
#include "algorithms/lua/lua_locks.hpp"

namespace picklock {
namespace {

namespace fs = std::filesystem;

int& times_refused() {
  static int times = 0;
  return times;
}

std::string& folder_beside() {
  static thread_local std::string folder;
  return folder;
}

// Paths of the files of locks, by the names under which scenarios know them.
std::map<std::string, fs::path>& known_files() {
  static std::map<std::string, fs::path> files;
  return files;
}

fs::path found(const std::string& path) {
  std::error_code none;
  const fs::path beside = fs::path(folder_beside()) / path;
  return fs::exists(beside, none) ? beside : fs::path(path);
}

}  // namespace

LuaFilesBeside::LuaFilesBeside(std::string folder) : before_(std::exchange(folder_beside(), std::move(folder))) {}
LuaFilesBeside::~LuaFilesBeside() { folder_beside() = before_; }

NoLuaFiles::NoLuaFiles() { ++times_refused(); }
NoLuaFiles::~NoLuaFiles() { --times_refused(); }

std::string add_lua_lock(const std::string& path) {
  const fs::path file = found(path);
  std::error_code none;
  const auto known = known_files().find(path);
  if (find_lock_kind(path) != nullptr) {
    const bool same =
        known == known_files().end() || !fs::exists(file, none) || fs::equivalent(known->second, file, none);
    return same ? ""
                : fmt::format("{}: found two files for this lock, {} and {}, expected one name for each in a command",
                              path, known->second.string(), file.string());
  }
  if (times_refused() > 0) return fmt::format("{}: found a lock in Lua without its text", path);
  known_files()[path] = file;
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in || text.str().empty())
    return fmt::format("{}: found no such file, or an empty one, expected a lock in Lua", path);
  return add_lua_lock_text(path, text.str());
}

}  // namespace picklock
