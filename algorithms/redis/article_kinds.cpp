// The locks that published articles describe, beside those that are textbook cases already.
#include "algorithms/kinds.hpp"
#include "algorithms/redis/go_redis_lock.hpp"
#include "algorithms/redis/jedis_thread_name.hpp"
#include "algorithms/redisson/redisson_1_2_lock.hpp"
#include "algorithms/redisson/redisson_handmade_watchdog.hpp"
#include "algorithms/redisson/redisson_seat_lock.hpp"

namespace picklock {
namespace {

using namespace kinds;

std::optional<Duration> lease_1_2(const Options& options) { return options.as<Redisson12Options>().lease; }
std::unique_ptr<Options> defaults_1_2_lease() {
  Redisson12Options options;
  options.lease = seconds(30);
  return std::make_unique<OptionsOf<Redisson12Options>>(options);
}
std::optional<Duration> lease_handmade(const Options& options) {
  return options.as<HandmadeWatchdogOptions>().lock.lease;
}
std::optional<Duration> lease_seat(const Options& options) { return options.as<RedissonSeatOptions>().lock.lease; }

// Renewals come too late, or end early, whatever the lock was meant to do: work counts against the lease.
bool never(const Options&) { return false; }

constexpr LeaseTerms kGoLease = {.what = "TTL of the key",
                                 .option = "ttl",
                                 .usually = "ignore: the listing's renewal checks no owner",
                                 .reaction = "renewal",
                                 .on_stop = "checked",
                                 .on_ignore = "unchecked"};
constexpr LeaseTerms kHandmadeLease = {.what = "TTL of the key",
                                       .option = "lease",
                                       .usually = "ignore: the listing drops the answer of its renewal",
                                       .reaction = "refusal",
                                       .on_stop = "ends-and-tells",
                                       .on_ignore = "ignored"};

// Every operation runs again when an answer stays away, and what is late then strikes a later hold, or another's. So a
// request, a stop and an answer must fit into the timeout: half of it for the stop, a quarter for each way.
// A lease that is given must outlast it all.
constexpr AssumptionOf kForEver[] = {{"pauses-shorter-than", "timeout", 2, "usual deadlines releases"},
                                     {"delays-shorter-than", "timeout", 4, "usual deadlines releases"},
                                     {"no-kills", ""},
                                     {"no-power-losses", ""},
                                     kNothingIsLost,
                                     kNothingComesBack,
                                     {"holds-shorter-than", "lease", 2, "usual deadlines releases"},
                                     {"pauses-shorter-than", "lease", 4, "usual deadlines releases"},
                                     {"delays-shorter-than", "lease", 48, "usual deadlines releases"},
                                     {"beliefs-shorter-than", "lease", 2, "usual deadlines releases"}};
// A renewal that checks no owner, and a release that may come late, harm holders who heed their deadlines as well.
constexpr AssumptionOf kUncheckedLease[] = {{"holds-shorter-than", "ttl", 1, "usual deadlines"},
                                            {"pauses-shorter-than", "ttl", 1, "usual deadlines"},
                                            {"delays-shorter-than", "ttl", 1, "usual deadlines"},
                                            {"beliefs-shorter-than", "ttl", 1, "usual deadlines"},
                                            {"clock-rates-within", ""},
                                            {"clock-steps-below", ""},
                                            {"no-data-loss", ""},
                                            {"no-failovers", ""}};
// A lease that nothing prolongs.
constexpr AssumptionOf kFixedLease[] = {{"holds-shorter-than", "lease"},
                                        {"pauses-shorter-than", "lease"},
                                        {"delays-shorter-than", "lease"},
                                        {"clock-rates-within", ""},
                                        {"clock-steps-below", ""},
                                        kNothingIsLost,
                                        kNothingComesBack,
                                        {"beliefs-shorter-than", "lease"},
                                        kAnsweredStop,
                                        kAnsweredDelay};
// A release asks five times in turn, GET and then a transaction; the lease must not end meanwhile, or it deletes another's lock.
constexpr AssumptionOf kSlowRelease[] = {{"holds-shorter-than", "lease", 2, "usual deadlines"},
                                         {"pauses-shorter-than", "lease", 4, "usual deadlines"},
                                         {"delays-shorter-than", "lease", 48, "usual deadlines"},
                                         {"clock-rates-within", ""},
                                         {"clock-steps-below", ""},
                                         {"no-data-loss", ""},
                                         {"no-failovers", ""},
                                         {"beliefs-shorter-than", "lease", 2, "usual deadlines"}};

// RedissonLock 1.2.0 waits without a limit for a message that may never come: for one that was lost, and after a PTTL that finds
// the key gone.
const std::array<LockKind, 6> kKinds = {{
    // A thread's name is no proof: a release after the lease deletes the lock of another thread of that name.
    {.name = "jedis-thread-name",
     .summary = "SET NX EX with the thread's name; a renewal that comes too late and never ends",
     .source = "a published description of Redis locks in Java (Jedis)",
     .claims = {.renewing = true, .releases_only_own = false, .renews_only_own = false, .serves_waiters = false},
     .service = "redis",
     .ownership = "redis-key",
     .assumptions = kBareDelLease,
     .default_options = defaults<JedisThreadNameOptions>,
     .make = make<JedisThreadName, JedisThreadNameOptions>,
     .lease = lease_ttl<JedisThreadNameOptions>,
     .terms = key_ttl("ttl", seconds(1)),
     .renews = never},
    {.name = "go-redis-lock",
     .summary = "SET NX PX whose Lock() gives back a Go channel; renewals that check no owner",
     .source = "a published comparison of locks in Go (redigo)",
     .claims = {.renewing = true,
                .loss_notification = true,
                .releases_only_own = false,
                .renews_only_own = false,
                .serves_waiters = false},
     .service = "redis",
     .ownership = "redis-key",
     .assumptions = kUncheckedLease,
     .default_options = defaults<GoRedisLockOptions>,
     .make = make<GoRedisLock, GoRedisLockOptions>,
     .lease = lease_ttl<GoRedisLockOptions>,
     .terms = kGoLease,
     .renews = never},
    {.name = "redisson-1-2-lock",
     .summary = "Redisson's lock of 2015: SETNX, WATCH and MULTI; publish/subscribe; keys without expiry",
     .source = "Redisson 1.2.0, RedissonLock",
     .claims = {.reentrant = true, .frees_after_crash = false, .serves_waiters = false},
     .service = "redis",
     .ownership = "redis-key",
     .assumptions = kForEver,
     .subscribes = true,
     .default_options = defaults<Redisson12Options>,
     .make = make<Redisson12Lock, Redisson12Options>,
     .lease = lease_1_2,
     .terms = key_ttl("lease")},
    {.name = "redisson-1-2-lock-lease",
     .summary = "redisson-1-2-lock with a leaseTime, which a nested lock or unlock loses",
     .source = "Redisson 1.2.0, RedissonLock",
     .claims = {.reentrant = true, .releases_only_own = false, .serves_waiters = false},
     .service = "redis",
     .ownership = "redis-key",
     .assumptions = kSlowRelease,
     .subscribes = true,
     .default_options = defaults_1_2_lease,
     .make = make<Redisson12Lock, Redisson12Options>,
     .lease = lease_1_2,
     .terms = key_ttl("lease")},
    {.name = "redisson-seat-lock",
     .summary = "RLock on a cinema's seat, with a renewal by the application that nothing ends",
     .source = "a published example of Redisson 3.16.8",
     .claims = {.reentrant = true, .renewing = true, .renews_only_own = false},
     .service = "redis",
     .ownership = "redis-fields",
     .assumptions = kRedissonLease,
     .subscribes = true,
     .default_options = defaults<RedissonSeatOptions>,
     .make = make<RedissonSeatLock, RedissonSeatOptions>,
     .lease = lease_seat,
     .terms = key_ttl("lease"),
     .renews = never},
    {.name = "redisson-handmade-watchdog",
     .summary = "lock() as an article explains it: its answer is dropped, and a thread renews nothing for ever",
     .source = "a published explanation of Redisson's watchdog (3.16.8)",
     .claims = {.mutual_exclusion = false, .reentrant = true, .loss_notification = true},
     .service = "redis",
     .ownership = "redis-fields",
     .assumptions = kFixedLease,
     .subscribes = true,
     .default_options = defaults<HandmadeWatchdogOptions>,
     .make = make<HandmadeWatchdog, HandmadeWatchdogOptions>,
     .lease = lease_handmade,
     .terms = kHandmadeLease},
}};

}  // namespace

std::span<const LockKind> article_kinds() { return kKinds; }

}  // namespace picklock
