#include "checker/properties/stale_write.hpp"

#include "checker/properties/words.hpp"

namespace picklock {
namespace {

// The newest of the holds that have touched a resource, by the order of grants.
struct Newest {
  std::uint32_t rank = 0;
  std::uint32_t effect = kNowhere;  // position of the one that made it the newest
};

}  // namespace

Finding stale_write(const History& history, const JudgeOptions& options, Scratch& scratch) {
  if (!history.omniscient) return not_applicable(Reason::needs_effects);
  if (options.permits > 1) return not_applicable(Reason::several_permits);
  if (!scratch.signs.write_behind_newer) return {};
  const auto resources = scratch.workspace.table<Newest>(slots(history.names));
  Finding finding;
  for (std::uint32_t i = 0; i < history.effects.size(); ++i) {
    const EffectEvent& e = history.effects[i];
    if (e.kind != EffectKind::read && e.kind != EffectKind::write) continue;
    const std::uint32_t rank = scratch.holds[e.hold].rank;
    if (e.hold == kNoHold || rank == kNowhere) continue;
    Newest& newest = resources[slot(e.resource)];
    if (newest.effect == kNowhere || rank > newest.rank) newest = Newest{rank, i};
    if (e.kind != EffectKind::write || rank == newest.rank) continue;
    if (finding.measure++ > 0) continue;
    const EffectEvent& later = history.effects[newest.effect];
    finding.verdict = Verdict::violated;
    finding.witness.add_hold(e.hold);
    finding.witness.add_hold(later.hold);
    finding.witness.add_event(later.index);
    finding.witness.add_event(e.index);
  }
  return finding;
}

std::string explain_stale_write(const Finding& finding, const History& history, const JudgeOptions&) {
  const EffectEvent* const later = find_record(history.effects, finding.witness.events[0]);
  const EffectEvent* const stale = find_record(history.effects, finding.witness.events[1]);
  std::string text =
      name_of(history, stale->resource, "the resource") + " took a write of " + who(history, stale->hold) + " at " +
      in_milliseconds(stale->time) + ", though " + who(history, later->hold) + ", granted later, had " +
      (later->kind == EffectKind::read ? "read it" : "written to it") + " at " + in_milliseconds(later->time);
  if (finding.measure > 1) text += "; " + count(finding.measure, "stale write") + " in all";
  return text;
}

}  // namespace picklock
