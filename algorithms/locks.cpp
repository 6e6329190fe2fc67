// The table of all locks, family by family.
#include <algorithm>
#include <vector>

#include "algorithms/families.hpp"
#include "algorithms/kinds.hpp"
#include "algorithms/lua/lua_locks.hpp"

namespace picklock {
namespace {

constexpr LockFamily kFamilies[] = {
    {"single-server", "one Redis server: SETNX, SET NX PX, time stamps", single_redis_kinds},
    {"redis-libraries", "locks of redis-py, Laravel and Spring", library_kinds},
    {"redlock", "a majority of independent Redis servers, and the libraries that derive from Redlock", redlock_kinds},
    {"redisson", "Redisson's locks, with its client and its watchdog", redisson_kinds},
    {"articles", "locks that articles explain or use: Jedis, Go, early Redisson", article_kinds},
    {"zookeeper-recipes", "ZooKeeper's recipes, its example WriteLock, and an article's lock", zookeeper_kinds},
    {"curator", "Curator's mutexes, semaphores and leader latch", curator_kinds},
    {"go-zookeeper", "locks of the go-zookeeper library", go_zookeeper_kinds},
    {"kazoo", "locks of the Python library kazoo", kazoo_kinds},
    {"etcd", "etcd's concurrency package, its lock service, Kubernetes' lease", etcd_kinds}};

constexpr std::size_t kRoom = 1024;  // the table never moves: what runs refers to its lines

struct Table {
  std::vector<LockKind> kinds, of_files;
  std::vector<std::string_view> names;

  Table() {
    kinds.reserve(kRoom);
    of_files.reserve(kRoom);
    names.reserve(2 * kRoom);
    for (const LockFamily& family : kFamilies) {
      for (const LockKind& kind : family.kinds()) add(kind, kinds);
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

std::span<const LockFamily> lock_families() { return kFamilies; }

const LockFamily* family_of(std::string_view lock_name) {
  for (const LockFamily& family : kFamilies) {
    const std::span<const LockKind> kinds = family.kinds();
    if (std::any_of(kinds.begin(), kinds.end(), [&](const LockKind& k) { return k.name == lock_name; })) return &family;
  }
  return nullptr;
}

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
