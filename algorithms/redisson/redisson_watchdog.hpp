// The watchdog of a Redisson client: it prolongs the locks that were taken without a leaseTime, for
// as long as the process lives.  The application is never told that a renewal failed (#4698).
//
//   chain     (current)  the first lock starts one timer; each tick renews all locks, a chunk a
//                        request, one request after the other; the next tick is a third of a lease
//                        after the last answer
//   per-lock  (3.16.8)   each lock has a timer of its own
//
// A refusal ends the renewals of that lock.  An error is tried again at the next tick, or, before
// 3.44, was the end of that lock's timer while its entry stayed: a lock of that name taken by the
// same client later found the entry and began no timer (#2515, #3194).
//
// From:     Redisson, RenewalTask, LockTask, ReadLockTask; RedissonBaseLock.renewExpiration (3.16.8).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/redisson/redisson_options.hpp"
#include "sim/task/host.hpp"
#include "sim/task/redis_values.hpp"

namespace picklock {

class RedissonClient;

enum class RedissonRenewedAs : std::uint8_t {
  owner,         // a hash field
  reader,        // a hash field, and the keys by which the time of each read hold is kept
  reader_of_all  // as reader, and the keys of all other readers too (PR#7098, until 4.4)
};

class RedissonWatchdog {
 public:
  RedissonWatchdog(RedissonClient& client, const RedissonOptions& options) : client_(client), options_(options) {}
  RedissonWatchdog(const RedissonWatchdog&) = delete;
  RedissonWatchdog& operator=(const RedissonWatchdog&) = delete;
  const Host& host() const;

  // One more acquisition of `name` by `owner`.
  void add(const std::string& name, const std::string& owner, RedissonRenewedAs as);
  // An unlock of it was answered: `still_held` if inner acquisitions remain.
  void cancel(const std::string& name, const std::string& owner, RedissonRenewedAs as, bool still_held);
  // Every thread's: as forceUnlock does.
  void cancel_all(const std::string& name, RedissonRenewedAs as);
  // Until when the last renewal of that owner lasts, if there was one.
  std::optional<MonoTime> prolonged(const std::string& name, const std::string& owner, RedissonRenewedAs as) const;

 private:
  struct Owner {
    std::string field;
    std::int64_t acquisitions;
  };
  struct Entry {  // of one lock, or of the readers of one; its first owner stands for all
    std::string name;
    RedissonRenewedAs as;
    std::uint64_t number;
    std::vector<Owner> owners;
    std::optional<MonoTime> until;
  };
  struct Renewed {  // what one request is about
    std::string name, owner;
    RedissonRenewedAs as;
    std::uint64_t number;
  };
  Entry* find(const std::string& name, RedissonRenewedAs as);
  const Entry* find(const std::string& name, RedissonRenewedAs as) const;
  Duration lease_of(const std::string& name) const;
  RedisCommand command_for(const std::vector<Renewed>& chunk, Duration lease) const;
  Task<bool> renew(std::vector<Renewed> chunk);  // false: an error
  Task<void> run_chain();
  Task<void> run_lock(std::string name, RedissonRenewedAs as, std::uint64_t number);

  RedissonClient& client_;
  RedissonOptions options_;
  std::vector<Entry> entries_;  // in the order of their first acquisition
  std::uint64_t entries_made_ = 0;
  bool running_ = false;
};

}  // namespace picklock
