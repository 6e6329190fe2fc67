#include "scenarios/run/measure.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "base/check.hpp"
#include "checker/properties/named_owner.hpp"
#include "faults/fault_kinds.hpp"
#include "scenarios/file/lease.hpp"
#include "scenarios/recording/journal.hpp"
#include "scenarios/services/service.hpp"

namespace picklock {
namespace {

// Sweeps beliefs, grants and stops in the order of their indices.
class WorkSweep {
 public:
  WorkSweep(const History& h, Workspace& memory)
      : h_(h),
        holds_(memory.zeros<Hold>(h.holds.size())),
        clients_(memory.table<Client>(h.names.size())),
        grant_(h.grants.begin()),
        process_(h.processes.begin()) {}

  void run() {
    for (const BeliefEvent& e : h_.beliefs) {
      see_grants_before(e.index);
      see_stops_before(e.index);
      see(e);
    }
    see_grants_before(UINT32_MAX);
    see_stops_before(UINT32_MAX);
    finish();
  }
  std::int64_t longest_work() const { return longest_work_; }
  std::int64_t longest_belief() const { return longest_belief_; }
  std::int64_t longest_stops() const { return longest_stops_; }

 private:
  struct Hold {
    bool believed = false, promised = false;
    std::int64_t since = 0, stopped_before = 0;
  };
  struct Client {
    std::int64_t stopped = 0, stopped_since = kNoTime;  // total without the current stop; start of the current stop
    std::int64_t stopped_until(std::int64_t t) const {
      return stopped + (stopped_since == kNoTime ? 0 : t - stopped_since);
    }
  };
  Client& client_of(HoldId id) { return clients_[h_.holds[id].client]; }
  void close(HoldId id, std::int64_t t) {
    const Hold& hold = holds_[id];
    if (!hold.believed || !hold.promised) return;
    const std::int64_t believed = t - hold.since;
    longest_belief_ = std::max(longest_belief_, believed);
    const std::int64_t stops = client_of(id).stopped_until(t) - hold.stopped_before;
    longest_work_ = std::max(longest_work_, believed - stops);
    longest_stops_ = std::max(longest_stops_, stops);
  }
  void finish() {  // a belief that has no end lasts to the last record
    const auto last = [](const auto& records) { return records.empty() ? 0 : records.back().time; };
    const std::int64_t now = std::max({last(h_.beliefs), last(h_.grants), last(h_.processes)});
    for (HoldId id = 0; id < holds_.size(); ++id) close(id, now);
  }
  void see_grants_before(std::uint32_t index) {
    for (; grant_ != h_.grants.end() && grant_->index < index; ++grant_) {
      see_stops_before(grant_->index);
      see(*grant_);
    }
  }
  void see_stops_before(std::uint32_t index) {
    for (; process_ != h_.processes.end() && process_->index < index; ++process_) see(*process_);
  }
  void see(const BeliefEvent& e) {
    if (e.end != BeliefEnd::none) close(e.hold, e.time);
    holds_[e.hold].believed = e.end == BeliefEnd::none;
  }
  void see(const GrantEvent& e) {
    if ((e.change != GrantChange::begin && e.change != GrantChange::extend) || e.hold == kNoHold) return;
    close(e.hold, e.time);
    holds_[e.hold].promised = true;
    holds_[e.hold].since = e.time;
    holds_[e.hold].stopped_before = client_of(e.hold).stopped_until(e.time);
  }
  void see(const ProcessEvent& e) {
    Client& c = clients_[e.client];
    if (e.change == ProcessChange::stopped) {
      c.stopped_since = e.time;
    } else if (c.stopped_since != kNoTime) {
      c.stopped += e.time - c.stopped_since;
      c.stopped_since = kNoTime;
    }
  }

  const History& h_;
  std::span<Hold> holds_;
  std::span<Client> clients_;
  std::vector<GrantEvent>::const_iterator grant_;      // first grant that is not seen yet, …
  std::vector<ProcessEvent>::const_iterator process_;  // … and nothing after it
  std::int64_t longest_work_ = 0, longest_belief_ = 0, longest_stops_ = 0;
};

// Adds lengths; an endless one stays endless.
std::int64_t plus(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return a > kMost - b ? kMost : a + b;
}

// All that can have come between two renewals, whenever the lock sends them: its holder or its renewal stopped, a server
// stopped or was dead, and a request and an answer were under way.
std::int64_t interruption(std::int64_t stops_of_holders, const Deployment& deployment, const Executed& executed) {
  Duration of_servers{};
  for (const Absence& a : executed.absences) {
    if (a.node <= deployment.machines().size()) of_servers = std::max(of_servers, a.stopped + a.dead);
  }
  const std::int64_t way = executed.longest_message_delay.ns;
  return plus(plus(stops_of_holders, executed.longest_task_pause.ns), plus(of_servers.ns, plus(way, way)));
}

// Acquires and releases whose clients stopped waiting for an answer, and did not die, or whose release failed and left the
// hold behind: no server was reached.
std::int64_t unanswered_requests(const History& h) {
  std::int64_t unanswered = 0;
  for (const OperationEvent& e : h.operations) {
    if (e.type != OperationType::fail && e.type != OperationType::info) continue;
    const auto f = static_cast<Function>(e.f);
    const bool gives_back = f == Function::release || f == Function::release_read;
    const bool acquires = f == Function::acquire || f == Function::acquire_read;
    if (e.type == OperationType::fail) {
      unanswered += gives_back && is_named_owner(h, e.hold, e.index);
    } else {
      unanswered += gives_back || acquires;
    }
  }
  return unanswered;
}

// Holds that an operator ended: a lease that was revoked, a key that was deleted.
std::int64_t forced_releases(const History& h) {
  return std::count_if(h.grants.begin(), h.grants.end(),
                       [](const GrantEvent& e) { return e.change == GrantChange::forced; });
}

bool is_unseen(const Scratch& scratch, NameId lock) { return !scratch.unseen.empty() && scratch.unseen[slot(lock)]; }

// Servers that were dead at some time from healing on, beyond those that the service can spare.
std::int64_t servers_missing(const World& world, const History& h, const Deployment& deployment) {
  const auto healing =
      std::find_if(h.phases.begin(), h.phases.end(), [](const PhaseEvent& e) { return e.phase == Phase::heal; });
  const std::int64_t healed_at = healing == h.phases.end() ? kNoTime : healing->time;
  std::vector<bool> dead(deployment.machines().size() + 1), missing;
  for (const TraceRecord& r : world.trace.journal()) {
    if (missing.empty() && healed_at != kNoTime && r.time > healed_at) missing = dead;
    if (r.node == 0 || r.node >= dead.size()) continue;
    const bool dies =
        r.kind == trace::process_killed || r.kind == trace::process_panicked || r.kind == trace::power_lost;
    if (!dies && r.kind != trace::process_started) continue;
    dead[r.node] = dies;
    if (dies && !missing.empty()) missing[r.node] = true;
  }
  if (missing.empty()) missing = dead;
  const auto number = static_cast<std::size_t>(std::count(missing.begin(), missing.end(), true));
  const std::size_t spare = deployment.spare_machines();
  return static_cast<std::int64_t>(number > spare ? number - spare : 0);
}

}  // namespace

std::optional<std::int64_t> option_named(std::string_view name, AnyOptions options) {
  std::optional<std::int64_t> value;
  visit_fields(options, [&]<class T>(const FieldInfo& f, T& v) {
    if (f.name != name) return;
    if constexpr (std::is_same_v<T, std::int64_t>) value = v;
    if constexpr (std::is_same_v<T, Duration>) value = v.ns;
    if constexpr (std::is_same_v<T, std::optional<Duration>>) {
      if (v) value = v->ns;
    }
    if constexpr (std::is_same_v<T, Law>) value = v.high();
  });
  return value;
}

namespace {

// Work ends no promise that is renewed meanwhile, and what is never renewed needs no time for that.
bool applies(AssumptionKind kind, bool renewed) {
  if (kind == AssumptionKind::interruptions_shorter_than) return renewed;
  return !renewed || (kind != AssumptionKind::holds_shorter_than && kind != AssumptionKind::beliefs_shorter_than);
}

// Nothing: the option is the lease, and none is given.
std::optional<std::int64_t> bound_of(const AssumptionOf& a, const LockKind& kind, const AnyOptions& options,
                                     const ServiceSettings& services, Duration request_timeout) {
  if (a.parameter.empty()) return 0;
  const std::optional<std::int64_t> said = option_named(a.parameter, options);
  if (a.parameter != kind.terms.option) return said.value_or(request_timeout.ns) / a.divisor;
  if (!said) return std::nullopt;
  std::int64_t lease = granted_lease(kind, services, {*said}).ns;
  const auto shortest = kind.shortest_lease != nullptr ? kind.shortest_lease(*options) : std::nullopt;
  if (shortest) lease = std::min(lease, shortest->ns);
  return lease / a.divisor;
}

}  // namespace

std::vector<Assumption> assumptions_of(const LockKind& kind, const AnyOptions& options, const ServiceSettings& services,
                                       Duration request_timeout) {
  const bool renewed = renews(kind, *options);
  std::vector<Assumption> all;
  for (const AssumptionOf& a : kind.assumptions) {
    const auto found = find_assumption(a.name);
    PICKLOCK_CHECK(found.has_value());
    if (!applies(*found, renewed)) continue;
    const auto bound = bound_of(a, kind, options, services, request_timeout);
    if (bound) all.push_back({*found, *bound, claims_that_need(*found, a.needed_by)});
  }
  return all;
}

Duration longest_work_on_one_promise(const History& history) {
  Workspace memory;
  WorkSweep sweep(history, memory);
  sweep.run();
  return {sweep.longest_work()};
}

Duration longest_belief_in_one_promise(const History& history) {
  Workspace memory;
  WorkSweep sweep(history, memory);
  sweep.run();
  return {sweep.longest_belief()};
}

bool all_beliefs_are_bounded(const History& history, const Executed& executed, bool all_heed_deadlines) {
  std::int64_t open = 0;
  bool dead = false;
  for (const BeliefEvent& e : history.beliefs) {
    open += e.end == BeliefEnd::none ? 1 : -1;
    dead = dead || e.end == BeliefEnd::died;
  }
  return all_heed_deadlines && executed.freezes == 0 && !history.beliefs.empty() && open == 0 && !dead;
}

void assess_run(const World& world, const History& history, const Deployment& deployment, const Executed& executed,
                const ClientDeeds& deeds, Scratch& scratch, ExecutedFaults& faults) {
  faults = {};
  scratch.workspace.reset();  // the judge fills it anew
  WorkSweep sweep(history, scratch.workspace);
  sweep.run();
  faults.hold_ns = sweep.longest_work();
  faults.belief_ns = sweep.longest_belief();
  faults.interruption_ns = interruption(sweep.longest_stops(), deployment, executed);
  faults.clock_rate_error_ppm = executed.largest_rate_error_ppm;
  faults.clock_step_ns = executed.largest_clock_step.ns;
  faults.clock_offset_ns = executed.largest_clock_offset.ns;
  // A lock whose renewal alone is stopped is not served: its tasks' pauses count as the process's.
  faults.pause_ns = std::max(executed.longest_stop, executed.longest_task_pause).ns;
  faults.message_delay_ns = executed.longest_message_delay.ns;
  faults.pauses = executed.pauses + executed.freezes + executed.task_pauses;
  faults.clock_steps = executed.clock_steps;
  faults.kills = executed.kills;
  faults.power_losses = executed.power_losses;
  faults.restarts = executed.restarts;
  faults.messages_lost = executed.segments_lost;
  const bool all_live = executed.kills + executed.power_losses == 0;
  faults.servers_missing = all_live ? 0 : servers_missing(world, history, deployment);
  faults.unanswered_requests = unanswered_requests(history);
  faults.forced_releases = forced_releases(history);
  faults.abandoned_acquires = deeds.abandoned;
  faults.interrupts = deeds.interrupted;
  faults.uncaught_exceptions = deeds.thrown;
  faults.forgotten_releases = deeds.forgotten;
  faults.failed_open = deeds.failed_open;
  static const std::size_t partition = index_of(*find_fault_kind("partition"));
  faults.partitions = executed.injected[partition];
  deployment.measure(world, faults);
}

// No grant of such a lock tells whether a release left its hold behind, or force ended one.
void count_unseen(const History& h, const Scratch& scratch, ExecutedFaults& faults) {
  faults.unseen_locks = std::count(scratch.unseen.begin(), scratch.unseen.end(), true);
  if (faults.unseen_locks == 0) return;
  for (const OperationEvent& e : h.operations) {
    if (e.hold == kNoHold || !is_unseen(scratch, h.holds[e.hold].lock)) continue;
    const auto f = static_cast<Function>(e.f);
    const bool gives_back = f == Function::release || f == Function::release_read;
    faults.unseen_refusals += gives_back && e.type == OperationType::fail;
    faults.forced_releases += f == Function::force && e.type == OperationType::ok;
  }
}

}  // namespace picklock
