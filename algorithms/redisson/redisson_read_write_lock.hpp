// Redisson's read-write lock: one hash for both sides, whose field "mode" says which is held.
//
//   read   enters unless another thread writes; each read hold has a key of its own that times it,
//          and the last to leave tells one waiter of each process
//   write  enters if the lock is free, or again; leaves to the thread's own reads, if it has any; else
//          tells all waiters
//
// From:      Redisson, RedissonReadLock and RedissonWriteLock.
// Promises:  what RedissonLock does, for writers against all; readers share; a writer may read.
// Does not:  upgrade: a reader that asks to write waits for itself.  Nor keep writers from starving.
// Abandoned: as RedissonLock.
//
// Known bug: renews-all-readers (#1458, PR#7098, until 4.4): a reader's watchdog prolongs the times
// of all readers, the dead ones too: as long as others read, their holds never end.
// A nested write adds its lease to what is left (pttl + lease); so do we.
#pragma once

#include "algorithms/redisson/redisson_base_lock.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

struct RedissonReadWriteOptions {
  RedissonOptions lock;
  bool renews_all_readers = false;
  void fields(FieldVisitor& v);
};

class RedissonReadWriteLock final : public RedissonBaseLock {
 public:
  RedissonReadWriteLock(const LockContext& context, const RedissonReadWriteOptions& options);

 protected:
  RedisCommand acquire_command(Duration lease, std::optional<Duration> wait) override;
  RedisCommand unlock_command(const std::string& request_id) override;
  RedisCommand force_command() override;
  std::string channel_name() const override { return "redisson_rwlock:{" + name_ + "}"; }
  RedissonRenewedAs renewed_as() const override;

 private:
  bool reads_;
  bool renews_all_readers_;
  std::string writer_;  // this thread, writing
};

}  // namespace picklock
