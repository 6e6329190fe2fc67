#include "checker/properties/wrong_command.hpp"

#include "checker/properties/words.hpp"

namespace picklock {

Finding count_wrong_commands(const History& history, const Scratch& scratch, GrantChange kind) {
  if (!history.omniscient) return not_applicable(Reason::needs_grants);
  Finding finding;
  if (!scratch.signs.wrong_command) return finding;
  for (const GrantEvent& e : history.grants) {
    if (e.change != kind || e.by == e.hold) continue;
    if (finding.measure++ > 0) continue;
    finding.verdict = Verdict::violated;
    finding.witness.add_hold(e.hold);
    if (e.by != kNoHold) finding.witness.add_hold(e.by);
    finding.witness.add_event(e.index);
  }
  return finding;
}

std::string explain_wrong_command(const Finding& finding, const History& history, const std::string& did) {
  const GrantEvent* const e = find_record(history.grants, finding.witness.events[0]);
  std::string text = "a command of " + who(history, e->by) + " " + did + " the ownership of " + who(history, e->hold) +
                     " of " + lock_held(history, e->hold) + " at " + in_milliseconds(e->time);
  if (e->by != kNoHold && history.holds[e->by].client == history.holds[e->hold].client) {
    text += ", another hold of the same client";
  }
  if (finding.measure > 1) text += "; " + count(finding.measure, "such command") + " in all";
  return text;
}

}  // namespace picklock
