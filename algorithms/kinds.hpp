// For the tables of locks: *_kinds.cpp, one for each family.
#pragma once

#include <array>
#include <memory>

#include "algorithms/lock.hpp"
#include "base/check.hpp"

namespace picklock {

// Each family's lines of the table, in the order in which `picklock list locks` shows them.
std::span<const LockKind> single_redis_kinds();
std::span<const LockKind> redlock_kinds();
std::span<const LockKind> redisson_kinds();
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

// No allowance is made for rates that differ: a lease is as long at the server as at its holder.
inline constexpr AssumptionOf kServerLease[] = {{"holds-shorter-than", "ttl"},  {"pauses-shorter-than", "ttl"},
                                                {"delays-shorter-than", "ttl"}, {"beliefs-shorter-than", "ttl"},
                                                {"clock-rates-within", ""},     {"clock-steps-below", ""},
                                                {"no-data-loss", ""},           {"no-failovers", ""}};

// A session of ZooKeeper that is heard of every third of its timeout ends when it is not.  What is left may
// be spent on one reconnection, with its pause of up to a second, a stop and a delay; not on finding out
// first that a server is silent, as one without power is.
inline constexpr AssumptionOf kLivingSession[] = {{"pauses-shorter-than", "session", 6},
                                                  {"delays-shorter-than", "session", 6},
                                                  {"clock-rates-within", ""},
                                                  {"no-power-losses", ""},
                                                  {"no-data-loss", ""}};

}  // namespace kinds

}  // namespace picklock
