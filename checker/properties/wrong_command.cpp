#include "checker/properties/wrong_command.hpp"

#include "checker/properties/words.hpp"

namespace picklock {

Verdict count_wrong_commands(const History& history, GrantChange kind) {
  if (!history.omniscient) return not_applicable(Reason::needs_grants);
  Verdict verdict;
  for (const GrantEvent& e : history.grants) {
    if (e.change != kind || e.by == e.hold) continue;
    if (verdict.measure++ > 0) continue;
    verdict.outcome = Ruling::violated;
    verdict.witness.add_hold(e.hold);
    if (e.by != kNoHold) verdict.witness.add_hold(e.by);
    verdict.witness.add_event(e.index);
  }
  return verdict;
}

std::string explain_wrong_command(const Verdict& verdict, const History& history, const std::string& did) {
  const GrantEvent* const e = find_record(history.grants, verdict.witness.events[0]);
  std::string text = "a command of " + who(history, e->by) + " " + did + " the ownership of " + who(history, e->hold) +
                     " of " + lock_held(history, e->hold) + " at " + milliseconds(e->time);
  if (e->by != kNoHold && history.holds[e->by].client == history.holds[e->hold].client) {
    text += ", another hold of the same client";
  }
  if (verdict.measure > 1) text += "; " + count(verdict.measure, "such command") + " in all";
  return text;
}

}  // namespace picklock
