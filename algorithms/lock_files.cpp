#include "algorithms/lock_files.hpp"

#include <vector>

#include "algorithms/lua/lua_locks.hpp"

namespace picklock {
namespace {

std::vector<LockOpener>& openers() {
  static std::vector<LockOpener> all{{is_lua_file, add_lua_lock}};
  return all;
}

const LockOpener* opener_of(std::string_view name) {
  for (const LockOpener& opener : openers()) {
    if (opener.is_meant(name)) return &opener;
  }
  return nullptr;
}

}  // namespace

void add_lock_opener(const LockOpener& opener) { openers().push_back(opener); }
bool opens_lock(std::string_view name) { return opener_of(name) != nullptr; }
std::string open_lock(const std::string& name) {
  const LockOpener* const opener = opener_of(name);
  return opener == nullptr ? "" : opener->add(name);
}

}  // namespace picklock
