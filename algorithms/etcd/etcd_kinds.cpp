// The lines of the table for locks on an etcd cluster.
#include "algorithms/etcd/etcd_article_lock.hpp"
#include "algorithms/etcd/etcd_election.hpp"
#include "algorithms/etcd/etcd_lock_rpc.hpp"
#include "algorithms/etcd/etcd_mutex.hpp"
#include "algorithms/etcd/etcd_rw_mutex.hpp"
#include "algorithms/etcd/kubernetes_lease.hpp"
#include "algorithms/kinds.hpp"

namespace picklock {
namespace {

using kinds::defaults;
using kinds::lease_ttl;
using kinds::make;
using kinds::with;

std::optional<Duration> lease_of_rpc(const Options& options) {
  const auto& o = options.as<EtcdLockRpcOptions>();
  return o.lease_owner == EtcdRpcLease::client ? o.ttl : EtcdLockRpc::kServersLease;
}

// Candidates outwait what the record says: whole seconds.
std::optional<Duration> lease_of_record(const Options& options) {
  return options.as<KubernetesLeaseOptions>().record_duration();
}

// A client counts the end of its lease from the answer to a renewal, so its deadline is late by the way of that answer.
// A lease is renewed once a third of its TTL and half a second have passed since the last answer.  A stop and
// a delay of a sixth each still leave it alive; so do they the margin of a leader that steps down in time.  A client
// whose member is gone looks for another one for half a second, which outlasts what a lease of a second leaves.
constexpr std::array<AssumptionOf, 7> kLivingLease = {{{"pauses-shorter-than", "ttl", 6, "usual deadlines"},
                                                       {"delays-shorter-than", "ttl", 6, "usual deadlines"},
                                                       {"disconnections-shorter-than", "ttl", 6, "usual deadlines"},
                                                       {"clock-rates-within", ""},
                                                       {"no-data-loss", ""},
                                                       {"no-abandoned-acquires", ""},
                                                       {"no-interrupts", ""}}};

// … and no client gives a Lock up: the server then deletes its key, late perhaps, and a later Lock with the same lease has a key
// of the same name.
constexpr auto kAnsweredLease = with(kLivingLease, AssumptionOf{"no-unanswered-requests", ""});

// … and each Unlock gets an answer: if an Unlock is lost, its key stays for as long as the session lives, in every
// waiter's way.
constexpr auto kUnlocked = with(kLivingLease, AssumptionOf{"no-unanswered-requests", "", 1, "service"});

// … and each Resign gets one: a late Resign also deletes the key that a later Campaign has found to be its own.
constexpr auto kResigned = with(kLivingLease, AssumptionOf{"no-unanswered-requests", "", 1, "service releases"});

// The record's duration is outwaited from an instant after its last change, and its leader stops a retry and a renewal
// deadline after it has heard of that: a fifth of the ttl lies between, for a stop and a delay on each side of both.
// A write that waits for an election may be answered when its record is old: its writer leads from the answer on.
constexpr AssumptionOf kRenewedRecord[] = {{"pauses-shorter-than", "ttl", 20, "usual deadlines"},
                                           {"delays-shorter-than", "ttl", 20, "usual deadlines"},
                                           {"clock-rates-within", ""},
                                           {"no-failovers", ""},
                                           {"no-data-loss", ""}};

constexpr LeaseTerms kEtcdLease = {.what = "TTL of the session's lease",
                                   .option = "ttl",
                                   .unit = seconds(1),
                                   .rounds_up = true,
                                   .usually = "ignore, unless the application waits for Session.Done() too"};
constexpr LeaseTerms kArticleLease = {.what = "TTL of the key's lease",
                                      .option = "ttl",
                                      .unit = seconds(1),
                                      .rounds_up = true,
                                      .usually = "ignore: the listing tells its holder nothing",
                                      .reaction = "tells-loss",
                                      .on_stop = "true",
                                      .on_ignore = "false"};
constexpr LeaseTerms kRecord = {.what = "LeaseDuration of the record",
                                .option = "ttl",
                                .unit = seconds(1),
                                .usually = "stop: OnStoppedLeading ends the process"};

// Unlock deletes by name, whichever of its session's holds that now is (etcd#22082).
constexpr Claims kMutexClaims = {
    .token = true, .fair = true, .renewing = true, .loss_notification = true, .releases_only_own = false};

// A create whose answer is lost leaves a key that no client knows of: its next try makes another, and Unlock deletes that one.
constexpr Claims kReadWriteClaims = {.token = true,
                                     .fair = true,
                                     .shared = true,
                                     .renewing = true,
                                     .loss_notification = true,
                                     .releases_only_own = false,
                                     .serves_waiters = false};

// A Campaign that ended with an error leaves its key, and so does one whose answer was lost.
constexpr Claims kElectionClaims = {
    .token = true, .fair = true, .renewing = true, .loss_notification = true, .serves_waiters = false};

// go-etcd-lock: UnLock() only cancels a context; whether the lease was revoked then, no caller hears.
const std::array kKinds = {
    LockKind{.name = "etcd-mutex",
             .summary = "etcd's concurrency.Mutex: a queue of keys bound to sessions, each waits for the one before it",
             .source = "etcd, client/v3/concurrency",
             .claims = kMutexClaims,
             .service = "etcd",
             .ownership = "etcd-first",
             .assumptions = kUnlocked,
             .default_options = defaults<EtcdMutexOptions>,
             .make = make<EtcdMutex, EtcdMutexOptions>,
             .lease = lease_ttl<EtcdMutexOptions>,
             .terms = kEtcdLease},
    LockKind{.name = "etcd-lock-rpc",
             .summary = "etcd's lock service: Lock(name, lease), and the server queues up on its caller's behalf",
             .source = "etcd, server/etcdserver/api/v3lock",
             .claims = kMutexClaims,
             .service = "etcd",
             .ownership = "etcd-first",
             .assumptions = kAnsweredLease,
             .default_options = defaults<EtcdLockRpcOptions>,
             .make = make<EtcdLockRpc, EtcdLockRpcOptions>,
             .lease = lease_of_rpc,
             .terms = kEtcdLease},
    LockKind{.name = "etcd-rw-mutex",
             .summary = "etcd's recipe for readers and writers: each waits for the keys in its way that came before",
             .source = "etcd, client/v3/experimental/recipes",
             .claims = kReadWriteClaims,
             .service = "etcd",
             .ownership = "etcd-read-write",
             .assumptions = kUnlocked,
             .default_options = defaults<EtcdRwMutexOptions>,
             .make = make<EtcdRwMutex, EtcdRwMutexOptions>,
             .lease = lease_ttl<EtcdRwMutexOptions>,
             .terms = kEtcdLease},
    LockKind{.name = "etcd-election",
             .summary = "etcd's concurrency.Election: a queue of keys bound to sessions; the first candidate leads",
             .source = "etcd, client/v3/concurrency/election.go",
             .claims = kElectionClaims,
             .service = "etcd",
             .ownership = "etcd-first",
             .assumptions = kResigned,
             .default_options = defaults<EtcdElectionOptions>,
             .make = make<EtcdElection, EtcdElectionOptions>,
             .lease = lease_ttl<EtcdElectionOptions>,
             .terms = kEtcdLease},
    LockKind{.name = "go-etcd-lock",
             .summary = "one key and a lease, Lock() answers on a channel; every waiter tries at each deletion",
             .source = "a published comparison of Redis, etcd and ZooKeeper locks in Go",
             .claims = {.renewing = true, .loss_notification = true, .releases_only_own = false},
             .service = "etcd",
             .ownership = "etcd-key",
             .assumptions = kLivingLease,
             .default_options = defaults<EtcdArticleOptions>,
             .make = make<EtcdArticleLock, EtcdArticleOptions>,
             .lease = lease_ttl<EtcdArticleOptions>,
             .terms = kArticleLease},
    LockKind{.name = "kubernetes-lease",
             .summary = "a record that its holder keeps changing; candidates outwait it, each by its own clock",
             .source = "Kubernetes, client-go/tools/leaderelection",
             .claims = {.renewing = true, .loss_notification = true},
             .service = "etcd",
             .ownership = "etcd-record",
             .assumptions = kRenewedRecord,
             .default_options = defaults<KubernetesLeaseOptions>,
             .make = make<KubernetesLease, KubernetesLeaseOptions>,
             .lease = lease_of_record,
             .terms = kRecord},
};

}  // namespace

std::span<const LockKind> etcd_kinds() { return kKinds; }

}  // namespace picklock
