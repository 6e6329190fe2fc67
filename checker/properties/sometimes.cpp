#include "checker/properties/sometimes.hpp"

#include <algorithm>

namespace picklock {
namespace {

constexpr std::array<SometimesInfo, kSometimesCount> kConditions{{
    {Sometimes::someone_acquired, "someone-acquired", "some hold was believed in", "no client acquired a lock"},
    {Sometimes::contention, "contention", "a process wanted a lock that another held or wanted",
     "no client asked for a lock while another held it or asked for it"},
    {Sometimes::two_holds, "two-holds", "two holds of one lock were granted or believed in", "no lock was held twice"},
    {Sometimes::release_asked, "release-asked", "a release was invoked", "no client released a lock"},
    {Sometimes::renewal_happened, "renewal-happened", "a promise was extended", "no hold was renewed"},
    {Sometimes::resource_written, "resource-written", "a write took effect on a resource",
     "no client wrote to a resource"},
    {Sometimes::resource_shared, "resource-shared",
     "two holds reached for one resource and at least one of them to write (refusals count)",
     "no two holds reached for one resource"},
    {Sometimes::token_issued, "token-issued", "a hold got a fencing token", "no fencing token was issued"},
    {Sometimes::fault_struck, "fault-struck", "a fault was injected", "no fault was injected"},
    {Sometimes::process_stopped, "process-stopped", "a process was paused or frozen", "no process was stopped"},
    {Sometimes::process_died, "process-died", "a process died", "no process died"},
    {Sometimes::request_refused, "request-refused", "the resource refused a request",
     "the resource refused no request"},
    {Sometimes::loss_noticed, "loss-noticed", "a client was told that it had lost a lock",
     "no client was told of a loss"},
    {Sometimes::answer_unknown, "answer-unknown", "an operation ended without an answer",
     "every operation was answered"},
    {Sometimes::hold_ended, "hold-ended", "a client ceased to believe in a hold", "every hold lasted to the end"},
}};

// The one process that holds or wants a lock, as long as there is but one.
struct Interest {
  std::int32_t process;
  std::uint32_t count;
};

// Records are taken in their order; an interest lasts from an acquire's invocation to its end, and
// through a belief.
class ContentionSweep {
 public:
  ContentionSweep(const History& history, const JudgeOptions& options, Scratch& scratch)
      : history_(history),
        options_(options),
        scratch_(scratch),
        interests_(scratch.workspace.zeros<Interest>(slots(history.names))) {}

  bool found() {
    auto belief = history_.beliefs.begin();
    const auto beliefs_end = history_.beliefs.end();
    std::uint32_t i = 0;  // index of the current operation
    for (const OperationEvent& e : history_.operations) {
      if (found_ || e.index > scratch_.probe_index) break;
      for (; belief != beliefs_end && belief->index < e.index; ++belief) take(*belief);
      take(i++);
    }
    for (; belief != beliefs_end && !found_; ++belief) take(*belief);
    return found_;
  }

 private:
  void begin(NameId lock, std::int32_t process) {
    Interest& interest = interests_[slot(lock)];
    if (interest.count > 0 && interest.process != process) found_ = true;
    interest.process = process;
    ++interest.count;
  }

  // Before contention is found, only one process has an interest to lose.
  void end(NameId lock) {
    Interest& interest = interests_[slot(lock)];
    if (interest.count > 0) --interest.count;
  }

  // True for an acquire of the workload.
  bool acquires(const OperationEvent& invoked) const {
    return scratch_.role(invoked) == Role::acquire && !is_of_probe(invoked, options_, scratch_);
  }

  void take(std::uint32_t position) {
    const std::uint32_t other = scratch_.partner[position];
    const OperationEvent& e = history_.operations[position];
    if (e.process < 0) return;
    if (e.type != OperationType::invoke) {
      if (other != kNowhere && acquires(history_.operations[other])) end(lock_of(history_, scratch_, other));
      return;
    }
    if (!acquires(e)) return;
    const NameId lock = lock_of(history_, scratch_, position);
    if (is_cut_short(position)) {
      glimpse(lock, e.process);
    } else {
      begin(lock, e.process);
    }
  }

  // Abandoned, or pending when its process died: it counts at its invocation and not beyond.
  bool is_cut_short(std::uint32_t position) {
    const std::uint32_t other = scratch_.partner[position];
    if (other != kNowhere) return history_.operations[other].type == OperationType::invoke;
    return death_while_pending(history_, scratch_, position) != kEndless;
  }

  void glimpse(NameId lock, std::int32_t process) {
    const Interest& interest = interests_[slot(lock)];
    if (interest.count > 0 && interest.process != process) found_ = true;
  }

  void take(const BeliefEvent& e) {
    if (e.index > scratch_.probe_index) return;
    const HoldInfo& hold = history_.holds[e.hold];
    const HoldFacts& facts = scratch_.holds[e.hold];
    if (e.index == facts.belief_began) begin(hold.lock, hold.process);
    if (e.index == facts.belief_ended && facts.belief_began < scratch_.probe_index) end(hold.lock);
  }

  const History& history_;
  const JudgeOptions& options_;
  Scratch& scratch_;
  std::span<Interest> interests_;
  bool found_ = false;
};

SometimesMask observe_holds(const History& history, Scratch& scratch) {
  SometimesMask happened = 0;
  const auto seen = scratch.workspace.zeros<bool>(slots(history.names));
  for (HoldId id = 1; id < history.holds.size(); ++id) {
    const HoldFacts& hold = scratch.holds[id];
    const bool believed = hold.believed() && hold.belief_began < scratch.probe_index;
    const bool granted = hold.granted() && history.grants[hold.rank].index < scratch.probe_index;
    if (!believed && !granted) continue;
    if (believed) happened |= bit(Sometimes::someone_acquired);
    if (history.holds[id].token != kNoToken) happened |= bit(Sometimes::token_issued);
    bool& lock_seen = seen[slot(history.holds[id].lock)];
    if (lock_seen) happened |= bit(Sometimes::two_holds);
    lock_seen = true;
  }
  return happened;
}

// A foreign history has neither grants nor effects: answered acquires and additions stand in.
SometimesMask observe_foreign(const History& history, Scratch& scratch) {
  struct Seen {
    HoldId hold = kNoHold;
    bool any = false;
  };
  SometimesMask happened = 0;
  const auto locks = scratch.workspace.table<Seen>(slots(history.names));
  std::int32_t adder = -1;
  for (std::size_t i = 0; i < history.operations.size(); ++i) {
    const OperationEvent& e = history.operations[i];
    const std::uint32_t other = scratch.partner[i];
    if (e.index > scratch.probe_index) break;
    if (e.process < 0 || e.type != OperationType::ok || other == kNowhere) continue;
    if (scratch.role(e) == Role::acquire) {
      happened |= bit(Sometimes::someone_acquired);
      Seen& seen = locks[slot(lock_of(history, scratch, other))];
      if (seen.any && (seen.hold != e.hold || e.hold == kNoHold)) {
        happened |= bit(Sometimes::two_holds);
      }
      seen = Seen{e.hold, true};
    } else if (scratch.role(e) == Role::add) {
      happened |= bit(Sometimes::resource_written);
      if (adder >= 0 && adder != e.process) happened |= bit(Sometimes::resource_shared);
      adder = e.process;
    }
  }
  return happened;
}

}  // namespace

const std::array<SometimesInfo, kSometimesCount>& sometimes_conditions() { return kConditions; }

const SometimesInfo& info(Sometimes condition) { return kConditions[static_cast<std::size_t>(condition)]; }

std::optional<Sometimes> find_sometimes(std::string_view name) {
  const auto found = std::find_if(kConditions.begin(), kConditions.end(),
                                  [&](const SometimesInfo& each) { return each.name == name; });
  if (found == kConditions.end()) return std::nullopt;
  return found->condition;
}

SometimesMask observe(const History& history, const JudgeOptions& options, Scratch& scratch) {
  SometimesMask happened = observe_holds(history, scratch);
  if (!history.omniscient) happened |= observe_foreign(history, scratch);
  if (options.fault_struck) happened |= bit(Sometimes::fault_struck);
  if (ContentionSweep(history, options, scratch).found()) happened |= bit(Sometimes::contention);
  return happened;
}

}  // namespace picklock
