// Curator's lines of the table.
#include "algorithms/curator/curator_annotation.hpp"
#include "algorithms/curator/curator_leader_latch.hpp"
#include "algorithms/curator/curator_multi_lock.hpp"
#include "algorithms/curator/curator_read_write_lock.hpp"
#include "algorithms/curator/curator_semaphore.hpp"
#include "algorithms/kinds.hpp"

namespace picklock {
namespace {

using kinds::defaults;
using kinds::kLivingSession;
using kinds::make;

template <class T>
std::optional<Duration> session_of(const Options& options) {
  if constexpr (requires(T t) { t.client; }) {
    return options.as<T>().client.session;
  } else {
    return options.as<T>().mutex.client.session;
  }
}

std::int64_t leases_of(const Options& options) { return options.as<CuratorSemaphoreOptions>().leases; }

constexpr LeaseTerms kCuratorSession = {.what = "session timeout",
                                        .option = "session",
                                        .usually = "ignore, unless the application listens to its connection's state",
                                        .reaction = "reaction",
                                        .on_stop = "stops-at-suspended",
                                        .on_ignore = "ignores"};

constexpr Claims kMutexClaims = {
    .token = true, .reentrant = true, .fair = true, .renewing = true, .loss_notification = true};

// close() returns before the node is gone.
constexpr Claims kLatchClaims = {
    .token = true, .fair = true, .renewing = true, .loss_notification = true, .releases_only_own = false};

constexpr LeaseTerms kLatchSession = {.what = "session timeout",
                                      .option = "session",
                                      .usually = "stop: notLeader() is what a LeaderLatchListener is for",
                                      .reaction = "reaction",
                                      .on_stop = "stops-at-suspended",
                                      .on_ignore = "ignores"};

const std::array<LockKind, 7> kKinds = {{
    {.name = "curator-mutex",
     .summary = "Curator's InterProcessMutex: ephemeral sequential nodes, each watches the one before it",
     .source = "Apache Curator 5.9, InterProcessMutex",
     .claims = kMutexClaims,
     .service = "zookeeper",
     .ownership = "znode-first",
     .assumptions = kLivingSession,
     .default_options = defaults<CuratorMutexOptions>,
     .make = make<CuratorMutex, CuratorMutexOptions>,
     .lease = session_of<CuratorMutexOptions>,
     .terms = kCuratorSession},
    {.name = "curator-read-write-lock",
     .summary = "Curator's InterProcessReadWriteLock: one writer or many readers, and downgrading",
     .source = "Apache Curator 5.9, InterProcessReadWriteLock",
     .claims =
         {.token = true, .reentrant = true, .fair = true, .shared = true, .renewing = true, .loss_notification = true},
     .service = "zookeeper",
     .ownership = "znode-read-write",
     .assumptions = kLivingSession,
     .default_options = defaults<CuratorReadWriteOptions>,
     .make = make<CuratorReadWriteLock, CuratorReadWriteOptions>,
     .lease = session_of<CuratorReadWriteOptions>,
     .terms = kCuratorSession},
    {.name = "curator-multi-lock",
     .summary = "Curator's InterProcessMultiLock: several mutexes as one, in the order of the list",
     .source = "Apache Curator 5.9, InterProcessMultiLock",
     .claims = {.reentrant = true, .renewing = true, .loss_notification = true},
     .service = "zookeeper",
     .ownership = "znode-first",
     .assumptions = kLivingSession,
     .several_names = true,
     .default_options = defaults<CuratorMultiOptions>,
     .make = make<CuratorMultiLock, CuratorMultiOptions>,
     .lease = session_of<CuratorMultiOptions>,
     .terms = kCuratorSession},
    {.name = "curator-semaphore",
     .summary = "Curator's InterProcessSemaphoreV2: a number of leases, given out under a mutex",
     .source = "Apache Curator 5.9, InterProcessSemaphoreV2",
     .claims = {.renewing = true, .loss_notification = true},
     .service = "zookeeper",
     .ownership = "znode-permits",
     .assumptions = kLivingSession,
     .default_options = defaults<CuratorSemaphoreOptions>,
     .make = make<CuratorSemaphore, CuratorSemaphoreOptions>,
     .lease = session_of<CuratorSemaphoreOptions>,
     .terms = kCuratorSession,
     .permits = leases_of},
    {.name = "curator-semaphore-mutex",
     .summary = "Curator's InterProcessSemaphoreMutex: a semaphore with one lease; does not nest",
     .source = "Apache Curator 5.9, InterProcessSemaphoreMutex",
     .claims = {.token = true, .renewing = true, .loss_notification = true},
     .service = "zookeeper",
     .ownership = "znode-permits",
     .assumptions = kLivingSession,
     .default_options = defaults<CuratorSemaphoreMutexOptions>,
     .make = make<CuratorSemaphoreMutex, CuratorSemaphoreMutexOptions>,
     .lease = session_of<CuratorSemaphoreMutexOptions>,
     .terms = kCuratorSession},
    {.name = "curator-leader-latch",
     .summary = "Curator's LeaderLatch: leads while its node is the first; listens to its connection's state",
     .source = "Apache Curator 5.9, LeaderLatch",
     .claims = kLatchClaims,
     .service = "zookeeper",
     .ownership = "znode-first",
     .assumptions = kLivingSession,
     .default_options = defaults<CuratorLatchOptions>,
     .make = make<CuratorLeaderLatch, CuratorLatchOptions>,
     .lease = session_of<CuratorLatchOptions>,
     .terms = kLatchSession},
    {.name = "curator-annotation",
     .summary = "an aspect that makes an InterProcessMutex for every call: nested calls wait for themselves",
     .source = "a published description of ZooKeeper locks in Java",
     .claims = {.token = true, .fair = true, .renewing = true, .loss_notification = true},
     .service = "zookeeper",
     .ownership = "znode-first",
     .assumptions = kLivingSession,
     .default_options = defaults<CuratorAnnotationOptions>,
     .make = make<CuratorAnnotation, CuratorAnnotationOptions>,
     .lease = session_of<CuratorAnnotationOptions>,
     .terms = kCuratorSession},
}};

}  // namespace

std::span<const LockKind> curator_kinds() { return kKinds; }

}  // namespace picklock
