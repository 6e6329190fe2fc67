#include "checker/properties/late_write.hpp"

#include "checker/properties/named_owner.hpp"
#include "checker/properties/words.hpp"

namespace picklock {
namespace {

struct Newest {
  std::uint32_t rank;
  bool touched;
};

}  // namespace

Finding late_write(const History& history, const JudgeOptions&, Scratch& scratch) {
  if (!history.omniscient) return not_applicable(Reason::needs_effects);
  if (!scratch.signs.write_after_grant) return {};
  const auto resources = scratch.workspace.zeros<Newest>(slots(history.names));
  const auto ended = scratch.workspace.zeros<bool>(history.holds.size());
  Finding finding;
  std::size_t grant = 0;
  for (const EffectEvent& e : history.effects) {
    // Intervals are half-open: a grant that ends at this very moment has ended.
    for (; grant < history.grants.size() && history.grants[grant].time <= e.time; ++grant) {
      const GrantEvent& change = history.grants[grant];
      if (change.change == GrantChange::begin) ended[change.hold] = false;
      if (ends_ownership(change.change) && scratch.holds[change.hold].rank < grant) {
        ended[change.hold] = true;
      }
    }
    if (e.kind != EffectKind::read && e.kind != EffectKind::write) continue;
    const std::uint32_t rank = scratch.holds[e.hold].rank;
    if (e.hold == kNoHold || rank == kNowhere) continue;
    Newest& newest = resources[slot(e.resource)];
    if (!newest.touched || rank > newest.rank) newest = Newest{rank, true};
    if (e.kind != EffectKind::write || rank < newest.rank || !ended[e.hold]) continue;
    if (finding.measure++ > 0) continue;
    finding.verdict = Verdict::violated;
    finding.witness.add_hold(e.hold);
    finding.witness.add_event(e.index);
  }
  return finding;
}

std::string explain_late_write(const Finding& finding, const History& history, const JudgeOptions&) {
  const EffectEvent* const late = find_record(history.effects, finding.witness.events[0]);
  std::int64_t ended = kNoTime;
  for (const GrantEvent& e : history.grants) {
    if (e.hold == late->hold && ends_ownership(e.change) && e.time <= late->time) ended = e.time;
  }
  std::string text = name_of(history, late->resource, "the resource") + " took a write of " + who(history, late->hold) +
                     " at " + in_milliseconds(late->time) + ", " + in_milliseconds(late->time - ended) +
                     " after its grant had ended; no later holder had touched it yet";
  if (finding.measure > 1) text += "; " + count(finding.measure, "late write") + " in all";
  return text;
}

}  // namespace picklock
