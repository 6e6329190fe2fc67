// Options of every Redisson lock, and the stages of its history that they stand for.
//
// `release` names one of three releases: 3.16.8 (December 2021), 3.52 (October 2025), 4.7 (July 2026). It sets the
// defaults of the other options of its history, which say each on which side of a change the lock stands; a
// change that no release has made is a repair. Numbers like #7367 are issues of github.com/redisson/redisson.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/task/fields.hpp"

namespace picklock {

enum class RedissonRelease : std::uint8_t { v3_16_8, v3_52, v4_7 };
constexpr auto enum_names(RedissonRelease) { return name_list("3.16.8", "3.52", "4.7"); }

// Renewal of a lease that was asked for without an end.
enum class RedissonRenewal : std::uint8_t {
  chain,     // since 3.44: one timer of the client for all its locks, in chunks, one after the other
  per_lock,  // before: a timer for each name, which reads and writes of that name share
  none       // a lease with an end (lock(leaseTime)): Redisson never renews it
};
constexpr auto enum_names(RedissonRenewal) { return name_list("chain", "per-lock", "none"); }

// Effect of one failed renewal (an error, a timeout; not a refusal) on those to come.
enum class RenewalError : std::uint8_t {
  goes_on,       // since 3.44: logged, and tried again at the next tick
  ends,          // 3.14 to 3.43 (#3266): timer and entry go; the next acquisition begins anew
  ends_for_name  // before 3.14 (#3194): the timer goes, the entry stays, and later acquisitions find it
};
constexpr auto enum_names(RenewalError) { return name_list("goes-on", "ends", "ends-for-name"); }

// Entry that a refused renewal (the owner's field is not there) removes from the watchdog.
enum class RenewalRefused : std::uint8_t {
  drops_thread,  // since 3.44: one acquisition of the thread that was asked for; others are renewed next time
  drops_name     // before: all threads of the name
};
constexpr auto enum_names(RenewalRefused) { return name_list("drops-thread", "drops-name"); }

// Time at which a granted lock is handed to the watchdog.
enum class RenewalStart : std::uint8_t {
  before_the_request,  // PR#7277: ahead of the script; a caller that has gone is undone
  after_the_grant      // until now (#7272): by a callback of the reply, even if no caller waits for it
};
constexpr auto enum_names(RenewalStart) { return name_list("before-the-request", "after-the-grant"); }

// Fate of an acquire or unlock script whose answer stays away.
enum class ScriptResend : std::uint8_t {
  never,          // the caller gets an exception
  with_replicas,  // since 3.37: one server never; with replicas (WAIT) sent again until now (#7367)
  on_timeout      // before: sent again
};
constexpr auto enum_names(ScriptResend) { return name_list("never", "with-replicas", "on-timeout"); }

// Answer of tryLock(waitTime) when an attempt after its first has no answer.
enum class TryLockTimeout : std::uint8_t {
  refused,  // since 4.7 (#5019): false, after it has given up its place; the lock may still have been granted
  thrown    // before: an exception
};
constexpr auto enum_names(TryLockTimeout) { return name_list("refused", "thrown"); }

// Pauses between repetitions of a command.
enum class RetryJitter : std::uint8_t {
  none,  // 3.16.8: retry-delay each time
  equal  // 3.52: the first is half of a retry-delay, as the exponential delay begins with 1 s and ends at 2 s
};
constexpr auto enum_names(RetryJitter) { return name_list("none", "equal"); }

// Party that waits for the message that the lock is free.
enum class RedissonWaiter : std::uint8_t {
  thread,             // lock(): a thread on the latch
  listener,           // lockAsync() since 3.28: registers, then looks at the latch once more
  unchecked_listener  // lockAsync() before (#5761): looks, then registers
};
constexpr auto enum_names(RedissonWaiter) { return name_list("thread", "listener", "unchecked-listener"); }

// The field internalLockLeaseTime of an RLock object that the threads of a process share.
// A call without a lease asks for its value.
enum class LeaseField : std::uint8_t {
  of_the_call,        // the repair: each call has its own lease
  until_unlock,       // since 3.19.2: a grant leaves its lease there until an unlock has been answered
  when_acquired,      // 3.15.2 to 3.19.1 (#4818): a grant leaves its lease to all calls after it
  when_asked,         // before (#3484): even a refused attempt does
  asked_until_unlock  // the spin lock since 3.19.2: an attempt leaves it there until an unlock has been answered
};
constexpr auto enum_names(LeaseField) {
  return name_list("of-the-call", "until-unlock", "when-acquired", "when-asked", "asked-until-unlock");
}

// Calls that pass `other-lease` as their leaseTime.
enum class OtherLeaseBy : std::uint8_t { nobody, other_threads, first_call };
constexpr auto enum_names(OtherLeaseBy) { return name_list("nobody", "other-threads", "first-call"); }

// Meaning of WAIT's answer, with replicas (checkLockSyncedSlaves).
enum class SlavesSync : std::uint8_t {
  off,       // one server: no WAIT
  ignored,   // 3.12.5 to 3.16.6 (#3994), and checkLockSyncedSlaves = false: sent, and not looked at
  all,       // 3.16.7 to 3.17.4: an error unless every replica has acknowledged; the grant stays
  any_kept,  // 3.17.5 to 3.19: an error if none has; the grant stays, and counts again (#4822)
  any        // since 3.20: an error if none has; undone and (3.20.1) tried again.  One of two is enough (#5256)
};
constexpr auto enum_names(SlavesSync) { return name_list("off", "ignored", "all", "any-kept", "any"); }

struct RedissonOptions {
  RedissonRelease release = RedissonRelease::v4_7;
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
  RetryJitter retry_jitter = RetryJitter::equal;
  std::optional<Duration> subscription_timeout = milliseconds(7500);  // nothing: `timeout`, as before #5377
  std::int64_t renewal_batch = 100;
  std::int64_t slaves = 0;
  Duration slaves_timeout = seconds(1);
  // --- of its history
  bool unlock_latch = true;
  ScriptResend acquire_resend = ScriptResend::with_replicas;
  ScriptResend unlock_resend = ScriptResend::with_replicas;
  TryLockTimeout try_lock_timeout = TryLockTimeout::refused;
  RenewalStart renewal_start = RenewalStart::after_the_grant;
  RenewalError renewal_error = RenewalError::goes_on;
  RenewalRefused renewal_refused = RenewalRefused::drops_thread;
  LeaseField lease_field = LeaseField::until_unlock;
  SlavesSync slaves_sync = SlavesSync::off;

  static RedissonOptions of(RedissonRelease release);
  bool renews() const { return renewal != RedissonRenewal::none; }
  bool shares_lease() const { return lease_field != LeaseField::of_the_call; }
  bool leaves_asked_lease() const {
    return lease_field == LeaseField::when_asked || lease_field == LeaseField::asked_until_unlock;
  }
  bool unlock_resets_lease() const {
    return lease_field == LeaseField::until_unlock || lease_field == LeaseField::asked_until_unlock;
  }
  // Longest wait for a subscription.
  Duration longest_subscription() const { return subscription_timeout.value_or(timeout); }
  // Number of repetitions of a script whose answer stays away.
  std::int64_t resends(ScriptResend resend) const;
  // The leaseTime of the n-th call (n from 1) of a thread's lock; nothing: renewed.
  std::optional<Duration> lease_of(std::uint32_t thread, std::uint32_t call) const;
  // Time for which an answer to an unlock is remembered for repetitions, if its last pause would be `last_delay`.
  Duration latch_ttl(Duration last_delay) const {
    return std::max((timeout + last_delay) * retry_attempts, milliseconds(1));
  }
  void fields(FieldVisitor& v);
};

}  // namespace picklock
