// Options of every Redisson lock, and the stages of its history that they stand for.
//
// "3.16.8" and "current" (4.7, August 2026) are the two versions that the facts describe; where a
// defect was repaired in between, or never was, an option says whether the repair is in.
// Numbers like #7367 are issues of github.com/redisson/redisson.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/task/fields.hpp"

namespace picklock {

// How a lease is prolonged that was asked for without an end.
enum class RedissonRenewal : std::uint8_t {
  chain,     // current: one timer of the client for all its locks, in chunks, one after the other
  per_lock,  // 3.16.8: a timer for each lock
  none       // a lease with an end (lock(leaseTime)): Redisson never renews it
};
constexpr auto enum_names(RedissonRenewal) { return name_list("chain", "per-lock", "none"); }

// What one failed renewal (an error, a timeout; not a refusal) does to those to come.
enum class RenewalError : std::uint8_t {
  goes_on,  // since 3.44: logged, and tried again at the next tick
  ends      // before (#2515, #3194): the entry stays, its timer does not
};
constexpr auto enum_names(RenewalError) { return name_list("goes-on", "ends"); }

// When a granted lock is handed to the watchdog.
enum class RenewalStart : std::uint8_t {
  before_the_request,  // PR#7277: ahead of the script; a caller that has gone is undone
  after_the_grant      // until now (#7272): by a callback of the reply, even if no caller waits for it
};
constexpr auto enum_names(RenewalStart) { return name_list("before-the-request", "after-the-grant"); }

// What becomes of an acquire script whose answer stays away.
enum class AcquireResend : std::uint8_t {
  never,      // current, one server: the caller gets an exception
  on_timeout  // 3.16.8, and every replicated set-up until now (#7367): sent again
};
constexpr auto enum_names(AcquireResend) { return name_list("never", "on-timeout"); }

// Who waits for the message that the lock is free.
enum class RedissonWaiter : std::uint8_t {
  thread,             // lock(): a thread on the latch
  listener,           // lockAsync() since 3.28: registers, then looks at the latch once more
  unchecked_listener  // lockAsync() before (#5761): looks, then registers
};
constexpr auto enum_names(RedissonWaiter) { return name_list("thread", "listener", "unchecked-listener"); }

// The field internalLockLeaseTime of an RLock object that the threads of a process share.
enum class LeaseField : std::uint8_t {
  of_the_call,    // since 3.19.2: each call has its own lease
  when_acquired,  // 3.15.2 to 3.19.1 (#4818): a grant leaves its lease to the calls after it
  when_asked      // before (#3484): even a refused attempt changes the holder's renewals
};
constexpr auto enum_names(LeaseField) { return name_list("of-the-call", "when-acquired", "when-asked"); }

// Which calls pass `other-lease` as their leaseTime.
enum class OtherLeaseBy : std::uint8_t { nobody, other_threads, first_call };
constexpr auto enum_names(OtherLeaseBy) { return name_list("nobody", "other-threads", "first-call"); }

// What WAIT's answer means, with replicas (checkLockSyncedSlaves).
enum class SlavesSync : std::uint8_t {
  off,       // one server: no WAIT
  ignored,   // 3.12.5 to 3.16.6 (#3994), and checkLockSyncedSlaves = false: sent, and not looked at
  all,       // 3.16.7: an error unless every replica has acknowledged; the grant stays
  any_kept,  // 3.17: an error if none has; the grant stays, and counts again (#4706, #4822)
  any        // current: an error if none has; undone and tried again.  One of two is enough (#5256)
};
constexpr auto enum_names(SlavesSync) { return name_list("off", "ignored", "all", "any-kept", "any"); }

struct RedissonOptions {
  // --- of the call
  Duration lease = seconds(30);  // lockWatchdogTimeout; without renewal the leaseTime
  RedissonRenewal renewal = RedissonRenewal::chain;
  std::optional<Duration> other_lease;
  OtherLeaseBy other_lease_by = OtherLeaseBy::nobody;
  RedissonWaiter waiter = RedissonWaiter::thread;
  // --- of the client
  Duration timeout = seconds(3);
  std::int64_t retry_attempts = 4;
  Law retry_delay = Law::uniform(seconds(1), seconds(2));
  Duration subscription_timeout = milliseconds(7500);
  std::int64_t renewal_batch = 100;
  std::int64_t slaves = 0;
  Duration slaves_timeout = seconds(1);
  // --- of its history
  bool unlock_latch = true;
  AcquireResend acquire_resend = AcquireResend::never;
  RenewalStart renewal_start = RenewalStart::after_the_grant;
  RenewalError renewal_error = RenewalError::goes_on;
  LeaseField lease_field = LeaseField::of_the_call;
  SlavesSync slaves_sync = SlavesSync::off;

  static RedissonOptions of_3_16_8();
  bool renews() const { return renewal != RedissonRenewal::none; }
  // The leaseTime of the n-th call (n from 1) of a thread's lock; nothing: renewed.
  std::optional<Duration> lease_of(std::uint32_t thread, std::uint32_t call) const;
  // How long an answer to an unlock is remembered for those that ask again.
  Duration latch_ttl() const { return (timeout + Duration{retry_delay.high()}) * (retry_attempts + 1); }
  void fields(FieldVisitor& v);
};

}  // namespace picklock
