// Redisson's lines of the table.
#include "algorithms/kinds.hpp"
#include "algorithms/redisson/redisson_fair_lock.hpp"
#include "algorithms/redisson/redisson_multi_lock.hpp"
#include "algorithms/redisson/redisson_read_write_lock.hpp"
#include "algorithms/redisson/redisson_spin_lock.hpp"

namespace picklock {
namespace {

using kinds::defaults;
using kinds::key_ttl;
using kinds::kRedissonLease;
using kinds::make;
using kinds::with;

std::unique_ptr<Options> defaults_3_16_8() {
  return std::make_unique<OptionsOf<RedissonOptions>>(RedissonOptions::of(RedissonRelease::v3_16_8));
}

template <class T>
std::optional<Duration> lease_of(const Options& options) {
  return options.as<T>().lock.lease;
}

// The options of the RLock behind each of the family's locks.
const RedissonOptions& lock_in(const RedissonOptions& o) { return o; }
const RedissonOptions& lock_in(const RedissonRedLockOptions& o) { return o.multi.lock; }
template <class T>
const RedissonOptions& lock_in(const T& o) {
  return o.lock;
}

bool has_other_lease(const RedissonOptions& o) { return o.other_lease && o.other_lease_by != OtherLeaseBy::nobody; }
std::optional<Duration> longest_lease(const Options& options) {
  const auto& o = options.as<RedissonOptions>();
  return has_other_lease(o) ? std::max(o.lease, *o.other_lease) : o.lease;
}
template <class T>
std::optional<Duration> shortest_lease(const Options& options) {
  const RedissonOptions& o = lock_in(options.as<T>());
  return has_other_lease(o) ? std::min(o.lease, *o.other_lease) : o.lease;
}
// A call with a leaseTime is not renewed.
template <class T>
bool renewed(const Options& options) {
  const RedissonOptions& o = lock_in(options.as<T>());
  return o.renews() && !has_other_lease(o);
}

// Extends kRedissonLease: waiters drop each other from the queue by their own clocks.
constexpr auto kFairLease = with(kRedissonLease, AssumptionOf{"clock-offsets-below", "", 1, "order"});

// One chain of renewals serves all holds of a process, in the name of the one that began it.
constexpr Claims kLockClaims = {.reentrant = true, .renewing = true, .renews_only_own = false};

// A renewal without an answer is sent again, and may find the next hold of its thread.
constexpr Claims kTimerClaims = {.reentrant = true, .renewing = true, .renews_only_own = false};

// The locks of a majority are renewed while a client waits for the one of a dead server.
constexpr Claims kHalfTaken = {.reentrant = true, .renewing = true, .renews_only_own = false, .serves_waiters = false};

const std::array<LockKind, 8> kKinds = {{
    {.name = "redisson-lock",
     .summary = "Redisson's RLock today: a hash of owners, publish/subscribe, a watchdog for all locks",
     .source = "Redisson 4.7, RedissonLock",
     .claims = kLockClaims,
     .service = "redis",
     .ownership = "redis-fields",
     .assumptions = kRedissonLease,
     .subscribes = true,
     .default_options = defaults<RedissonOptions>,
     .make = make<RedissonLock, RedissonOptions>,
     .lease = longest_lease,
     .terms = key_ttl("lease"),
     .renews = renewed<RedissonOptions>,
     .shortest_lease = shortest_lease<RedissonOptions>},
    {.name = "redisson-lock-3-16",
     .summary = "Redisson's RLock of 2022: a timer for each lock, commands sent again, no unlock latch",
     .source = "Redisson 3.16.8, RedissonLock",
     .claims = kTimerClaims,
     .service = "redis",
     .ownership = "redis-fields",
     .assumptions = kRedissonLease,
     .subscribes = true,
     .default_options = defaults_3_16_8,
     .make = make<RedissonLock, RedissonOptions>,
     .lease = longest_lease,
     .terms = key_ttl("lease"),
     .renews = renewed<RedissonOptions>,
     .shortest_lease = shortest_lease<RedissonOptions>},
    {.name = "redisson-fenced-lock",
     .summary = "RLock with a fencing token from INCR in the same script",
     .source = "Redisson 4.7, RedissonFencedLock",
     .claims = {.token = true, .reentrant = true, .renewing = true, .renews_only_own = false},
     .service = "redis",
     .ownership = "redis-fields",
     .assumptions = kRedissonLease,
     .subscribes = true,
     .default_options = defaults<RedissonFencedOptions>,
     .make = make<RedissonFencedLock, RedissonFencedOptions>,
     .lease = lease_of<RedissonFencedOptions>,
     .terms = key_ttl("lease"),
     .renews = renewed<RedissonFencedOptions>,
     .shortest_lease = shortest_lease<RedissonFencedOptions>},
    {.name = "redisson-fair-lock",
     .summary = "RLock with a queue: granted in the order of the first requests",
     .source = "Redisson 4.7, RedissonFairLock",
     .claims = {.reentrant = true, .fair = true, .renewing = true, .renews_only_own = false},
     .service = "redis",
     .ownership = "redis-fields",
     .assumptions = kFairLease,
     .subscribes = true,
     .default_options = defaults<RedissonFairOptions>,
     .make = make<RedissonFairLock, RedissonFairOptions>,
     .lease = lease_of<RedissonFairOptions>,
     .terms = key_ttl("lease"),
     .renews = renewed<RedissonFairOptions>,
     .shortest_lease = shortest_lease<RedissonFairOptions>,
     .waits_for_dead = [](const Options& o) { return std::optional(o.as<RedissonFairOptions>().fair_wait); }},
    {.name = "redisson-read-write-lock",
     .summary = "one writer or many readers; a reader that asks to write waits for itself",
     .source = "Redisson 4.7, RedissonReadLock and RedissonWriteLock",
     .claims = {.reentrant = true, .shared = true, .renewing = true, .renews_only_own = false},
     .service = "redis",
     .ownership = "redis-timed-fields",
     .assumptions = kRedissonLease,
     .subscribes = true,
     .default_options = defaults<RedissonReadWriteOptions>,
     .make = make<RedissonReadWriteLock, RedissonReadWriteOptions>,
     .lease = lease_of<RedissonReadWriteOptions>,
     .terms = key_ttl("lease"),
     .renews = renewed<RedissonReadWriteOptions>,
     .shortest_lease = shortest_lease<RedissonReadWriteOptions>},
    {.name = "redisson-spin-lock",
     .summary = "RLock that polls, with pauses that double, instead of waiting for a message",
     .source = "Redisson 4.7, RedissonSpinLock",
     .claims = kLockClaims,
     .service = "redis",
     .ownership = "redis-fields",
     .assumptions = kRedissonLease,
     .subscribes = true,
     .default_options = defaults<RedissonSpinOptions>,
     .make = make<RedissonSpinLock, RedissonSpinOptions>,
     .lease = lease_of<RedissonSpinOptions>,
     .terms = key_ttl("lease"),
     .renews = renewed<RedissonSpinOptions>,
     .shortest_lease = shortest_lease<RedissonSpinOptions>},
    {.name = "redisson-multi-lock",
     .summary = "several RLocks as one, taken one after the other; an unguarded PEXPIRE at the end",
     .source = "Redisson 4.7, RedissonMultiLock",
     .claims = {.reentrant = true, .renewing = true, .renews_only_own = false},
     .service = "redis",
     .ownership = "redis-fields",
     .assumptions = kRedissonLease,
     .subscribes = true,
     .several_names = true,
     .default_options = defaults<RedissonMultiOptions>,
     .make = make<RedissonMultiLock, RedissonMultiOptions>,
     .lease = lease_of<RedissonMultiOptions>,
     .terms = key_ttl("lease"),
     .renews = renewed<RedissonMultiOptions>,
     .shortest_lease = shortest_lease<RedissonMultiOptions>},
    {.name = "redisson-redlock",
     .summary = "RLocks on a majority of servers, without validity, drift, or a look at the clock",
     .source = "Redisson 4.7, RedissonRedLock (deprecated since 3.12.5)",
     .claims = kHalfTaken,
     .service = "redis",
     .ownership = "redis-fields",
     .assumptions = kRedissonLease,
     .subscribes = true,
     .default_options = defaults<RedissonRedLockOptions>,
     .make = make<RedissonRedLock, RedissonRedLockOptions>,
     .lease = [](const Options& o) { return std::optional(o.as<RedissonRedLockOptions>().multi.lock.lease); },
     .terms = key_ttl("lease"),
     .renews = renewed<RedissonRedLockOptions>,
     .shortest_lease = shortest_lease<RedissonRedLockOptions>,
     .servers = [](const Options& o) { return static_cast<std::uint32_t>(o.as<RedissonRedLockOptions>().servers); }},
}};

}  // namespace

std::span<const LockKind> redisson_kinds() { return kKinds; }

}  // namespace picklock
