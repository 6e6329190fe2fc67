#include "checker/properties/properties.hpp"

#include <algorithm>
#include <utility>

#include "checker/properties/deadlock.hpp"
#include "checker/properties/double_grant.hpp"
#include "checker/properties/fencing_monotonicity.hpp"
#include "checker/properties/late_write.hpp"
#include "checker/properties/lost_update.hpp"
#include "checker/properties/lost_wake_up.hpp"
#include "checker/properties/mutual_exclusion.hpp"
#include "checker/properties/never_free_again.hpp"
#include "checker/properties/orphaned.hpp"
#include "checker/properties/overtaking.hpp"
#include "checker/properties/sold_twice.hpp"
#include "checker/properties/sometimes.hpp"
#include "checker/properties/stale_write.hpp"
#include "checker/properties/starvation.hpp"
#include "checker/properties/unreleased.hpp"
#include "checker/properties/unserved.hpp"
#include "checker/properties/waiting_bound.hpp"
#include "checker/properties/words.hpp"
#include "checker/properties/wrong_release.hpp"
#include "checker/properties/wrong_renewal.hpp"

namespace picklock {
namespace {

constexpr std::uint8_t needs(Needs one) { return static_cast<std::uint8_t>(one); }

const std::array<PropertyInfo, kPropertyCount> kProperties{{
    {Property::mutual_exclusion, "mutual-exclusion", "no two clients believe at the same time that they hold one lock",
     needs(Needs::beliefs), Claim::exclusion, bit(Sometimes::contention), Unit::nanoseconds, "overlap of beliefs",
     Unit::nanoseconds, "overlap while awake", mutual_exclusion, explain_mutual_exclusion},
    {Property::double_grant, "double-grant", "the lock is not granted while it is promised to another hold",
     needs(Needs::grants), Claim::exclusion, bit(Sometimes::contention), Unit::count, "double grants", Unit::none, "",
     double_grant, explain_double_grant},
    {Property::lost_update, "lost-update",
     "no acknowledged write is refused, or overwritten by one that had not seen it", needs(Needs::effects),
     Claim::exclusion, bit(Sometimes::resource_shared), Unit::count, "lost writes", Unit::none, "", lost_update,
     explain_lost_update},
    {Property::stale_write, "stale-write", "no write takes effect after an effect of a hold that was granted later",
     Needs::effects | Needs::grants, Claim::fenced, bit(Sometimes::resource_shared), Unit::count, "stale writes",
     Unit::none, "", stale_write, explain_stale_write},
    {Property::late_write, "late-write",
     "no write takes effect between the end of its grant and the next holder's first effect",
     Needs::effects | Needs::grants, Claim::information, bit(Sometimes::resource_written), Unit::count, "late writes",
     Unit::none, "", late_write, explain_late_write},
    {Property::fencing_monotonicity, "fencing-monotonicity", "fencing tokens grow in the order of grants",
     Needs::tokens | Needs::grants, Claim::token, bit(Sometimes::two_holds), Unit::count, "tokens out of order",
     Unit::none, "", fencing_monotonicity, explain_fencing_monotonicity},
    {Property::wrong_release, "wrong-release", "no command of one hold ends the ownership of another",
     needs(Needs::grants), Claim::exclusion, bit(Sometimes::release_asked), Unit::count, "wrong releases", Unit::none,
     "", wrong_release, explain_wrong_release},
    {Property::unreleased, "unreleased", "no hold whose release was acknowledged is named by the service afterwards",
     needs(Needs::grants), Claim::exclusion, bit(Sometimes::release_asked), Unit::count,
     "holds kept after their release", Unit::none, "", unreleased, explain_unreleased},
    {Property::wrong_renewal, "wrong-renewal", "no command of one hold extends the ownership of another",
     needs(Needs::grants), Claim::renewing, bit(Sometimes::renewal_happened), Unit::count, "wrong renewals", Unit::none,
     "", wrong_renewal, explain_wrong_renewal},
    {Property::never_free_again, "never-free-again",
     "at the end of the run a fresh client can acquire every lock that no client holds", Needs::beliefs | Needs::probe,
     Claim::progress, bit(Sometimes::someone_acquired), Unit::count, "locks never free again", Unit::none, "",
     never_free_again, explain_never_free_again},
    {Property::starvation, "starvation", "after healing no acquire waits longer than the bound",
     needs(Needs::operations), Claim::progress, bit(Sometimes::contention), Unit::nanoseconds,
     "longest wait after healing", Unit::count, "starved requests", starvation, explain_starvation},
    {Property::overtaking, "overtaking", "number of later requests that were granted before an earlier one",
     needs(Needs::grants), Claim::fair, bit(Sometimes::contention), Unit::count, "most overtaken", Unit::count,
     "overtaken in all", overtaking, explain_overtaking},
    {Property::sold_twice, "sold-twice", "no seat is sold to two holds", needs(Needs::effects), Claim::seats,
     bit(Sometimes::resource_shared), Unit::count, "seats sold twice", Unit::none, "", sold_twice, explain_sold_twice},
    {Property::deadlock, "deadlock", "no clients wait for one another in a circle", needs(Needs::grants),
     Claim::clients, 0, Unit::count, "deadlocks", Unit::nanoseconds, "time in deadlock", deadlock, explain_deadlock},
    {Property::lost_wake_up, "lost-wake-up", "at the end no client waits for a free lock while nothing moves",
     needs(Needs::grants), Claim::waking, bit(Sometimes::someone_acquired), Unit::nanoseconds, "standstill",
     Unit::count, "waiters", lost_wake_up, explain_lost_wake_up},
    {Property::orphaned, "orphaned", "no hold that no living client believes in outlasts the lock's own bound",
     needs(Needs::grants), Claim::progress, bit(Sometimes::hold_ended), Unit::nanoseconds, "longest orphan",
     Unit::count, "orphans beyond the bound", orphaned, explain_orphaned},
    {Property::unserved, "unserved", "no acquire is refused, or kept waiting, while nothing stands in its way",
     needs(Needs::grants), Claim::progress, bit(Sometimes::someone_acquired), Unit::nanoseconds,
     "longest wait for a free lock", Unit::count, "acquires unserved", unserved, explain_unserved},
}};

// The condition in `wanted` that did not happen and stands first in the table.
Sometimes first_missing(SometimesMask wanted, SometimesMask happened) {
  const SometimesMask missing = wanted & ~happened;
  std::size_t place = 0;
  while ((missing >> place & 1u) == 0) ++place;
  return static_cast<Sometimes>(place);
}

// A verdict "holds" is believed only of a whole run that put the property to the test.
void settle(Finding& finding, const PropertyInfo& info, const JudgeOptions& options, const Scratch& scratch) {
  finding.property = info.property;
  if (finding.verdict != Verdict::holds) return;
  const SometimesMask wanted = info.sometimes | options.also_requires[static_cast<std::size_t>(info.property)];
  if (options.budget_exhausted) {
    finding.verdict = Verdict::undecided;
    finding.reason = Reason::budget_exhausted;
  } else if ((wanted & ~scratch.happened) != 0) {
    finding.verdict = Verdict::undecided;
    finding.reason = Reason::vacuous;
    finding.missing = first_missing(wanted, scratch.happened);
  }
}

bool rests_on_grants(const PropertyInfo& info) { return (info.needs & needs(Needs::grants)) != 0; }

Finding ask(const PropertyInfo& info, const History& history, const JudgeOptions& options, Scratch& scratch) {
  Finding finding = scratch.in_order ? info.judge(history, options, scratch) : undecided(Reason::records_out_of_order);
  // A grant that was not observed proves nothing: it neither refutes the lock nor clears it.
  const bool untested = scratch.in_order && scratch.signs.owner_unseen && rests_on_grants(info);
  if (untested && (finding.verdict == Verdict::holds || finding.verdict == Verdict::undecided))
    finding = not_applicable(Reason::owner_never_named);
  settle(finding, info, options, scratch);
  return finding;
}

// Each finding is made where it is to stand.
template <std::size_t... Place>
Findings ask_all(const History& history, const JudgeOptions& options, Scratch& scratch, std::index_sequence<Place...>) {
  return {ask(kProperties[Place], history, options, scratch)...};
}

// A lack of contention has two causes: one client alone, or clients that never met.
std::string explain_missing(Sometimes missing, const History& history) {
  if (missing != Sometimes::contention) return std::string(info(missing).missing);
  const auto probe = std::find_if(history.phases.begin(), history.phases.end(),
                                  [](const PhaseEvent& e) { return e.phase == Phase::probe; });
  NameId client = kNoName;
  bool several = false;
  for (const BeliefEvent& e : history.beliefs) {
    if (probe != history.phases.end() && e.index > probe->index) break;
    const NameId holder = history.holds[e.hold].client;
    several = several || (client != kNoName && holder != client);
    client = holder;
  }
  if (several) return std::string(info(missing).missing);
  return client == kNoName ? "no client ever held the lock" : "only one client ever held the lock";
}

// A client waited when the run ended, or a hold was an orphan, and the bound of the property had not passed.
std::string explain_pending(Property property, const History& history, const JudgeOptions& options) {
  const auto begin_of = [&](Phase phase) {
    const auto found = std::find_if(history.phases.begin(), history.phases.end(),
                                    [&](const PhaseEvent& e) { return e.phase == phase; });
    return found == history.phases.end() ? kNoTime : found->time;
  };
  const std::int64_t healed = begin_of(Phase::heal), probed = begin_of(Phase::probe);
  const std::int64_t bound = bound_of_waiting(property, options);
  if (healed == kNoTime || probed == kNoTime || bound < 0) return std::string(words(Reason::pending_at_end));
  const std::string_view what = property == Property::orphaned ? "a hold was an orphan" : "a client still waited";
  return "the run settled for " + in_milliseconds(probed - healed) + " after healing while " + std::string(what) +
         ", and the bound is " + in_milliseconds(bound);
}

std::string explain_measures(const Finding& finding, const PropertyInfo& info) {
  const auto amount = [](std::int64_t value, Unit unit) {
    return unit == Unit::nanoseconds ? in_milliseconds(value) : std::to_string(value);
  };
  std::string text;
  if (finding.measure != 0 && info.unit != Unit::none) {
    text = std::string(info.measure) + ": " + amount(finding.measure, info.unit);
  }
  if (finding.beside != 0 && info.beside_unit != Unit::none) {
    text += std::string(text.empty() ? "" : "; ") + std::string(info.beside) + ": " +
            amount(finding.beside, info.beside_unit);
  }
  return text;
}

}  // namespace

const std::array<PropertyInfo, kPropertyCount>& properties() { return kProperties; }

const PropertyInfo& info(Property property) { return kProperties[static_cast<std::size_t>(property)]; }

std::optional<Property> find_property(std::string_view name) {
  const auto found =
      std::find_if(kProperties.begin(), kProperties.end(), [&](const PropertyInfo& each) { return each.name == name; });
  if (found == kProperties.end()) return std::nullopt;
  return found->property;
}

std::string_view name(Claim claim) {
  switch (claim) {
    case Claim::exclusion:
      return "exclusion";
    case Claim::progress:
      return "progress";
    case Claim::token:
      return "token";
    case Claim::fenced:
      return "fenced";
    case Claim::renewing:
      return "renewing";
    case Claim::fair:
      return "fair";
    case Claim::waking:
      return "waking";
    case Claim::clients:
      return "clients";
    case Claim::seats:
      return "seats";
    case Claim::information:
      return "information";
  }
  return "";
}

Findings judge(const History& history, const JudgeOptions& options, Scratch& scratch) {
  scratch.prepare(history, options);
  return ask_all(history, options, scratch, std::make_index_sequence<kPropertyCount>());
}

Finding judge_one(Property property, const History& history, const JudgeOptions& options, Scratch& scratch) {
  scratch.prepare(history, options);
  return ask(info(property), history, options, scratch);
}

std::string explain(const Finding& finding, const History& history, const JudgeOptions& options) {
  const PropertyInfo& property = info(finding.property);
  if (finding.reason == Reason::vacuous) return "not tested: " + explain_missing(finding.missing, history);
  if (finding.reason == Reason::pending_at_end) return explain_pending(finding.property, history, options);
  if (finding.reason != Reason::none) return std::string(words(finding.reason));
  if (finding.witness.event_count > 0) return property.explain(finding, history, options);
  return explain_measures(finding, property);
}

}  // namespace picklock
