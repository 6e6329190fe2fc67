// kazoo's lines of the table.
#include "algorithms/kinds.hpp"
#include "algorithms/zookeeper/kazoo_lock.hpp"

namespace picklock {
namespace {

using kinds::defaults;
using kinds::kLivingSession;
using kinds::kSessionTimeout;
using kinds::make;
using kinds::with;

// Extends kLivingSession: the next acquire finds a node of an unanswered acquire by the object's uuid, and deletes it.
constexpr auto kNodeOfTheObject = with(kLivingSession, AssumptionOf{"no-unanswered-requests", "", 1, "releases"});

// It is not fair: an object first asks for the directory, and others may get into it meanwhile.
const std::array<LockKind, 2> kKinds = {{
    {.name = "kazoo-lock",
     .summary = "kazoo's Lock: a queue of nodes that are found again by the object's uuid",
     .source = "python-zk/kazoo, recipe/lock.py",
     .claims = {.token = true, .renewing = true, .loss_notification = true},
     .service = "zookeeper",
     .ownership = "znode-first",
     .assumptions = kNodeOfTheObject,
     .default_options = defaults<KazooLockOptions>,
     .make = make<KazooLock, KazooLockOptions>,
     .lease = [](const Options& o) { return std::optional(o.as<KazooLockOptions>().session); },
     .terms = kSessionTimeout},
    {.name = "kazoo-read-write-lock",
     .summary = "kazoo's WriteLock and ReadLock in one queue",
     .source = "python-zk/kazoo, recipe/lock.py",
     .claims = {.token = true, .shared = true, .renewing = true, .loss_notification = true},
     .service = "zookeeper",
     .ownership = "znode-read-write",
     .assumptions = kNodeOfTheObject,
     .default_options = defaults<KazooReadWriteOptions>,
     .make = make<KazooReadWriteLock, KazooReadWriteOptions>,
     .lease = [](const Options& o) { return std::optional(o.as<KazooReadWriteOptions>().lock.session); },
     .terms = kSessionTimeout},
}};

}  // namespace

std::span<const LockKind> kazoo_kinds() { return kKinds; }

}  // namespace picklock
