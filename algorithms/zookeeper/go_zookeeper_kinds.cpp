// The lines of the table of go-zookeeper's lock, and of an article's version of it.
#include "algorithms/kinds.hpp"
#include "algorithms/zookeeper/go_zookeeper_channel_lock.hpp"

namespace picklock {
namespace {

using kinds::defaults;
using kinds::kSessionTimeout;
using kinds::make;
using kinds::with;

template <class T>
std::optional<Duration> session_of(const Options& options) {
  return options.as<T>().session;
}

// Extends kinds::kLivingSession: an error, which any end of a connection brings, leaves nodes that keep
// their session's own process out.
constexpr auto kConnectionLives = with(kinds::kLivingSession, AssumptionOf{"no-kills", ""},
                                       AssumptionOf{"no-partitions", ""}, AssumptionOf{"no-failovers", ""});

// A node that an error has left behind stands in the way of all who come later, as long as its session lives.
constexpr Claims kClaims = {
    .token = true, .fair = true, .renewing = true, .loss_notification = true, .serves_waiters = false};

const std::array<LockKind, 2> kKinds = {{
    {.name = "go-zookeeper-lock",
     .summary = "go-zookeeper's Lock: nodes are left behind by errors, and not looked for by their owners",
     .source = "go-zookeeper/zk, lock.go",
     .claims = kClaims,
     .service = "zookeeper",
     .ownership = "znode-first",
     .assumptions = kConnectionLives,
     .default_options = defaults<GoZookeeperLockOptions>,
     .make = make<GoZookeeperLock, GoZookeeperLockOptions>,
     .lease = session_of<GoZookeeperLockOptions>,
     .terms = kSessionTimeout},
    {.name = "go-zookeeper-channel-lock",
     .summary = "go-zookeeper-lock, opened up so that Lock() gives back a channel",
     .source = "a published comparison of Redis, etcd and ZooKeeper locks in Go",
     .claims = kClaims,
     .service = "zookeeper",
     .ownership = "znode-first",
     .assumptions = kConnectionLives,
     .default_options = defaults<GoZookeeperChannelLockOptions>,
     .make = make<GoZookeeperChannelLock, GoZookeeperChannelLockOptions>,
     .lease = session_of<GoZookeeperChannelLockOptions>,
     .terms = kSessionTimeout},
}};

}  // namespace

std::span<const LockKind> go_zookeeper_kinds() { return kKinds; }

}  // namespace picklock
