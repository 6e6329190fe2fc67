#include "checker/properties/starvation.hpp"

#include <algorithm>

#include "checker/properties/words.hpp"

namespace picklock {

Finding starvation(const History& history, const JudgeOptions& options, Scratch& scratch) {
  if (!history.omniscient && history.phases.empty()) return not_applicable(Reason::needs_phases);
  if (options.patience_limited) return not_applicable(Reason::patience_limited);
  if (scratch.heal_time == kNoTime) return undecided(Reason::no_healing);
  if (options.starvation_bound < 0) return undecided(Reason::no_bound);

  Finding finding;
  std::uint32_t longest = kNowhere;
  bool somebody_waits = false;
  for (const LockRequest& request : scratch.requests) {
    if (!request.acquires || request.by_probe) continue;
    const std::uint32_t i = request.position;
    const std::uint32_t other = scratch.partner[i];
    std::int64_t until = other != kNowhere ? history.operations[other].time : death_while_pending(history, scratch, i);
    if (until == kEndless) {
      until = scratch.horizon;
      somebody_waits = true;
    }
    const std::int64_t waited = until - std::max(history.operations[i].time, scratch.heal_time);
    if (waited > options.starvation_bound) ++finding.beside;
    if (waited > finding.measure) {
      finding.measure = waited;
      longest = i;
    }
  }
  if (finding.beside > 0) {
    finding.verdict = Verdict::violated;
    const std::uint32_t other = scratch.partner[longest];
    const HoldId hold = history.operations[longest].hold != kNoHold ? history.operations[longest].hold
                        : other != kNowhere                         ? history.operations[other].hold
                                                                    : kNoHold;
    if (hold != kNoHold) finding.witness.add_hold(hold);
    finding.witness.add_event(history.operations[longest].index);
  } else if (somebody_waits) {
    finding.verdict = Verdict::undecided;
    finding.reason = Reason::pending_at_end;
  }
  return finding;
}

std::string explain_starvation(const Finding& finding, const History& history, const JudgeOptions& options) {
  const OperationEvent* const asked = find_record(history.operations, finding.witness.events[0]);
  const std::string whom = finding.witness.hold_count > 0 ? who(history, finding.witness.holds[0])
                                                          : "process " + std::to_string(asked->process);
  std::string text = whom + " asked for the lock at " + in_milliseconds(asked->time) + " and waited for " +
                     in_milliseconds(finding.measure) + " after healing";
  if (options.starvation_bound >= 0) {
    text += "; the bound is " + in_milliseconds(options.starvation_bound);
  }
  if (finding.beside > 1) text += "; " + count(finding.beside, "request") + " starved in all";
  return text;
}

}  // namespace picklock
