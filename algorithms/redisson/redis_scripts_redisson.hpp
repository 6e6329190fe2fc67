// The scripts of the Redisson locks: what they do is Redisson's, how they are written is ours.
//
// A lock is a hash: its fields are the owners ("client:thread"), their values count acquisitions.
// The unlock scripts may be given one key more, the latch: there the first unlock leaves its answer
// for a repetition of the same request.
#pragma once

#include "sim/task/redis_values.hpp"

namespace picklock {

// KEYS lock  ARGV lease in ms, owner: nil if granted, else the lock's PTTL
extern const RedisScript kRedissonAcquire;
// KEYS lock, counter  ARGV lease, owner: {-1, token} if granted, else {PTTL, -1}
extern const RedisScript kRedissonAcquireFenced;
// KEYS lock, channel [, latch]  ARGV message, owner, lease [, latch's ms]: 1 if free now, 0 if inner
// acquisitions remain, nil if it was not the owner's
extern const RedisScript kRedissonUnlock;
// KEYS lock, channel  ARGV message: 1 if there was a lock
extern const RedisScript kRedissonForceUnlock;
// KEYS lock…  ARGV lease, owner of each: for each 1 if prolonged, else 0
extern const RedisScript kRedissonRenewMany;
// KEYS lock [, other keys that belong to it]…  ARGV lease: how many of them now end then, even another's
extern const RedisScript kRedissonExpire;
// KEYS lock  ARGV lease, owner: 1 if prolonged, else 0
extern const RedisScript kRedissonExpireIfOwned;

// Read-write: the field "mode" is "read" or "write"; the time of the i-th read hold of an owner is
// kept by the key "lock:owner:rwlock_timeout:i".
// KEYS lock  ARGV lease, owner, the same thread's write owner: as kRedissonAcquire
extern const RedisScript kRedissonReadAcquire;
// KEYS lock, channel [, latch]  ARGV message, owner, "yes" or "no", if there is no lock [, latch's ms]: as
// kRedissonUnlock
extern const RedisScript kRedissonReadUnlock;
// KEYS lock  ARGV lease, owner: as kRedissonAcquire
extern const RedisScript kRedissonWriteAcquire;
// KEYS lock, channel [, latch]  ARGV message, owner, "yes" or "no", lease [, latch's ms]: as kRedissonReadUnlock
extern const RedisScript kRedissonWriteUnlock;
// KEYS lock, channel  ARGV message, mode: 1 if there was a lock of that mode
extern const RedisScript kRedissonForceUnlockMode;
// KEYS lock…  ARGV lease, and for each lock the number of its owners and the owners: for each 1 if prolonged for
// any of them, else 0 (since 4.4)
extern const RedisScript kRedissonRenewOwnReaders;
// KEYS lock  ARGV lease, owner: {1} if prolonged, else {0}; of every reader, dead ones included (until 3.43)
extern const RedisScript kRedissonRenewAllReaders;
// KEYS lock, what its timers' keys begin with, …  ARGV lease, owner of each: the same for several locks, where
// the hold's number stands for the lock's (3.44 to 3.52): first holds are timed by the first lock's key, second ones by
// what is not there with one lock (an error), by the second lock's name with two
extern const RedisScript kRedissonRenewFirstReaders;

// Fair: a list of waiters, and a sorted set of the instants (client's wall clock, ms) up to which
// each is waited for.
// KEYS lock, queue, timeouts  ARGV lease, owner, wait, now, "lock" or "own": nil if granted, else how
// long to wait: the lock's PTTL, or before 3.32 the owner's own score less wait and now
extern const RedisScript kRedissonFairAcquire;
// The same without a queue, for tryLock(): nil if granted, else 1
extern const RedisScript kRedissonFairAcquireOnce;
// The same before PR#2100: scores drift (#1104, #2099)
extern const RedisScript kRedissonFairAcquireDrifting;
// KEYS queue, timeouts  ARGV owner, wait: leaves the queue
extern const RedisScript kRedissonFairGiveUp;
// KEYS lock, queue, timeouts, channel [, latch]  ARGV message, owner, lease, now [, latch's ms]: as
// kRedissonUnlock; tells the head of the queue only, on "channel:owner"
extern const RedisScript kRedissonFairUnlock;
// KEYS lock, queue, timeouts, channel  ARGV message, now: as kRedissonForceUnlock
extern const RedisScript kRedissonFairForceUnlock;

std::span<const RedisScript* const> redisson_scripts();

// For the bodies.
inline std::int64_t redisson_number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace picklock
