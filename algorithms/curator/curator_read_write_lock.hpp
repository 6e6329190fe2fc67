// Curator's InterProcessReadWriteLock: a mutex for writers and one for readers in one queue.
//
//   write   a node __WRIT__<n>; held when it is first
//   read    a node __READ__<n>; held when no writer is before it, or when this thread holds the write
//           lock; else it waits for the first of all writers
//   downgrade  write, read, release the write lock: since 5.5.0 the read node is not sequential but bears
//           the writer's number, so that no node comes between
//
// From:      Apache Curator 5.9, InterProcessReadWriteLock.
// Promises:  within its sessions: one writer, or readers; tokens that grow from writer to writer.
// Does not:  upgrade: a reader that asks for the write lock waits behind its own node for ever.
// Abandoned: as CuratorMutex.
//
// Known bug, an option: downgrade = "own-number" (CURATOR-276, CURATOR-621, until 5.4): the read node queues
// at the end; once the write lock is released, a writer that had been waiting gets in beside the reader.
#pragma once

#include "algorithms/curator/curator_mutex.hpp"

namespace picklock {

enum class CuratorDowngrade : std::uint8_t { writers_number, own_number };
constexpr auto enum_names(CuratorDowngrade) { return name_list("writers-number", "own-number"); }

struct CuratorReadWriteOptions {
  CuratorMutexOptions mutex;
  CuratorDowngrade downgrade = CuratorDowngrade::writers_number;
  void fields(FieldVisitor& v);
};

class CuratorReadWriteLock final : public CuratorMutex {
 public:
  CuratorReadWriteLock(const LockContext& context, const CuratorReadWriteOptions& options);

 protected:
  Place place(const std::vector<std::string>& sorted, const std::string& mine) const override;
  std::string_view lock_name() const override;
  Task<CuratorCreated> create() override;
  std::string sort_key(const std::string& child) const override;

 private:
  bool reads_;
  CuratorDowngrade downgrade_;
  std::shared_ptr<CuratorLockData> writer_;  // the thread's own write lock
};

}  // namespace picklock
