#include "algorithms/redisson/redisson_options.hpp"

namespace picklock {

RedissonOptions RedissonOptions::of(RedissonRelease release) {
  RedissonOptions o;
  o.release = release;
  if (release != RedissonRelease::v4_7) o.try_lock_timeout = TryLockTimeout::thrown;
  if (release != RedissonRelease::v3_16_8) return o;
  o.renewal = RedissonRenewal::per_lock;
  o.retry_attempts = 3;
  o.retry_delay = Law::constant(milliseconds(1500));
  o.retry_jitter = RetryJitter::none;
  o.subscription_timeout.reset();
  o.unlock_latch = false;
  o.acquire_resend = o.unlock_resend = ScriptResend::on_timeout;
  o.renewal_error = RenewalError::ends;
  o.renewal_refused = RenewalRefused::drops_name;
  o.lease_field = LeaseField::when_acquired;
  return o;
}

std::optional<Duration> RedissonOptions::lease_of(std::uint32_t thread, std::uint32_t call) const {
  const bool other = (other_lease_by == OtherLeaseBy::other_threads && thread > 1) ||
                     (other_lease_by == OtherLeaseBy::first_call && call == 1);
  if (other && other_lease) return other_lease;
  if (renews()) return std::nullopt;
  return lease;
}

std::int64_t RedissonOptions::resends(ScriptResend resend) const {
  const bool again =
      resend == ScriptResend::on_timeout || (resend == ScriptResend::with_replicas && slaves_sync != SlavesSync::off);
  return again ? retry_attempts : 0;
}

void RedissonOptions::fields(FieldVisitor& v) {
  constexpr std::int64_t kMs = milliseconds(1).ns;
  const RedissonRelease before = release;
  if (v.leading({.name = "release",
                 .help = "release of Redisson; it sets the defaults of the settings that releases differ in"},
                release)) {
    using O = RedissonOptions;
    change_settings(*this, of(before), of(release), &O::renewal, &O::retry_attempts, &O::retry_delay, &O::retry_jitter,
                    &O::subscription_timeout, &O::unlock_latch, &O::acquire_resend, &O::unlock_resend,
                    &O::try_lock_timeout, &O::renewal_error, &O::renewal_refused, &O::lease_field);
  }
  v.field({.name = "lease", .help = "lockWatchdogTimeout, or without renewal the leaseTime", .least = kMs}, lease);
  v.field({.name = "renewal", .help = "the watchdog: one timer for all locks, one for each, or none"}, renewal);
  v.field({.name = "other-lease", .help = "a leaseTime for some calls only; never renewed", .least = kMs}, other_lease);
  v.field({.name = "other-lease-by", .help = "calls that pass a lease of their own"}, other_lease_by);
  v.field({.name = "waiter", .help = "part that waits for the message that the lock is free"}, waiter);
  v.field({.name = "timeout", .help = "how long the client waits for an answer", .least = kMs}, timeout);
  v.field({.name = "retry-attempts", .help = "how often a command is sent again", .least = 0, .most = 1000},
          retry_attempts);
  v.field({.name = "retry-delay", .help = "pause before a command is sent again", .least = 0}, retry_delay);
  v.field({.name = "retry-jitter", .help = "equal: the first repetition comes after half of a retry-delay"},
          retry_jitter);
  v.field({.name = "subscription-timeout",
           .help = "how long a waiter waits for its subscription; none = timeout",
           .least = kMs},
          subscription_timeout);
  v.field({.name = "renewal-batch", .help = "locks that one renewal of the chain serves", .least = 1, .most = 10000},
          renewal_batch);
  v.field({.name = "slaves", .help = "replicas that the client knows of", .least = 0, .most = 100}, slaves);
  v.field({.name = "slaves-timeout", .help = "longest wait of WAIT for the replicas", .least = kMs}, slaves_timeout);
  v.field({.name = "unlock-latch", .help = "a repeated unlock gets the first one's answer, since 3.24.1"},
          unlock_latch);
  v.field({.name = "acquire-resend", .help = "set-ups in which an acquire without an answer is sent again"},
          acquire_resend);
  v.field({.name = "unlock-resend", .help = "set-ups in which an unlock without an answer is sent again"},
          unlock_resend);
  v.field({.name = "try-lock-timeout", .help = "answer of a tryLock whose later attempt has no answer"},
          try_lock_timeout);
  v.field({.name = "renewal-start", .help = "when a granted lock is handed to the watchdog"}, renewal_start);
  v.field({.name = "renewal-error", .help = "effect of one failed renewal on later ones"}, renewal_error);
  v.field({.name = "renewal-refused", .help = "threads that are renewed no more after one was refused"},
          renewal_refused);
  v.field({.name = "lease-field", .help = "call whose lease is used by a call without one"}, lease_field);
  v.field({.name = "slaves-sync", .help = "meaning of the answer to WAIT"}, slaves_sync);
}

}  // namespace picklock
