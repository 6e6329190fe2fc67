#include "checker/properties/never_free_again.hpp"

#include <algorithm>

#include "checker/properties/named_owner.hpp"
#include "checker/properties/words.hpp"

namespace picklock {
namespace {

// Result of the probe with one lock.
struct Probe {
  std::int64_t from = kNoTime;  // start of the last attempt that failed
  std::int64_t until = kNoTime;
  std::uint32_t invoked = kNowhere;  // position
  bool tried = false;
  bool free = false;
  bool unanswered = false;
  bool unknown = false;
  bool held = false;  // a belief or a release kept it out
};

bool meets(const Probe& probe, std::int64_t from, std::int64_t until) {
  return probe.invoked != kNowhere && from < probe.until && probe.from < until;
}

// True if the probe gets all locks at once, as in most runs.
bool gets_all_it_asks_for(const History& history, const Scratch& scratch) {
  bool any = false;
  for (const LockRequest& request : scratch.requests) {
    if (!request.by_probe || !request.acquires) continue;
    const std::uint32_t other = scratch.partner[request.position];
    if (other == kNowhere || history.operations[other].type != OperationType::ok) return false;
    any = true;
  }
  return any;
}

bool ask(const History& history, const Scratch& scratch, std::span<Probe> probes) {
  bool any = false;
  for (const LockRequest& request : scratch.requests) {
    if (!request.by_probe || !request.acquires) continue;
    const std::uint32_t i = request.position;
    any = true;
    Probe& probe = probes[slot(lock_of(history, scratch, i))];
    probe.tried = true;
    const std::uint32_t other = scratch.partner[i];
    if (other == kNowhere) {
      probe.unanswered = true;
      continue;
    }
    const OperationEvent& answer = history.operations[other];
    if (answer.type == OperationType::ok) probe.free = true;
    if (answer.type == OperationType::info || answer.type == OperationType::invoke) {
      probe.unknown = true;
    }
    if (answer.type != OperationType::fail) continue;
    probe.from = history.operations[i].time;
    probe.until = answer.time;
    probe.invoked = i;
  }
  return any;
}

void find_holders(const History& history, Scratch& scratch, std::span<Probe> probes) {
  for (HoldId id = 1; id < history.holds.size(); ++id) {
    const HoldFacts& hold = scratch.holds[id];
    Probe& probe = probes[slot(history.holds[id].lock)];
    if (hold.believed() && meets(probe, hold.believed_from, hold.believed_until)) {
      probe.held = true;
    }
  }
  for (const LockRequest& request : scratch.requests) {
    if (request.acquires) continue;
    const std::uint32_t i = request.position;
    const std::uint32_t other = scratch.partner[i];
    const std::int64_t until =
        other == kNowhere ? death_while_pending(history, scratch, i) : history.operations[other].time;
    Probe& probe = probes[slot(lock_of(history, scratch, i))];
    if (meets(probe, history.operations[i].time, until)) probe.held = true;
  }
}

// Owner of the lock at the end; kNoHold if there is none.
HoldId last_owner(const History& history, NameId lock) {
  HoldId owner = kNoHold;
  for (const GrantEvent& e : history.grants) {
    if (history.holds[e.hold].lock != lock) continue;
    if (e.change == GrantChange::begin) owner = e.hold;
    if (ends_ownership(e.change) && owner == e.hold) owner = kNoHold;
  }
  return owner;
}

void name_witness(const History& history, const Scratch& scratch, const Probe& probe, Witness& witness) {
  const HoldId owner = last_owner(history, lock_of(history, scratch, probe.invoked));
  if (owner != kNoHold) witness.add_hold(owner);
  witness.add_event(history.operations[probe.invoked].index);
  witness.add_event(history.operations[scratch.partner[probe.invoked]].index);
}

}  // namespace

Finding never_free_again(const History& history, const JudgeOptions& options, Scratch& scratch) {
  if (!history.omniscient) return not_applicable(Reason::needs_beliefs);
  if (gets_all_it_asks_for(history, scratch)) return {};
  const auto probes = scratch.workspace.table<Probe>(slots(history.names));
  if (!ask(history, scratch, probes)) return undecided(Reason::no_probe);
  Finding finding;
  if (std::all_of(probes.begin(), probes.end(), [](const Probe& p) { return p.free || !p.tried; })) return finding;
  find_holders(history, scratch, probes);
  Reason doubt = Reason::none;  // the first reason in the order of the enumeration, over all locks
  const auto note = [&](Reason reason) { doubt = doubt == Reason::none ? reason : std::min(doubt, reason); };
  for (const Probe& probe : probes) {
    if (!probe.tried || probe.free) continue;
    if (probe.unanswered) {
      note(Reason::probe_unanswered);
    } else if (probe.invoked == kNowhere || probe.unknown) {
      note(Reason::probe_answer_unknown);
    } else if (probe.held) {
      note(Reason::held_during_probe);
    } else if (options.too_few_servers) {
      note(Reason::too_few_servers);
    } else if (finding.measure++ == 0) {
      finding.verdict = Verdict::violated;
      name_witness(history, scratch, probe, finding.witness);
    }
  }
  if (finding.verdict == Verdict::holds && doubt != Reason::none) return undecided(doubt);
  return finding;
}

std::string explain_never_free_again(const Finding& finding, const History& history, const JudgeOptions& options) {
  Scratch scratch;
  scratch.prepare(history, options);
  const OperationEvent* const asked = find_record(history.operations, finding.witness.events[0]);
  const OperationEvent* const refused = find_record(history.operations, finding.witness.events[1]);
  const auto position = static_cast<std::size_t>(asked - history.operations.data());
  std::string text = name_of(history, lock_of(history, scratch, position), "the lock") +
                     " was refused to the probe from " + in_milliseconds(asked->time) + " to " +
                     in_milliseconds(refused->time) +
                     ", though no client believed that it held it and no release was pending";
  if (finding.witness.hold_count > 0) {
    text += "; the service still names " + who(history, finding.witness.holds[0]);
  }
  if (finding.measure > 1) text += "; " + count(finding.measure, "lock") + " in all";
  return text;
}

}  // namespace picklock
