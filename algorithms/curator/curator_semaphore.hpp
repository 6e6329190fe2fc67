// Curator's InterProcessSemaphoreV2, and with one lease InterProcessSemaphoreMutex.
//
//   acquire  the mutex lock/locks; a node lock/leases/_c_<uuid>-lease-<n>, protected; held once there are
//            no more than `leases` children, waiting for their changes with the mutex in hand; the own
//            node is not among them: the retry policy, and from the beginning; release of the mutex
//   release  guaranteed delete of the lease's node, by any thread
//
// From:      Apache Curator 5.9, InterProcessSemaphoreV2, InterProcessSemaphoreMutex.
// Promises:  within their sessions: no more than `leases` holders, in the order in which they got the
//            mutex.  The token is the czxid of the lease's node: with one lease it grows from grant to grant.
// Does not:  nest: a second acquire of the same thread is one lease more, or a wait for itself.
//            Check that all clients say the same number.
// Abandoned: its lease stays until the session ends, and so does its node in the queue of the mutex: if that
//            is first, no client gets a lease until then.
//
// Known bugs, each an option:
//   missing-lease = "kept"  (CURATOR-315, until 2.10 and 3.1) a lease that was not found is the first of the result after
//                           all, so that release deletes what is not there and the real one stays
//   failed-unlock = "leaks" a lease that was had, and an inner mutex whose release() throws: the lease is in no
//                           list yet, and is returned only when the session ends; "returns" repairs that
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/curator/curator_mutex.hpp"

namespace picklock {

enum class CuratorMissingLease : std::uint8_t { dropped, kept };
constexpr auto enum_names(CuratorMissingLease) { return name_list("dropped", "kept"); }

enum class CuratorFailedUnlock : std::uint8_t { leaks, returns };
constexpr auto enum_names(CuratorFailedUnlock) { return name_list("leaks", "returns"); }

struct CuratorSemaphoreMutexOptions {
  CuratorOptions client;
  CuratorMissingLease missing_lease = CuratorMissingLease::dropped;
  CuratorFailedUnlock failed_unlock = CuratorFailedUnlock::leaks;
  void fields(FieldVisitor& v);
};

struct CuratorSemaphoreOptions {
  CuratorSemaphoreMutexOptions mutex;
  std::int64_t leases = 3;
  void fields(FieldVisitor& v);
};

class CuratorSemaphore : public Lock {
 public:
  CuratorSemaphore(const LockContext& context, const CuratorSemaphoreOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  // A lease that this lock has not, or has given back: refused.
  Task<Outcome<>> release(Hold hold) override;
  Event* lost() override { return options_.mutex.client.reaction == CuratorReaction::ignores ? nullptr : &loss_->lost; }

 private:
  enum class Step : std::uint8_t { granted, timed_out, missing, failed };
  struct Leasing {  // state of one acquire
    CuratorTime start;
    std::optional<Duration> wait;
    std::vector<CuratorLockData> leases;
    ZooCode code = ZooCode::ok;
    bool in_doubt = false;
  };
  std::optional<Duration> left(const Leasing& a) const;
  Task<Step> acquire_one(Leasing* a);
  Task<Step> create_and_wait(Leasing* a);
  Task<Nothing> give_back(Leasing* a);

  CuratorClient& client_;
  CuratorSemaphoreOptions options_;
  std::string leases_path_;
  CuratorMutex mutex_;
  ZooWatcher watcher_;
  std::vector<std::string> held_;
  std::shared_ptr<CuratorLoss> loss_;
};

class CuratorSemaphoreMutex final : public CuratorSemaphore {
 public:
  CuratorSemaphoreMutex(const LockContext& context, const CuratorSemaphoreMutexOptions& options)
      : CuratorSemaphore(context, CuratorSemaphoreOptions{options, 1}) {}
};

}  // namespace picklock
