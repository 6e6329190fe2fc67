// The lines of the table of the locks on ZooKeeper's own client: recipes, the shipped example, an article's.
#include "algorithms/kinds.hpp"
#include "algorithms/zookeeper/zk_article_lock.hpp"
#include "algorithms/zookeeper/zookeeper_herd_lock.hpp"
#include "algorithms/zookeeper/zookeeper_lock.hpp"
#include "algorithms/zookeeper/zookeeper_write_lock.hpp"

namespace picklock {
namespace {

using kinds::defaults;
using kinds::kLivingSession;
using kinds::kSessionTimeout;
using kinds::make;

template <class T>
std::optional<Duration> session_of(const Options& options) {
  return options.as<T>().session;
}

template <class T, auto member, auto value>
std::unique_ptr<Options> defaults_with() {
  T options;
  options.*member = value;
  return std::make_unique<OptionsOf<T>>(options);
}

std::unique_ptr<Options> repaired_article() {
  return std::make_unique<OptionsOf<ZkArticleOptions>>(ZkArticleOptions::repaired());
}

// Extends kLivingSession: no waiter may die, nor a connection fail.
constexpr AssumptionOf kNobodyDies[] = {{"pauses-shorter-than", "session", 6, "usual deadlines releases"},
                                        {"delays-shorter-than", "session", 6, "usual deadlines releases"},
                                        {"disconnections-shorter-than", "session", 6, "usual deadlines releases"},
                                        {"clock-rates-within", ""},
                                        {"no-data-loss", ""},
                                        {"no-kills", ""},
                                        {"no-power-losses", ""},
                                        {"no-failovers", ""},
                                        {"no-abandoned-acquires", ""},
                                        {"no-interrupts", ""}};

constexpr Claims kQueue = {.token = true, .fair = true, .renewing = true, .loss_notification = true};
constexpr Claims kSharedQueue = {
    .token = true, .fair = true, .shared = true, .renewing = true, .loss_notification = true};
constexpr Claims kHerd = {.token = true, .renewing = true, .loss_notification = true};
// A node that vanishes between its list and its watch is waited for for ever.
constexpr Claims kForgetful = {
    .token = true, .fair = true, .renewing = true, .loss_notification = true, .serves_waiters = false};
constexpr Claims kArticle = {.token = true, .renewing = true, .serves_waiters = false};

const std::array<LockKind, 7> kKinds = {{
    {.name = "zookeeper-lock",
     .summary = "a queue of ephemeral sequential nodes, each watches the one before it",
     .source = "ZooKeeper Recipes and Solutions, Locks",
     .claims = kQueue,
     .service = "zookeeper",
     .ownership = "znode-first",
     .assumptions = kLivingSession,
     .default_options = defaults<ZookeeperLockOptions>,
     .make = make<ZookeeperLock, ZookeeperLockOptions>,
     .lease = session_of<ZookeeperLockOptions>,
     .terms = kSessionTimeout},
    {.name = "zookeeper-read-write-lock",
     .summary = "zookeeper-lock's queue with read nodes, which share",
     .source = "ZooKeeper Recipes and Solutions, Shared Locks",
     .claims = kSharedQueue,
     .service = "zookeeper",
     .ownership = "znode-read-write",
     .assumptions = kLivingSession,
     .default_options = defaults<ZookeeperLockOptions>,
     .make = make<ZookeeperReadWriteLock, ZookeeperLockOptions>,
     .lease = session_of<ZookeeperLockOptions>,
     .terms = kSessionTimeout},
    {.name = "zookeeper-herd-lock",
     .summary = "one ephemeral node that every waiter watches and tries to create",
     .source = "Hunt et al., ZooKeeper, USENIX ATC 2010, Simple Locks",
     .claims = kHerd,
     .service = "zookeeper",
     .ownership = "znode",
     .assumptions = kLivingSession,
     .default_options = defaults<ZookeeperHerdOptions>,
     .make = make<ZookeeperHerdLock, ZookeeperHerdOptions>,
     .lease = session_of<ZookeeperHerdOptions>,
     .terms = kSessionTimeout},
    {.name = "zookeeper-parent-watch-lock",
     .summary = "a queue in which every waiter watches the list of nodes and wakes at every change",
     .source = "ZooKeeper Recipes and Solutions, Locks, done without its advice",
     .claims = kQueue,
     .service = "zookeeper",
     .ownership = "znode-first",
     .assumptions = kLivingSession,
     .default_options = defaults_with<ZookeeperLockOptions, &ZookeeperLockOptions::watch, ZkWatch::parent>,
     .make = make<ZookeeperLock, ZookeeperLockOptions>,
     .lease = session_of<ZookeeperLockOptions>,
     .terms = kSessionTimeout},
    {.name = "zookeeper-write-lock",
     .summary = "WriteLock, the example that ZooKeeper ships, with its bugs",
     .source = "ZooKeeper 3.8, zookeeper-recipes-lock",
     .claims = kForgetful,
     .service = "zookeeper",
     .ownership = "znode-first",
     .assumptions = kNobodyDies,
     .default_options = defaults<ZookeeperWriteLockOptions>,
     .make = make<ZookeeperWriteLock, ZookeeperWriteLockOptions>,
     .lease = session_of<ZookeeperWriteLockOptions>,
     .terms = kSessionTimeout},
    {.name = "zk-lock",
     .summary = "a queue in which each woken client believes that it holds",
     .source = "a published description of ZooKeeper locks in Java",
     .claims = kArticle,
     .service = "zookeeper",
     .ownership = "znode-first",
     .assumptions = kNobodyDies,
     .default_options = defaults<ZkArticleOptions>,
     .make = make<ZkArticleLock, ZkArticleOptions>,
     .lease = session_of<ZkArticleOptions>,
     .terms = kSessionTimeout},
    {.name = "zk-lock-repaired",
     .summary = "zk-lock with all its mistakes repaired",
     .source = "a published description of ZooKeeper locks in Java",
     .claims = kQueue,
     .service = "zookeeper",
     .ownership = "znode-first",
     .assumptions = kLivingSession,
     .default_options = repaired_article,
     .make = make<ZkArticleLock, ZkArticleOptions>,
     .lease = session_of<ZkArticleOptions>,
     .terms = kSessionTimeout},
}};

}  // namespace

std::span<const LockKind> zookeeper_kinds() { return kKinds; }

}  // namespace picklock
