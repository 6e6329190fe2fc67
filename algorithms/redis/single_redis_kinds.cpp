// The locks of one Redis server.
#include "algorithms/kinds.hpp"
#include "algorithms/redis/del_setnx_timestamp.hpp"
#include "algorithms/redis/getset_timestamp.hpp"
#include "algorithms/redis/getset_timestamp_renewing.hpp"
#include "algorithms/redis/set_nx_px.hpp"
#include "algorithms/redis/set_nx_px_fenced.hpp"
#include "algorithms/redis/set_nx_px_unsafe_del.hpp"
#include "algorithms/redis/setnx.hpp"
#include "algorithms/redis/setnx_expire.hpp"

namespace picklock {
namespace {

using namespace kinds;

// Defaults of a lock that shares its options with a better one, and leaves an unknown result as it is.
template <class T>
std::unique_ptr<Options> careless_defaults() {
  T options;
  options.polling.on_unknown = OnUnknown::ignore;
  return std::make_unique<OptionsOf<T>>(std::move(options));
}

// The margin is for the clocks; what the holder may rely on is the timeout.
std::optional<Duration> lease_timeout(const Options& options) { return options.as<GetsetTimestampOptions>().timeout; }
std::optional<Duration> lease_renewing_timeout(const Options& options) {
  return options.as<GetsetTimestampRenewingOptions>().lock.timeout;
}

bool stamp_is_renewed(const Options& options) {
  const auto& o = options.as<GetsetTimestampRenewingOptions>();
  return kinds::renews_in_time(true, o.renewal_interval, o.lock.timeout);
}

constexpr LeaseTerms kStamp = {.what = "time stamp in the key's value",
                               .option = "timeout",
                               .usually = "ignore: the holder is told nothing, and few look at the clock"};

constexpr AssumptionOf kForEver[] = {
    {"no-kills", ""}, {"no-power-losses", ""}, {"no-data-loss", ""}, {"no-failovers", ""}};
// A stamp counts from its author's question, so the margin is for the way of that as well: a quarter of it for the delay, and
// one for a stop, of the client or the server. Of two clocks, one may be fast and the other slow: a quarter for each.
constexpr AssumptionOf kClientStamps[] = {{"holds-shorter-than", "timeout"},
                                          {"pauses-shorter-than", "margin", 4},
                                          {"delays-shorter-than", "margin", 4},
                                          {"beliefs-shorter-than", "timeout"},
                                          {"clock-offsets-below", "margin", 4},
                                          {"clock-rates-within", ""},
                                          {"clock-steps-below", ""},
                                          {"no-data-loss", ""},
                                          {"no-failovers", ""},
                                          {"interruptions-shorter-than", "timeout", 2}};

const std::array<LockKind, 8> kKinds = {{
    // A client whose answer is lost waits for itself, and its SETNX may come after the release and set the key anew.
    {.name = "setnx",
     .summary = "SETNX without expiry; a bare DEL",
     .source = "the tutorials' first lock",
     .claims = {.frees_after_crash = false, .releases_only_own = false, .serves_waiters = false},
     .service = "redis",
     .ownership = "redis-key",
     .assumptions = kForEver,
     .default_options = defaults<SetnxOptions>,
     .make = make<Setnx, SetnxOptions>,
     .lease = [](const Options&) { return std::optional<Duration>(); }},
    // A key stays for ever if its client dies between the two commands, or the second is lost.  A late PEXPIRE prolongs
    // another's key.
    {.name = "setnx-expire",
     .summary = "SETNX, then PEXPIRE: two commands; a bare DEL",
     .source = "the tutorials' second lock",
     .claims =
         {.frees_after_crash = false, .releases_only_own = false, .renews_only_own = false, .serves_waiters = false},
     .service = "redis",
     .ownership = "redis-key",
     .assumptions = kBareDelLease,
     .default_options = defaults<SetnxExpireOptions>,
     .make = make<SetnxExpire, SetnxExpireOptions>,
     .lease = lease_ttl<SetnxExpireOptions>,
     .terms = key_ttl("ttl")},
    {.name = "set-nx-px",
     .summary = "SET NX PX with a random value; compare-and-delete; renewal on request",
     .source = "Redis documentation, Distributed Locks with Redis, single instance",
     .claims = {.renewing = true, .loss_notification = true},
     .service = "redis",
     .ownership = "redis-key",
     .assumptions = kServerLeaseSetAgain,
     .default_options = defaults<SetNxPxOptions>,
     .make = make<SetNxPx, SetNxPxOptions>,
     .lease = lease_ttl<SetNxPxOptions>,
     .terms = key_ttl("ttl"),
     .renews = kinds::renewed<SetNxPxOptions>},
    {.name = "set-nx-px-unsafe-del",
     .summary = "SET NX PX released by a bare DEL, which may free another's lock",
     .source = "half of the documented lock",
     .claims = {.renewing = true, .loss_notification = true, .releases_only_own = false},
     .service = "redis",
     .ownership = "redis-key",
     .assumptions = kBareDelLease,
     .default_options = careless_defaults<SetNxPxOptions>,
     .make = make<SetNxPxUnsafeDel, SetNxPxOptions>,
     .lease = lease_ttl<SetNxPxOptions>,
     .terms = key_ttl("ttl"),
     .renews = kinds::renewed<SetNxPxOptions>},
    {.name = "set-nx-px-fenced",
     .summary = "SET NX PX with a fencing token from INCR in the same script",
     .source = "Kleppmann, How to do distributed locking, 2016",
     .claims = {.token = true, .renewing = true, .loss_notification = true},
     .service = "redis",
     .ownership = "redis-key",
     .assumptions = kServerLeaseSetAgain,
     .default_options = defaults<SetNxPxOptions>,
     .make = make<SetNxPxFenced, SetNxPxOptions>,
     .lease = lease_ttl<SetNxPxOptions>,
     .terms = key_ttl("ttl"),
     .renews = kinds::renewed<SetNxPxOptions>},
    {.name = "getset-timestamp",
     .summary = "SETNX of a time stamp, GETSET to take an expired one over; trusts client clocks",
     .source = "Redis documentation, the old page of SETNX",
     .claims = {.releases_only_own = false, .renews_only_own = false},
     .service = "redis",
     .ownership = "redis-stamp",
     .assumptions = kClientStamps,
     .default_options = defaults<GetsetTimestampOptions>,
     .make = make<GetsetTimestamp, GetsetTimestampOptions>,
     .lease = lease_timeout,
     .terms = kStamp},
    {.name = "getset-timestamp-renewing",
     .summary = "getset-timestamp with renewals that fail unnoticed; a bare DEL",
     .source = "a published description of the old page of SETNX, with renewal",
     .claims = {.renewing = true, .releases_only_own = false, .renews_only_own = false},
     .service = "redis",
     .ownership = "redis-stamp",
     .assumptions = kClientStamps,
     .default_options = defaults<GetsetTimestampRenewingOptions>,
     .make = make<GetsetTimestampRenewing, GetsetTimestampRenewingOptions>,
     .lease = lease_renewing_timeout,
     .terms = kStamp,
     .renews = stamp_is_renewed},
    {.name = "del-setnx-timestamp",
     .summary = "getset-timestamp with DEL and SETNX for GETSET: two may take an expired lock",
     .source = "the mistake of which the old page of SETNX warns",
     .claims = {.mutual_exclusion = false, .releases_only_own = false, .renews_only_own = false},
     .service = "redis",
     .ownership = "redis-stamp",
     .assumptions = kClientStamps,
     .default_options = defaults<GetsetTimestampOptions>,
     .make = make<DelSetnxTimestamp, GetsetTimestampOptions>,
     .lease = lease_timeout,
     .terms = kStamp},
}};

}  // namespace

std::span<const LockKind> single_redis_kinds() { return kKinds; }

}  // namespace picklock
