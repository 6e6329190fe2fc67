// The table of all locks, family by family.
#include <vector>

#include "algorithms/kinds.hpp"
#include "algorithms/lua/lua_locks.hpp"

namespace picklock {
namespace {

constexpr std::size_t kRoom = 1024;  // the table never moves: what runs refers to its lines

struct Table {
  std::vector<LockKind> kinds, of_files;
  std::vector<std::string_view> names;

  Table() {
    kinds.reserve(kRoom);
    of_files.reserve(kRoom);
    names.reserve(2 * kRoom);
    for (const auto family : {single_redis_kinds, library_kinds, redlock_kinds, redisson_kinds, article_kinds,
                              zookeeper_kinds, curator_kinds, go_zookeeper_kinds, kazoo_kinds, etcd_kinds}) {
      for (const LockKind& kind : family()) add(kind, kinds);
    }
  }
  bool add(const LockKind& kind, std::vector<LockKind>& to) {
    if (to.size() == kRoom) return false;
    to.push_back(kind);
    names.push_back(kind.name);
    return true;
  }
};

Table& table() {
  static Table all;
  return all;
}

}  // namespace

std::span<const LockKind> lock_kinds() { return table().kinds; }
std::span<const std::string_view> lock_kind_names() { return table().names; }

const LockKind* find_lock_kind(std::string_view name) {
  for (const auto* const kinds : {&table().kinds, &table().of_files}) {
    for (const LockKind& kind : *kinds) {
      if (kind.name == name) return &kind;
    }
  }
  return nullptr;
}

bool add_lock_kind(const LockKind& kind) {
  return find_lock_kind(kind.name) == nullptr && table().add(kind, table().kinds);
}

bool add_lock_of_file(const LockKind& kind) {
  return find_lock_kind(kind.name) == nullptr && table().add(kind, table().of_files);
}

void forget_locks_of_files() {
  table().of_files.clear();
  table().names.clear();
  for (const LockKind& kind : table().kinds) table().names.push_back(kind.name);
}

}  // namespace picklock
