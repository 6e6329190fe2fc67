// The locks of widely used libraries on one Redis server.
#include "algorithms/kinds.hpp"
#include "algorithms/redis/laravel_lock.hpp"
#include "algorithms/redis/redis_py_lock.hpp"
#include "algorithms/redis/spring_lock_registry.hpp"

namespace picklock {
namespace {

using namespace kinds;

template <class T>
std::optional<Duration> lease_if_it_expires(const Options& options) {
  const auto& o = options.as<T>();
  return o.expires ? std::optional(o.ttl) : std::nullopt;
}

// The key names a process: its next thread takes for its own a key whose request seemed to fail, or one that a
// failover brings back.
constexpr AssumptionOf kProcessLease[] = {{"holds-shorter-than", "ttl"},
                                          {"pauses-shorter-than", "ttl"},
                                          {"delays-shorter-than", "ttl"},
                                          {"beliefs-shorter-than", "ttl"},
                                          {"clock-rates-within", ""},
                                          {"clock-steps-below", ""},
                                          kNothingIsLost,
                                          kNothingComesBack,
                                          {"no-unanswered-requests", "", 1, "usual renewals"},
                                          {"interruptions-shorter-than", "ttl", 2}};

// A nested lock leaves a renewal behind, which prolongs whatever the process holds later.
constexpr Claims kLeakedRenewals = {.reentrant = true, .renewing = true, .renews_only_own = false};

constexpr LeaseTerms kSeconds = {.what = "TTL of the key",
                                 .option = "ttl",
                                 .unit = seconds(1),
                                 .usually = "ignore: the holder is told nothing, and few read what release() answers"};

const std::array kLibraryLocks = {
    LockKind{.name = "redis-py-lock",
             .summary = "redis-py's Lock: SET NX PX with a token, polled; scripts to extend and to release",
             .source = "redis/redis-py, redis/lock.py",
             .claims = {},
             .service = "redis",
             .ownership = "redis-key",
             .assumptions = kServerLeaseSetAgain,
             .default_options = defaults<RedisPyLockOptions>,
             .make = make<RedisPyLock, RedisPyLockOptions>,
             .lease = lease_if_it_expires<RedisPyLockOptions>,
             .terms = key_ttl("ttl")},
    LockKind{.name = "laravel-lock",
             .summary = "Laravel's cache lock: SET EX NX with an owner, polled; a script to release",
             .source = "laravel/framework, Illuminate/Cache/RedisLock.php",
             .claims = {},
             .service = "redis",
             .ownership = "redis-key",
             .assumptions = kServerLease,
             .default_options = defaults<LaravelLockOptions>,
             .make = make<LaravelLock, LaravelLockOptions>,
             .lease = lease_if_it_expires<LaravelLockOptions>,
             .terms = kSeconds},
    LockKind{.name = "spring-lock-registry",
             .summary = "Spring Integration's RedisLockRegistry: a local lock for threads, and one key for the process",
             .source = "spring-projects/spring-integration, RedisLockRegistry",
             .claims = kLeakedRenewals,
             .service = "redis",
             .ownership = "redis-key",
             .assumptions = kProcessLease,
             .default_options = defaults<SpringLockOptions>,
             .make = make<SpringLock, SpringLockOptions>,
             .lease = lease_ttl<SpringLockOptions>,
             .terms = key_ttl("ttl"),
             .renews = [](const Options& o) { return o.as<SpringLockOptions>().renewal; }},
};

}  // namespace

std::span<const LockKind> library_kinds() { return kLibraryLocks; }

}  // namespace picklock
