// Leader election of Kubernetes' client library: a record that its holder keeps changing.
//
//   every candidate, every `retry` and up to 1.2 times as much more:
//     reads the record; if it has changed since it last looked, notes the instant on its own clock
//     somebody else holds it, and that was less than `ttl` ago: not now
//     else writes itself into it, if it has not changed since it was read
//   the leader renews every `retry`; if it has not succeeded for `renew-deadline`, it steps down
//
// From:      kubernetes, client-go/tools/leaderelection/leaderelection.go; the API server's update is etcd's
//            transaction on the record's mod revision.
// Promises:  one leader, while clocks run at the same rate and no process stops for as long as
//            ttl - renew-deadline - retry: 3 s.  Offsets and steps of clocks do not matter: instants in the
//            record are for people, each candidate times what it observes itself.
// Does not:  fence ("does not guarantee that only one client is acting as a leader", says its source): the
//            record outlives nobody's doubt, and a leader that stops in mid-write writes when it wakes.
//            Keep an order of candidates.  Free a dead leader's record: candidates outwait it.
// Abandoned: nothing is left but what a request under way may still write: then it leads without knowing,
//            for one ttl.
// Left out:  the API server between candidate and etcd (its cache, its own leases), coordinated elections,
//            what a process does that steps down: client-go's users end it.
#pragma once

#include <optional>
#include <string>

#include "algorithms/lock.hpp"
#include "sim/task/etcd.hpp"

namespace picklock {

struct KubernetesLeaseOptions {
  Duration ttl = seconds(15);             // LeaseDuration
  Duration renew_deadline = seconds(10);  // RenewDeadline
  Duration retry = seconds(2);            // RetryPeriod
  std::int64_t jitter_percent = 120;      // JitterFactor
  bool release_on_cancel = true;          // ReleaseOnCancel: else a release only stops renewing
  void fields(FieldVisitor& v);
};

class KubernetesLease final : public Lock {
 public:
  KubernetesLease(const LockContext& context, const KubernetesLeaseOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  std::optional<MonoTime> deadline(const Hold& hold) const override;
  Event* lost() override { return &lost_; }

 private:
  Task<Outcome<>> try_acquire_or_renew();
  Task<Outcome<>> write(std::string record, EtcdRevision expected);  // refused: it has changed meanwhile
  static Task<void> renew(Host host, KubernetesLease* self, std::uint64_t term);
  void observe(std::string record, EtcdRevision revision);
  std::string record() const;
  bool is_leader() const { return observed_holder_ == identity_; }
  bool is_valid(MonoTime now) const { return observed_at_ + options_.ttl > now; }

  Etcd& etcd_;
  std::string name_, identity_;
  KubernetesLeaseOptions options_;
  std::string observed_, observed_holder_;
  EtcdRevision observed_revision_ = 0;
  MonoTime observed_at_{};
  MonoTime renewed_at_{};   // when the last try that succeeded began
  std::uint64_t term_ = 0;  // of leading; a renewal of an older one ends
  Event lost_;
};

}  // namespace picklock
