// The waiting and the bookkeeping that Redisson's locks have in common.
//
//   acquire   ask; if refused, subscribe to the lock's channel, then: ask, wait on the latch for the
//             ttl that the refusal named, ask again
//   release   the unlock script, under a request id if it may be sent again; whatever the answer, the
//             watchdog counts one acquisition less
//
// A patience without end is lock(); any other is tryLock(waitTime), whose time is taken from the wall
// clock.  An exception of Redisson is an answer here: unknown for a timeout, refused for the rest.
// A nested release whose inner acquisitions remain is a yes like any other.
//
// Hold::value is the owner, "client:thread", the same for all holds of one thread.  The deadline is
// what a caller could compute from its own ask; Redisson tells its callers nothing (#4698).
//
// From:     Redisson, RedissonBaseLock, RedissonLock.lock, tryLock, lockAsync, unlockAsync0.
//
// A caller that walks away (an interrupted thread) leaves its request to the client: the callback of
// the reply nevertheless hands a granted lock to the watchdog (#2714, #4368, #7272), or, with
// renewal-start = "before-the-request" (PR#7277), gives it back.
#pragma once

#include <memory>

#include "algorithms/redisson/redisson_client.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

class RedissonBaseLock : public Lock {
 public:
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Task<Outcome<>> force_release() override;
  std::optional<MonoTime> deadline(const Hold& hold) const override;

  // lock(leaseTime) or tryLock(waitTime, leaseTime); without a lease: renewed.
  Task<Acquired> acquire_for(Patience patience, std::optional<Duration> lease);
  RedissonClient& client() { return client_; }
  const std::string& name() const { return name_; }
  const std::string& owner() const { return owner_; }

 protected:
  // `server`: number of the server that keeps the lock.
  RedissonBaseLock(const LockContext& context, std::string_view name, std::size_t server,
                   const RedissonOptions& options, std::string_view owner_suffix = {});

  // --- what a lock adds
  // nil: granted, an integer: how long it is held by others; `wait` is the call's waitTime.
  virtual RedisCommand acquire_command(Duration lease, std::optional<Duration> wait) = 0;
  virtual RedisCommand unlock_command(const std::string& request_id) = 0;  // empty: without a latch
  virtual RedisCommand force_command() = 0;
  virtual std::string channel_name() const;
  virtual std::optional<std::int64_t> token_in(const RedisReply&) const { return std::nullopt; }
  virtual std::optional<std::int64_t> refused_ttl_ms(const RedisReply& reply) const;  // nothing: granted
  virtual RedissonRenewedAs renewed_as() const { return RedissonRenewedAs::owner; }
  // An unlock was answered in whatever way, or was not: one acquisition less to renew.
  virtual void unlock_answered() { client_.watchdog().cancel(name_, thread_, renewed_as()); }
  // True if a grant that no replica has acknowledged is given back and asked for again.
  virtual bool undoes_unsynced() const { return true; }
  // A tryLock is about to answer false (acquireFailed): for one that has a queue to leave.
  virtual Task<Outcome<>> gave_up(std::optional<Duration> wait);

  // For a lock that waits in its own way: the lease of its next call, and one attempt.
  std::optional<Duration> next_lease() { return options_.lease_of(thread_, ++calls_); }
  Task<Acquired> acquire_once(std::optional<Duration> lease);

  std::string latch_of(const std::string& request_id) const;
  std::string latch_ms() const;
  // internalLockLeaseTime: what an unlock gives to acquisitions that remain.
  Duration inner_lease();
  std::string inner_lease_ms() { return std::to_string(inner_lease().ms()); }

  RedissonClient& client_;
  std::string name_;
  RedissonOptions options_;
  std::string owner_suffix_;
  std::string owner_;
  std::uint32_t thread_;

 private:
  struct Attempt {
    bool granted = false;
    std::int64_t ttl_ms = 0;
    Hold hold;
  };
  Task<Outcome<Attempt>> attempt(std::optional<Duration> lease, std::optional<Duration> wait);
  // A request and its callback, which go on when the caller has walked away.
  struct Request;
  class Caller;
  Task<Outcome<RedisReply>> ask(RedisCommand command);
  Task<void> run_request(std::shared_ptr<Request> request, bool renewed);
  Task<Acquired> wait_and_ask(Patience patience, std::optional<Duration> lease, std::optional<Duration> wait,
                              WallTime begun);
  void register_renewal() { client_.watchdog().add(name_, thread_, owner_suffix_, renewed_as()); }

  std::uint32_t calls_ = 0;
  struct Lease {
    MonoTime asked, until;
  };
  std::optional<Lease> lease_;  // lease set by the last acquire or inner unlock
};

}  // namespace picklock
