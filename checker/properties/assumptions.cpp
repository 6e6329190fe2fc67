#include "checker/properties/assumptions.hpp"

#include <algorithm>
#include <limits>

#include "checker/properties/words.hpp"

namespace picklock {
namespace {

// Faults that keep a holder believing for longer than it was promised: a deadline that it heeds bounds that as well,
// and a script that compares harms no other hold.
constexpr ClaimSet kTimeliness = ClaimSet{} | ClaimGroup::exclusion | ClaimGroup::order | ClaimGroup::service;
// Faults that move an instant: the server's, or the deadline.
constexpr ClaimSet kClocks = kTimeliness | ClaimGroup::deadlines;
// Faults that make a service forget, or remember what was deleted.
constexpr ClaimSet kMemory = kClocks | ClaimGroup::tokens | ClaimGroup::returns;
// Faults that leave something at the service: the client's next acquire may take it for its own, and give it back.
constexpr ClaimSet kLeftBehind = kMemory | ClaimGroup::releases;
constexpr ClaimSet kServers = ClaimSet{} | ClaimGroup::service;

constexpr std::array<std::string_view, kClaimGroupCount + 1> kClaimWords = {
    "exclusion", "deadlines", "tokens", "order", "service", "releases", "returns", "renewals", "usual"};

constexpr std::array<AssumptionInfo, kAssumptionCount> kAssumptions{{
    {AssumptionKind::pauses_shorter_than, "pauses-shorter-than", "no process stops for as long as the limit",
     ParameterUnit::nanoseconds, false, &ExecutedFaults::pause_ns, kTimeliness},
    {AssumptionKind::holds_shorter_than, "holds-shorter-than",
     "no holder works for as long as the limit on one promise, without a renewal", ParameterUnit::nanoseconds, false,
     &ExecutedFaults::hold_ns, kTimeliness, &ExecutedFaults::unseen_locks},
    {AssumptionKind::beliefs_shorter_than, "beliefs-shorter-than",
     "no holder believes in one promise for as long as the limit: work, stops and delays together",
     ParameterUnit::nanoseconds, false, &ExecutedFaults::belief_ns, kTimeliness, &ExecutedFaults::unseen_locks},
    {AssumptionKind::delays_shorter_than, "delays-shorter-than", "no message is under way for as long as the limit",
     ParameterUnit::nanoseconds, false, &ExecutedFaults::message_delay_ns, kTimeliness},
    {AssumptionKind::clock_rates_within, "clock-rates-within", "every clock keeps its rate within the limit",
     ParameterUnit::ppm, true, &ExecutedFaults::clock_rate_error_ppm, kClocks},
    {AssumptionKind::clock_steps_below, "clock-steps-below", "no wall clock steps as far as the limit",
     ParameterUnit::nanoseconds, false, &ExecutedFaults::clock_step_ns, kClocks},
    {AssumptionKind::clock_offsets_below, "clock-offsets-below",
     "no wall clock starts as far from true time as the limit", ParameterUnit::nanoseconds, false,
     &ExecutedFaults::clock_offset_ns, kClocks},
    {AssumptionKind::fsync_honoured, "fsync-honoured", "data that a disk calls synced is on the disk",
     ParameterUnit::none, true, &ExecutedFaults::fsyncs_ignored, kMemory},
    {AssumptionKind::no_data_loss, "no-data-loss", "no server loses what it has acknowledged", ParameterUnit::none,
     true, &ExecutedFaults::data_losses, kMemory},
    {AssumptionKind::no_kills, "no-kills", "no process is killed", ParameterUnit::none, true, &ExecutedFaults::kills,
     kMemory},
    {AssumptionKind::no_power_losses, "no-power-losses", "no host loses power", ParameterUnit::none, true,
     &ExecutedFaults::power_losses, kMemory},
    {AssumptionKind::no_restarts, "no-restarts", "no process is restarted", ParameterUnit::none, true,
     &ExecutedFaults::restarts, kMemory},
    {AssumptionKind::no_partitions, "no-partitions", "the network is never partitioned", ParameterUnit::none, true,
     &ExecutedFaults::partitions, kMemory},
    {AssumptionKind::no_failovers, "no-failovers", "no replica takes over", ParameterUnit::none, true,
     &ExecutedFaults::failovers, kMemory},
    {AssumptionKind::disconnections_shorter_than, "disconnections-shorter-than",
     "no client with a session is without a connection for as long as the limit", ParameterUnit::nanoseconds, false,
     &ExecutedFaults::disconnection_ns, kTimeliness},
    {AssumptionKind::no_unanswered_requests, "no-unanswered-requests",
     "no living client stops waiting for the answer to an acquire or a release, and no release leaves its hold behind",
     ParameterUnit::none, true, &ExecutedFaults::unanswered_requests, kLeftBehind, &ExecutedFaults::unseen_refusals},
    {AssumptionKind::enough_servers, "enough-servers",
     "from healing on as many servers run as the service needs; without them no lock serves its waiters",
     ParameterUnit::none, true, &ExecutedFaults::servers_missing, kServers},
    {AssumptionKind::no_forced_releases, "no-forced-releases",
     "no operator ends a hold: its holder learns of that late, or never", ParameterUnit::none, true,
     &ExecutedFaults::forced_releases, kLeftBehind},
    {AssumptionKind::interruptions_shorter_than, "interruptions-shorter-than",
     "stops, delays and dead servers together keep renewals away for less than the limit", ParameterUnit::nanoseconds,
     false, &ExecutedFaults::interruption_ns, kTimeliness},
    {AssumptionKind::no_abandoned_acquires, "no-abandoned-acquires",
     "no client drops an acquire in flight: what it asked for may be granted later, or stand in the queue",
     ParameterUnit::none, true, &ExecutedFaults::abandoned_acquires, kLeftBehind},
    {AssumptionKind::no_interrupts, "no-interrupts",
     "no acquire in flight is interrupted, and no context of one is cancelled: the library cleans up what it can reach",
     ParameterUnit::none, true, &ExecutedFaults::interrupts, kLeftBehind},
    {AssumptionKind::no_uncaught_exceptions, "no-uncaught-exceptions",
     "no uncaught exception ends a section and skips its release while the process lives on", ParameterUnit::none, true,
     &ExecutedFaults::uncaught_exceptions, kLeftBehind},
    {AssumptionKind::no_forgotten_releases, "no-forgotten-releases", "every client releases what it was granted",
     ParameterUnit::none, true, &ExecutedFaults::forgotten_releases, kLeftBehind},
    {AssumptionKind::no_fail_open, "no-fail-open",
     "no caller works without the lock after an acquire that was not granted", ParameterUnit::none, true,
     &ExecutedFaults::failed_open, kLeftBehind},
}};

std::string amount(std::int64_t value, ParameterUnit unit) {
  switch (unit) {
    case ParameterUnit::none:
      return std::to_string(value);
    case ParameterUnit::nanoseconds:
      return value == std::numeric_limits<std::int64_t>::max() ? "for ever" : in_milliseconds(value);
    case ParameterUnit::ppm:
      return std::to_string(value) + " ppm";
  }
  return "";
}

// The claims that need it, unless those that usually do are among them.
std::string for_claims(const Assumption& assumption) {
  const ClaimSet usual = info(assumption.kind).usual;
  if ((assumption.needed_by.bits & usual.bits) == usual.bits) return "";
  std::string text;
  for (std::size_t i = 0; i < kClaimGroupCount; ++i) {
    const auto group = static_cast<ClaimGroup>(i);
    if (!assumption.needed_by.has(group)) continue;
    text += text.empty() ? " for " : ", ";
    text += name(group);
  }
  return text;
}

}  // namespace

std::string_view name(ClaimGroup group) { return kClaimWords[static_cast<std::size_t>(group)]; }

std::span<const std::string_view> claim_words() { return kClaimWords; }

ClaimGroup claim_of(Property property, bool all_heed_deadlines) {
  switch (property) {
    case Property::mutual_exclusion:
      return all_heed_deadlines ? ClaimGroup::deadlines : ClaimGroup::exclusion;
    case Property::fencing_monotonicity:
      return ClaimGroup::tokens;
    case Property::overtaking:
      return ClaimGroup::order;
    case Property::never_free_again:
    case Property::starvation:
    case Property::lost_wake_up:
    case Property::orphaned:
    case Property::unserved:
      return ClaimGroup::service;
    case Property::wrong_release:
      return ClaimGroup::releases;
    case Property::unreleased:
      return ClaimGroup::returns;
    case Property::wrong_renewal:
      return ClaimGroup::renewals;
    default:
      return ClaimGroup::exclusion;
  }
}

std::optional<ClaimSet> find_claims(std::string_view words, ClaimSet usual) {
  ClaimSet found;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    const auto known = std::find(kClaimWords.begin(), kClaimWords.end(), word);
    if (known == kClaimWords.end()) return std::nullopt;
    const auto i = static_cast<std::size_t>(known - kClaimWords.begin());
    if (i == kClaimGroupCount) {
      found.bits |= usual.bits;
    } else {
      found = found | static_cast<ClaimGroup>(i);
    }
  }
  return found;
}

bool ExecutedFaults::any() const { return *this != ExecutedFaults{}; }

const std::array<AssumptionInfo, kAssumptionCount>& assumptions() { return kAssumptions; }

const AssumptionInfo& info(AssumptionKind kind) { return kAssumptions[static_cast<std::size_t>(kind)]; }

ClaimSet claims_that_need(AssumptionKind kind, std::string_view words) {
  const ClaimSet usual = info(kind).usual;
  return words.empty() ? usual : find_claims(words, usual).value_or(usual);
}

Assumption assumption(AssumptionKind kind, std::int64_t limit) { return {kind, limit, info(kind).usual}; }

std::optional<AssumptionKind> find_assumption(std::string_view name) {
  const auto found = std::find_if(kAssumptions.begin(), kAssumptions.end(),
                                  [&](const AssumptionInfo& each) { return each.name == name; });
  if (found == kAssumptions.end()) return std::nullopt;
  return found->kind;
}

Assessment assess(const Assumption& assumption, const ExecutedFaults& faults, bool all_heed_deadlines) {
  const AssumptionInfo& about = info(assumption.kind);
  const std::int64_t observed = faults.*about.observed;
  const std::int64_t limit = about.unit == ParameterUnit::none ? 0 : assumption.limit;
  const bool kept = observed == 0 || (about.inclusive ? observed <= limit : observed < limit);
  const bool hidden = about.hidden != nullptr && faults.*about.hidden != 0;
  return {assumption, observed, kept && !hidden, kept && hidden, all_heed_deadlines};
}

bool all_met(std::span<const Assumption> assumptions, const ExecutedFaults& faults) {
  return std::all_of(assumptions.begin(), assumptions.end(),
                     [&](const Assumption& each) { return assess(each, faults).met; });
}

bool all_met(std::span<const Assessment> assessed, Property property) {
  return std::all_of(assessed.begin(), assessed.end(),
                     [&](const Assessment& each) { return each.met || !concerns(each, property); });
}

std::string print(const Assumption& assumption) {
  const AssumptionInfo& about = info(assumption.kind);
  std::string text(about.name);
  if (about.unit != ParameterUnit::none) text += "(" + amount(assumption.limit, about.unit) + ")";
  return text + for_claims(assumption);
}

std::string print(const Assessment& assessment) {
  const ParameterUnit unit = info(assessment.assumption.kind).unit;
  if (assessment.unknown) return print(assessment.assumption) + " unknown: the service never named an owner";
  return print(assessment.assumption) + (assessment.met ? " met" : " broken") +
         (assessment.observed == 0 && unit == ParameterUnit::none ? "" : ": " + amount(assessment.observed, unit));
}

}  // namespace picklock
