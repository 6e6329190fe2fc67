// The storage server: counters, registers, logs and sets behind one door that may check tokens.
//
// A resource is a list of integers with a version; see sim/storage/storage.hpp for the verbs.  A token
// is compared and remembered in the same step as the effect it guards.  With `fence`, a request
// without a token is let in only as long as no token was ever seen for the resource.  A read hold is
// compared with, and never raises, the largest token of a write hold.
//
// From:      M. Kleppmann, "How to do distributed locking" (2016): the storage server checks tokens.
//            Strict comparison: as some articles sketch it (`current < token`).
//            Claims: antirez, "Is Redlock safe?" (2016): a unique token that a client puts on the
//            resource before it works, and a write that is accepted only while it is there.  That
//            excludes interleaved updates and orders nothing: a stale client that claims late wins.
// Left out:  partial writes, full disks; several storage servers.
#pragma once

#include "sim/core/service.hpp"
#include "sim/core/world.hpp"
#include "sim/storage/options.hpp"
#include "sim/storage/storage.hpp"

namespace picklock {

class StorageServer final : public Program {
 public:
  explicit StorageServer(StorageOptions options = {}) : options_(options) {}

  void set_options(const StorageOptions& options) { options_ = options; }
  void boot(World& world, NodeId node) override;
  std::uint64_t fingerprint(const World& world, NodeId node) const override;

 private:
  StorageOptions options_;
};

namespace trace {

// Kinds of sim/storage: 64 to 95.  A request leaves two records, one after the other.
inline constexpr TraceKind storage_request = kJournal | 64,  // a: resource, b: token, c: flags below
    storage_effect = kJournal | 65,                          // a: hold, b: version, c: read version
    storage_recovered = kJournal | 66;                       // a: resources found on the disk
std::span<const TraceKindInfo> storage_kinds();

inline constexpr std::uint64_t kStorageWrite = 1, kStorageRefused = 2, kStorageHasToken = 4, kStorageDependsOnRead = 8;

}  // namespace trace

}  // namespace picklock
