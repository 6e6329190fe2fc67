#include "checker/properties/assumptions.hpp"

#include <algorithm>
#include <limits>

#include "checker/properties/words.hpp"

namespace picklock {
namespace {

constexpr std::array<AssumptionInfo, kAssumptionCount> kAssumptions{{
    {AssumptionKind::pauses_shorter_than, "pauses-shorter-than", "no process stops for as long as the limit",
     ParameterUnit::nanoseconds, false, &ExecutedFaults::pause_ns},
    {AssumptionKind::holds_shorter_than, "holds-shorter-than",
     "no holder works for as long as the limit on one promise, without a renewal", ParameterUnit::nanoseconds, false,
     &ExecutedFaults::hold_ns},
    {AssumptionKind::beliefs_shorter_than, "beliefs-shorter-than",
     "no holder believes in one promise for as long as the limit: work, stops and delays together",
     ParameterUnit::nanoseconds, false, &ExecutedFaults::belief_ns},
    {AssumptionKind::delays_shorter_than, "delays-shorter-than", "no message is under way for as long as the limit",
     ParameterUnit::nanoseconds, false, &ExecutedFaults::message_delay_ns},
    {AssumptionKind::clock_rates_within, "clock-rates-within", "every clock keeps its rate within the limit",
     ParameterUnit::ppm, true, &ExecutedFaults::clock_rate_error_ppm},
    {AssumptionKind::clock_steps_below, "clock-steps-below", "no wall clock steps as far as the limit",
     ParameterUnit::nanoseconds, false, &ExecutedFaults::clock_step_ns},
    {AssumptionKind::clock_offsets_below, "clock-offsets-below",
     "no wall clock starts as far from true time as the limit", ParameterUnit::nanoseconds, false,
     &ExecutedFaults::clock_offset_ns},
    {AssumptionKind::fsync_honoured, "fsync-honoured", "data that a disk calls synced is on the disk",
     ParameterUnit::none, true, &ExecutedFaults::fsyncs_ignored},
    {AssumptionKind::no_data_loss, "no-data-loss", "no server loses what it has acknowledged", ParameterUnit::none,
     true, &ExecutedFaults::data_losses},
    {AssumptionKind::no_kills, "no-kills", "no process is killed", ParameterUnit::none, true, &ExecutedFaults::kills},
    {AssumptionKind::no_power_losses, "no-power-losses", "no host loses power", ParameterUnit::none, true,
     &ExecutedFaults::power_losses},
    {AssumptionKind::no_restarts, "no-restarts", "no process is restarted", ParameterUnit::none, true,
     &ExecutedFaults::restarts},
    {AssumptionKind::no_partitions, "no-partitions", "the network is never partitioned", ParameterUnit::none, true,
     &ExecutedFaults::partitions},
    {AssumptionKind::no_failovers, "no-failovers", "no replica takes over", ParameterUnit::none, true,
     &ExecutedFaults::failovers},
    {AssumptionKind::disconnections_shorter_than, "disconnections-shorter-than",
     "no client with a session is without a connection for as long as the limit", ParameterUnit::nanoseconds, false,
     &ExecutedFaults::disconnection_ns},
    {AssumptionKind::no_unanswered_requests, "no-unanswered-requests",
     "no living client stops waiting for the answer to an acquire or a release, and no release leaves its hold behind",
     ParameterUnit::none, true, &ExecutedFaults::unanswered_requests},
    {AssumptionKind::enough_servers, "enough-servers",
     "at the end as many servers run as the service needs; without them no lock serves its waiters",
     ParameterUnit::none, true, &ExecutedFaults::servers_missing},
    {AssumptionKind::no_forced_releases, "no-forced-releases",
     "no operator ends a hold: its holder learns of that late, or never", ParameterUnit::none, true,
     &ExecutedFaults::forced_releases},
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

}  // namespace

bool ExecutedFaults::any() const { return *this != ExecutedFaults{}; }

const std::array<AssumptionInfo, kAssumptionCount>& assumptions() { return kAssumptions; }

const AssumptionInfo& info(AssumptionKind kind) { return kAssumptions[static_cast<std::size_t>(kind)]; }

std::optional<AssumptionKind> find_assumption(std::string_view name) {
  const auto found = std::find_if(kAssumptions.begin(), kAssumptions.end(),
                                  [&](const AssumptionInfo& each) { return each.name == name; });
  if (found == kAssumptions.end()) return std::nullopt;
  return found->kind;
}

Assessment assess(const Assumption& assumption, const ExecutedFaults& faults) {
  const AssumptionInfo& about = info(assumption.kind);
  const std::int64_t observed = faults.*about.observed;
  const std::int64_t limit = about.unit == ParameterUnit::none ? 0 : assumption.limit;
  const bool met = observed == 0 || (about.inclusive ? observed <= limit : observed < limit);
  return Assessment{assumption, observed, met};
}

bool all_met(std::span<const Assumption> assumptions, const ExecutedFaults& faults) {
  return std::all_of(assumptions.begin(), assumptions.end(),
                     [&](const Assumption& each) { return assess(each, faults).met; });
}

bool all_met(std::span<const Assessment> assessed, Property property) {
  return std::all_of(assessed.begin(), assessed.end(),
                     [&](const Assessment& each) { return each.met || !concerns(each.assumption, property); });
}

std::string print(const Assumption& assumption) {
  const AssumptionInfo& about = info(assumption.kind);
  std::string text(about.name);
  if (about.unit != ParameterUnit::none) text += "(" + amount(assumption.limit, about.unit) + ")";
  if (assumption.of_releases) text += " for releases";
  return text;
}

std::string print(const Assessment& assessment) {
  const ParameterUnit unit = info(assessment.assumption.kind).unit;
  return print(assessment.assumption) + (assessment.met ? " met" : " broken") +
         (assessment.observed == 0 && unit == ParameterUnit::none ? "" : ": " + amount(assessment.observed, unit));
}

}  // namespace picklock
