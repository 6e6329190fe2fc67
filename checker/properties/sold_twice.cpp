#include "checker/properties/sold_twice.hpp"

#include "checker/properties/words.hpp"

namespace picklock {
namespace {

struct Seat {
  std::uint32_t first_sale = kNowhere;  // position in History::effects
  bool sold_twice = false;
};

}  // namespace

Finding sold_twice(const History& history, const JudgeOptions& options, Scratch& scratch) {
  if (!options.seats) return not_applicable(Reason::other_workload);
  if (!history.omniscient) return not_applicable(Reason::needs_effects);
  const auto seats = scratch.workspace.table<Seat>(slots(history.names));
  Finding finding;
  for (std::uint32_t i = 0; i < history.effects.size(); ++i) {
    const EffectEvent& e = history.effects[i];
    if (e.kind != EffectKind::write || !e.acknowledged || e.hold == kNoHold) continue;
    Seat& seat = seats[slot(e.resource)];
    if (seat.first_sale == kNowhere) seat.first_sale = i;
    const EffectEvent& first = history.effects[seat.first_sale];
    if (seat.sold_twice || first.hold == e.hold) continue;
    seat.sold_twice = true;
    if (finding.measure++ > 0) continue;
    finding.verdict = Verdict::violated;
    finding.witness.add_hold(first.hold);
    finding.witness.add_hold(e.hold);
    finding.witness.add_event(first.index);
    finding.witness.add_event(e.index);
  }
  return finding;
}

std::string explain_sold_twice(const Finding& finding, const History& history, const JudgeOptions&) {
  const EffectEvent* const first = find_record(history.effects, finding.witness.events[0]);
  const EffectEvent* const second = find_record(history.effects, finding.witness.events[1]);
  std::string text = name_of(history, first->resource, "the seat") + " was sold to " + who(history, first->hold) +
                     " at " + in_milliseconds(first->time) + " and to " + who(history, second->hold) + " at " +
                     in_milliseconds(second->time);
  if (finding.measure > 1) text += "; " + count(finding.measure, "seat") + " in all";
  return text;
}

}  // namespace picklock
