// The table of all locks, family by family.
#include <vector>

#include "algorithms/kinds.hpp"

namespace picklock {
namespace {

std::vector<LockKind>& table() {
  static std::vector<LockKind> kinds = [] {
    std::vector<LockKind> all;
    for (const auto family : {single_redis_kinds, redlock_kinds, redisson_kinds, article_kinds, zookeeper_kinds,
                              curator_kinds, go_zookeeper_kinds, kazoo_kinds, etcd_kinds}) {
      all.insert(all.end(), family().begin(), family().end());
    }
    return all;
  }();
  return kinds;
}

}  // namespace

std::span<const LockKind> lock_kinds() { return table(); }

const LockKind* find_lock_kind(std::string_view name) {
  for (const LockKind& kind : table()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

bool add_lock_kind(const LockKind& kind) {
  if (find_lock_kind(kind.name) != nullptr) return false;
  table().push_back(kind);
  return true;
}

}  // namespace picklock
