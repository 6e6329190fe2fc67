// Leader election of Kubernetes' client library: a record that its holder keeps changing.
//
//   every candidate, every `retry` and up to 1.2 times as much more:
//     reads the record; if it has changed since it last looked, notes the instant on its own clock
//     another holds it, and that was less than the record's own duration ago: not now
//     else writes itself into it, if it has not changed since it was read
//   the leader renews every `retry`; if it has not succeeded for `renew-deadline`, it steps down
//   a leader that stops leaves the record as it is; with `release-on-cancel` it writes an empty one first
//
// From:      kubernetes, client-go/tools/leaderelection: leaderelection.go (Run, renew, release, tryAcquireOrRenew,
//            isLeaseValid) and resourcelock (LeaseLock, NewFromKubeconfig) of v0.33.0 and v0.34.0; the API server's
//            update is etcd's transaction on the record's mod revision.
// Promises:  one leader, while clocks run at the same rate and no process stops for as long as
//            ttl - renew-deadline - retry: 3 s by default.  Offsets and steps of clocks do not matter: instants in
//            the record are for people, each candidate times what it observes itself.
// Does not:  fence ("does not guarantee that only one client is acting as a leader", says its source): the
//            record does not stop a paused leader, and a leader that stops in mid-write writes when it wakes.
//            Keep an order of candidates.  Free a dead leader's record: candidates outwait it.
// Abandoned: nothing is left but what a request under way may still write: then it leads without knowing,
//            for one ttl.
// Left out:  the API server between candidate and etcd (its cache, its own leases), coordinated elections,
//            what a process does that steps down: client-go's users end it.
//
// Causes of two leaders, each an option and a scenario with its other side (kubernetes_*):
//   release-on-cancel  a leader that could not renew releases before it is told to stop, and that release may take
//                      renew-deadline again: a partition alone is enough (kubernetes PR#139991, open)
//   release = "0.34"   since that release it reads the record anew, and still asks its old copy whether it leads: a
//                      late release empties its successor's record.  "0.33" writes only what it has read as leader
//   ttl                the record says whole seconds, the leader's own deadlines do not
#pragma once

#include <optional>
#include <string>

#include "algorithms/lock.hpp"
#include "sim/task/etcd.hpp"

namespace picklock {

enum class KubernetesRelease : std::uint8_t { v0_33, v0_34 };  // client-go's version; 0.34 to 0.36 release alike
constexpr auto enum_names(KubernetesRelease) { return name_list("0.33", "0.34"); }

struct KubernetesLeaseOptions {
  Duration ttl = seconds(15);                // LeaseDuration; the record says whole seconds
  std::optional<Duration> renew_deadline{};  // RenewDeadline; none: two thirds of the ttl, as 10 s of 15 s
  std::optional<Duration> retry{};           // RetryPeriod; none: two fifteenths of it, as 2 s of 15 s
  std::int64_t jitter_percent = 120;         // JitterFactor
  bool release_on_cancel = false;            // ReleaseOnCancel
  KubernetesRelease release = KubernetesRelease::v0_34;
  Duration record_duration() const { return seconds(ttl.ns / seconds(1).ns); }  // LeaseDurationSeconds
  void fields(FieldVisitor& v);
};

class KubernetesLease final : public Lock {
 public:
  KubernetesLease(const LockContext& context, const KubernetesLeaseOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  // unknown without release-on-cancel: the record names the leader until others have outwaited it.
  Task<Outcome<>> release(Hold hold) override;
  std::optional<MonoTime> deadline(const Hold& hold) const override;
  Event* lost() override { return &lost_; }

 private:
  const char* refusal_of_options() const;  // NewLeaderElector; null: none
  Task<Outcome<>> try_acquire_or_renew(std::uint64_t term);
  Task<bool> renewed_in_time(std::uint64_t term);
  Task<Outcome<>> give_up();      // release(), in client-go
  Task<Outcome<>> write_empty();  // tryRelease
  EtcdAnswer<EtcdRangeReply> read();
  Task<Outcome<>> write(std::string record, EtcdRevision expected);  // refused: it has changed meanwhile
  static Task<void> renew(Host host, KubernetesLease* self, std::uint64_t term);
  void observe(std::string record, EtcdRevision revision);
  std::string record() const;
  bool is_leader() const { return observed_holder_ == identity_; }
  bool is_valid(MonoTime now) const { return observed_at_ + observed_duration_ > now; }

  Etcd& etcd_;
  std::string name_, identity_;
  Duration ttl_, renew_deadline_, retry_, request_timeout_;
  KubernetesLeaseOptions options_;
  std::string read_, observed_holder_;
  EtcdRevision observed_revision_ = 0;
  MonoTime observed_at_{};
  Duration observed_duration_{};
  MonoTime renewed_at_{};   // begin of the last try that succeeded
  std::uint64_t term_ = 0;  // term of asking and leading; work of an older term ends
  bool leads_ = false, steps_down_ = false;
  Event lost_;
};

}  // namespace picklock
