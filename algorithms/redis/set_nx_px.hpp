// One Redis server.
//   acquire = SET name value NX PX ttl
//   release = compare-and-delete(name, value)
//   renewal = compare-and-PEXPIRE(name, value, ttl), every third of a lease
//
// With `wait-replicas`: SET, then WAIT wait-replicas wait-timeout on the same connection; if fewer
// replicas acknowledge, the grant is undone by a release and counts as refused.
//
// From:      Redis documentation, "Distributed Locks with Redis": the correct form for one
//            instance; "WAIT" for what its answer means.
// Promises:  at most one unexpired lease per name, while the server keeps its data and its clock.
// Does not:  stop a holder that wakes after its lease has expired.
//            See scenarios/library/paused_holder.toml.
//            Survive a failover: WAIT narrows the window, and a replica that did not acknowledge may
//            still be the one that is promoted (failover_wait_for_one.toml).  Renewals and releases
//            are not waited for.
// Abandoned: a SET on its way leaves a value that no client knows; the name is free again after `ttl`.
#pragma once

#include "algorithms/redis/polling_lock.hpp"
#include "algorithms/redis/renewal.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

// Instant from which the holder counts its lease.
enum class CountFrom : std::uint8_t {
  ask,   // the server cannot have begun earlier
  reply  // wrong: the reply's way belongs to the lease
};
constexpr auto enum_names(CountFrom) { return name_list("ask", "reply"); }

struct SetNxPxOptions {
  Duration ttl = seconds(30);
  CountFrom count_from = CountFrom::ask;
  bool renewal = false;
  std::optional<Duration> renewal_interval;  // nothing: a third of ttl
  std::int64_t wait_replicas = 0;            // number of replicas that must have the SET before the grant; 0: no WAIT
  Duration wait_timeout = milliseconds(100);
  PollingOptions polling{.on_unknown = OnUnknown::undo};
  void fields(FieldVisitor& v);
};

class SetNxPx : public PollingLock {
 public:
  SetNxPx(const LockContext& context, const SetNxPxOptions& options);
  Task<Outcome<>> release(Hold hold) override;
  Task<Outcome<MonoTime>> extend(Hold hold) override;
  Event* lost() override { return options_.renewal ? &renewal_.lost() : nullptr; }

 protected:
  Hold propose() override;
  Task<Acquired> take(Hold proposed) override;
  void granted(const Hold& hold) override;
  MonoTime end_of_lease(MonoTime asked) const;  // call it when the reply has come
  Task<Acquired> once_replicated(Hold taken);   // the hold, once replicas have it if required

  Redis redis_;
  std::string name_;
  SetNxPxOptions options_;
  Renewal renewal_;
};

}  // namespace picklock
