// The checker's finding on one property of one run: a verdict, its measures and its witness.
//
// A finding is a small value without strings.  It names its witness by hold ids and record indices; `explain` (properties.hpp) turns it
// into words on request.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "checker/history.hpp"
#include "checker/properties/property.hpp"
#include "checker/verdict.hpp"

namespace picklock {

// Reason why a verdict is undecided or not applicable.
enum class Reason : std::uint8_t {
  none,
  // not applicable
  needs_beliefs,
  needs_grants,
  needs_effects,
  needs_tokens,
  needs_final_read,
  needs_phases,
  owner_never_named,  // no grant was seen for what clients believed in
  several_permits,
  patience_limited,
  other_workload,
  // undecided
  records_out_of_order,
  budget_exhausted,
  vacuous,  // Finding::missing names the condition that never came true
  no_probe,
  no_healing,
  no_bound,
  probe_unanswered,
  probe_answer_unknown,
  held_during_probe,
  pending_at_end,
  too_few_servers,
  too_close_in_real_time,
};

enum class Unit : std::uint8_t { none, nanoseconds, count };

// The records that prove a violation.  When more than kMostHolds holds are needed (a semaphore of
// many permits), the first of them stand here.
struct Witness {
  static constexpr std::size_t kMostHolds = 8;
  static constexpr std::size_t kMostEvents = 4;

  std::array<HoldId, kMostHolds> holds{};
  std::array<std::uint32_t, kMostEvents> events{};  // OperationEvent::index and its like
  std::uint8_t hold_count = 0;
  std::uint8_t event_count = 0;

  // Beyond the capacity both do nothing.
  void add_hold(HoldId hold) {
    if (hold_count < kMostHolds) holds[hold_count++] = hold;
  }
  void add_event(std::uint32_t index) {
    if (event_count < kMostEvents) events[event_count++] = index;
  }
  [[nodiscard]] std::span<const HoldId> all_holds() const { return {holds.data(), hold_count}; }
  [[nodiscard]] std::span<const std::uint32_t> all_events() const { return {events.data(), event_count}; }
  friend bool operator==(const Witness&, const Witness&) = default;
};

struct Finding {
  Witness witness;
  std::int64_t measure = 0;  // measure of the violation; its unit is PropertyInfo::unit
  std::int64_t beside = 0;   // a second measure; PropertyInfo::beside_unit
  Property property = Property::mutual_exclusion;
  Verdict verdict = Verdict::holds;
  Reason reason = Reason::none;
  Sometimes missing = Sometimes::someone_acquired;  // condition that was missing; used with Reason::vacuous alone

  friend bool operator==(const Finding&, const Finding&) = default;
};
static_assert(sizeof(Finding) <= 80);

inline Finding not_applicable(Reason reason) {
  Finding finding;
  finding.verdict = Verdict::not_applicable;
  finding.reason = reason;
  return finding;
}

inline Finding undecided(Reason reason) {
  Finding finding;
  finding.verdict = Verdict::undecided;
  finding.reason = reason;
  return finding;
}

std::string_view words(Reason reason);  // "the history records no beliefs"; empty for none

}  // namespace picklock
