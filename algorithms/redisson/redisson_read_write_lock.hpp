// Redisson's read-write lock: one hash for both sides, whose field "mode" says which is held.
//
//   read   enters unless another thread writes; each read hold has a key of its own that times it,
//          and the last to leave tells one waiter of each process
//   write  enters if the lock is free, or again; leaves to the thread's own reads, if it has any; else
//          tells all waiters
//
// From:      Redisson, RedissonReadLock and RedissonWriteLock; 3.16.8, 3.52 and 4.7 by `release`.
// Promises:  what RedissonLock does, for writers against all; readers share; a writer may read.
// Does not:  upgrade: a reader that asks to write waits for itself.  Nor keep writers from starving.
// Abandoned: as RedissonLock.
//
// Known bugs, each an option and a scenario:
//   reader-renewal = "all" (#1458, PR#7098)  a reader's watchdog prolongs the times of all readers, the dead ones
//                  too: as long as others read, their holds never end
//   reader-renewal = "all-by-first-name"  the same, and a slip of 3.44 to 3.52: with several read locks in one request,
//                  only the first one's holds are timed anew; a nested read makes the request fail
//   cancels-writer  a thread that writes and reads, and has read, is renewed as a writer no more (since 3.44)
//   (until 3.43)    a thread that writes and reads, and has written, is renewed as a reader no more
//   expired-unlock  the unlock of a lock that is over is answered as if it were one (until 3.43)
//   (all releases)  a nested read times itself alone, and a renewal that finds the outer read's timer gone answers yes: the
//                  inner unlock frees the lock, and the outer reader works on (redisson_nested_read_outlived)
// A nested write adds its lease to what is left (pttl + lease); so do we.
#pragma once

#include <vector>

#include "algorithms/redisson/redisson_base_lock.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

// Holds that a reader's watchdog prolongs.
enum class ReaderRenewal : std::uint8_t {
  own_threads,       // since 4.4: those of all threads of this client
  all,               // until 3.43 and 4.0 to 4.3: those of every reader
  all_by_first_name  // 3.44 to 3.52: those of every reader, by the key of the first name of the request
};
constexpr auto enum_names(ReaderRenewal) { return name_list("own-threads", "all", "all-by-first-name"); }

// Answer to the unlock of a lock that is not there.
enum class ExpiredUnlock : std::uint8_t {
  refused,  // since 3.44: IllegalMonitorStateException
  yes
};
constexpr auto enum_names(ExpiredUnlock) { return name_list("refused", "yes"); }

struct RedissonReadWriteOptions {
  RedissonOptions lock;
  ReaderRenewal reader_renewal = ReaderRenewal::own_threads;
  ExpiredUnlock expired_unlock = ExpiredUnlock::refused;
  bool cancels_writer = true;
  bool inner_read = false;  // application: a writer, once granted, reads as well, and gives the read back
  static RedissonReadWriteOptions of(RedissonRelease release);
  void fields(FieldVisitor& v);
};

class RedissonReadWriteLock final : public RedissonBaseLock {
 public:
  RedissonReadWriteLock(const LockContext& context, const RedissonReadWriteOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  std::optional<MonoTime> deadline(const Hold& hold) const override;

 protected:
  RedisCommand acquire_command(Duration lease, std::optional<Duration> wait) override;
  RedisCommand unlock_command(const std::string& request_id) override;
  RedisCommand force_command() override;
  std::string channel_name() const override { return "redisson_rwlock:{" + name_ + "}"; }
  RedissonRenewedAs renewed_as() const override;
  void unlock_answered() override;

 private:
  bool reads_;
  RedissonReadWriteOptions read_write_;
  std::string writer_;                             // name of this thread as a writer
  std::vector<MonoTime> leases_;                   // lease of each read of this thread; each has a timer
  std::unique_ptr<RedissonReadWriteLock> reader_;  // the same thread, reading, for an inner read
};

}  // namespace picklock
