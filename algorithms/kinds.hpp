// For the tables of locks: *_kinds.cpp, one for each family.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "algorithms/lock.hpp"
#include "base/check.hpp"

namespace picklock {

// Each family's lines of the table, in the order in which `picklock list locks` shows them.
std::span<const LockKind> single_redis_kinds();
std::span<const LockKind> redlock_kinds();
std::span<const LockKind> redisson_kinds();
std::span<const LockKind> library_kinds();
std::span<const LockKind> article_kinds();
std::span<const LockKind> etcd_kinds();
std::span<const LockKind> curator_kinds();
std::span<const LockKind> go_zookeeper_kinds();
std::span<const LockKind> kazoo_kinds();
std::span<const LockKind> zookeeper_kinds();

namespace kinds {

template <class T>
std::unique_ptr<Options> defaults() {
  return std::make_unique<OptionsOf<T>>();
}

template <class L, class T>
std::unique_ptr<Lock> make(const LockContext& context, const Options& options) {
  return std::make_unique<L>(context, options.as<T>());
}

template <class T>
std::optional<Duration> lease_ttl(const Options& options) {
  return options.as<T>().ttl;
}

// True if renewals come before half of the lease is over.  By default a renewal comes every third of the lease.
// The other half is a reserve for interruptions of renewals.
constexpr bool renews_in_time(bool renewal, std::optional<Duration> interval, Duration lease) {
  return renewal && interval.value_or(lease / 3) * 2 <= lease;
}
template <class T>
bool renewed(const Options& options) {
  const T& o = options.as<T>();
  return renews_in_time(o.renewal, o.renewal_interval, o.ttl);
}

// A table of assumptions, and more of them after it.
template <std::size_t size, class... More>
constexpr std::array<AssumptionOf, size + sizeof...(More)> with(const std::array<AssumptionOf, size>& table,
                                                                More... more) {
  std::array<AssumptionOf, size + sizeof...(More)> all;
  auto at = std::copy(table.begin(), table.end(), all.begin());
  ((*at++ = more), ...);
  return all;
}

// No allowance is made for rates that differ: a lease is as long at the server as at its holder.
inline constexpr std::array<AssumptionOf, 9> kServerLease = {{{"holds-shorter-than", "ttl"},
                                                              {"pauses-shorter-than", "ttl"},
                                                              {"delays-shorter-than", "ttl"},
                                                              {"beliefs-shorter-than", "ttl"},
                                                              {"clock-rates-within", ""},
                                                              {"clock-steps-below", ""},
                                                              {"no-data-loss", ""},
                                                              {"no-failovers", ""},
                                                              {"interruptions-shorter-than", "ttl", 2}}};

// Extends kServerLease: a SET that its client gives up is undone, or sent again, over another connection: one under way
// for longer arrives after that, and after the release of a later attempt.
inline constexpr auto kServerLeaseSetAgain =
    with(kServerLease, AssumptionOf{"delays-shorter-than", "request-timeout", 1, "returns"});

// Adds to kServerLease: a bare DEL must arrive before the lease ends, or it frees another's lock: half for belief, half
// for the way.  No deadline that a holder heeds keeps its late DEL from doing so.
inline constexpr AssumptionOf kBareDelLease[] = {{"holds-shorter-than", "ttl", 2, "usual deadlines"},
                                                 {"pauses-shorter-than", "ttl", 2, "usual deadlines"},
                                                 {"delays-shorter-than", "ttl", 2, "usual deadlines"},
                                                 {"beliefs-shorter-than", "ttl", 2, "usual deadlines"},
                                                 {"clock-rates-within", ""},
                                                 {"clock-steps-below", ""},
                                                 {"no-data-loss", ""},
                                                 {"no-failovers", ""},
                                                 {"interruptions-shorter-than", "ttl", 4, "usual deadlines"}};

// Redisson's owner is a thread, which may acquire again while what it asked before has no answer: an unlock that arrives then
// counts for the later hold, and an acquire, or one that is sent again, leaves a count that no unlock takes off. So a request,
// a stop and an answer must fit into the timeout: half of it for the stop, a quarter each way.  A failover may
// bring back an earlier hold's count; the thread counts it up and down as its own.
inline constexpr AssumptionOf kAnsweredStop = {"pauses-shorter-than", "timeout", 2, "releases returns"};
inline constexpr AssumptionOf kAnsweredDelay = {"delays-shorter-than", "timeout", 4, "releases returns"};
inline constexpr AssumptionOf kNothingComesBack = {"no-failovers", "", 1, "usual releases"};
inline constexpr AssumptionOf kNothingIsLost = {"no-data-loss", "", 1, "usual releases"};

// Assumptions of Redisson's locks.  A renewed lease outlasts any hold, unless a renewal comes too late.
inline constexpr std::array<AssumptionOf, 13> kRedissonLease = {{{"holds-shorter-than", "lease"},
                                                                 {"pauses-shorter-than", "lease", 2},
                                                                 {"delays-shorter-than", "lease", 2},
                                                                 {"clock-rates-within", ""},
                                                                 {"clock-steps-below", ""},
                                                                 kNothingIsLost,
                                                                 kNothingComesBack,
                                                                 {"beliefs-shorter-than", "lease"},
                                                                 {"interruptions-shorter-than", "lease", 2},
                                                                 kAnsweredStop,
                                                                 kAnsweredDelay,
                                                                 {"no-abandoned-acquires", ""},
                                                                 {"no-interrupts", ""}}};

// A session of ZooKeeper that is heard of every third of its timeout ends when it is not.  The rest may be spent on one
// reconnection, a stop and a delay; but not on finding out first that a server is silent, which takes two thirds: a server
// without power is, one whose process died is not.  A client pauses for up to a second before it connects again, which
// alone outlasts a short session. A client counts late by the way of an answer: a deadline needs all that as well.
inline constexpr std::array<AssumptionOf, 8> kLivingSession = {
    {{"pauses-shorter-than", "session", 6, "usual deadlines"},
     {"delays-shorter-than", "session", 6, "usual deadlines"},
     {"disconnections-shorter-than", "session", 6, "usual deadlines"},
     {"clock-rates-within", ""},
     {"no-power-losses", ""},
     {"no-data-loss", ""},
     {"no-abandoned-acquires", ""},
     {"no-interrupts", ""}}};

// --- leases, and what their users do when one is lost

// Lease of a key in Redis; `option` says how long.
constexpr LeaseTerms key_ttl(std::string_view option, Duration unit = milliseconds(1)) {
  return {.what = "TTL of the key",
          .option = option,
          .unit = unit,
          .usually = "ignore: the holder is told nothing, and few look at the clock"};
}
// Lease of a session of ZooKeeper.
inline constexpr LeaseTerms kSessionTimeout = {.what = "session timeout",
                                               .option = "session",
                                               .usually = "ignore, unless the application listens to its session",
                                               .reaction = "reaction",
                                               .on_stop = "stops-at-disconnected",
                                               .on_ignore = "ignores"};

}  // namespace kinds

}  // namespace picklock
