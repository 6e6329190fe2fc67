// The watchdog of a Redisson client: it prolongs the locks that were taken without a leaseTime, for
// as long as the process lives.  The application is never told that a renewal failed (#4698).
//
//   chain     (since 3.44)  one timer for all locks, and one for all read locks.  The first lock starts it; each
//             tick renews all, a chunk a request, one request after the other; the next tick is a third
//             of a lockWatchdogTimeout after the last answer
//   per-lock  (before)      one timer for each name.  Its first thread decides what is renewed: after a writer that
//             has become a reader it goes on asking for the write lock, is refused, and ends
//
// An entry counts the acquisitions of each thread, as far as the client knows them; every unlock takes one
// away, whatever its answer.  The renewal names a lock's first thread.  If it is refused, its count goes
// down by one and the next tick asks again (renewal-refused = "drops-thread"); before 3.44 the whole entry
// went.  An error is tried again at the next tick, or, before 3.44, was the last of that entry.
//
// The timer per name runs at a third of internalLockLeaseTime and renews with it (`lease-field`); the chain
// knows lockWatchdogTimeout alone.
//
// From:     Redisson, RenewalTask, LockTask, ReadLockTask, LockEntry; RedissonBaseLock.renewExpiration (3.16.8).
// Does not: know a nested read of 3.52 that is given back: there a leftover of it stays in the entry's queue.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/redisson/redisson_options.hpp"
#include "sim/task/host.hpp"
#include "sim/task/redis_values.hpp"

namespace picklock {

class RedissonClient;

enum class RedissonRenewedAs : std::uint8_t {
  owner,          // a hash field
  own_readers,    // the hash fields of this client's readers, and the keys that time their holds
  all_readers,    // one hash field, and the keys of all readers
  first_readers,  // the same, with the keys of the first name of the chunk for those of every name
};

class RedissonWatchdog {
 public:
  RedissonWatchdog(RedissonClient& client, const RedissonOptions& options) : client_(client), options_(options) {}
  RedissonWatchdog(const RedissonWatchdog&) = delete;
  RedissonWatchdog& operator=(const RedissonWatchdog&) = delete;
  const Host& host() const;

  // Adds an acquisition of `name` by that thread, whose field is its name and `suffix`.
  void add(const std::string& name, std::uint32_t thread, const std::string& suffix, RedissonRenewedAs as);
  // Takes one away, if there is any.
  void cancel(const std::string& name, std::uint32_t thread, RedissonRenewedAs as);
  // Removes those of every thread, like forceUnlock.
  void cancel_all(const std::string& name, RedissonRenewedAs as);
  // Renewals, each requested while the one before lasted: instants of the first and the last request, and of the
  // end of the last.
  struct Renewed {
    MonoTime since, asked, until;
  };
  // Renewals of a lock of that thread, if it had one.
  std::optional<Renewed> renewed(const std::string& name, std::uint32_t thread, RedissonRenewedAs as) const;

 private:
  struct Owner {
    std::uint32_t thread;
    std::string field;
    std::int64_t acquisitions;
  };
  struct Entry {  // entry of one lock, or of one lock's readers
    std::string name, suffix;
    RedissonRenewedAs as;
    std::uint64_t number;
    std::vector<Owner> owners;
    std::optional<Renewed> renewed;
  };
  using Chunk = std::vector<Entry>;  // entries of one request, copied when it was made

  static bool reads(RedissonRenewedAs as) { return as != RedissonRenewedAs::owner; }
  Entry* find(const std::string& name, RedissonRenewedAs as);
  const Entry* find(const std::string& name, RedissonRenewedAs as) const;
  Duration lease_of(const std::string& name) const;
  RedisCommand command_for(const Chunk& chunk, Duration lease) const;
  void refused(const Entry& asked);
  void erase(std::uint64_t number);
  Task<bool> renew(Chunk chunk);  // false: an error
  Task<void> run_chain(bool readers);
  Task<void> run_lock(std::uint64_t number);

  RedissonClient& client_;
  RedissonOptions options_;
  std::vector<Entry> entries_;  // ordered by first acquisition
  std::uint64_t entries_made_ = 0;
  std::array<bool, 2> running_ = {};  // the chains, of locks and of read locks
};

}  // namespace picklock
