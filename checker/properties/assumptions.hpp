// Under which circumstances a lock claims to be safe, and what really happened.
//
// A verdict is about a run; an assumption is about what that run went through.  "Safe within its
// assumptions" can then be tested: a run that violates a property although all assumptions of the
// lock were met refutes the lock, and one that broke an assumption refutes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "checker/properties/property.hpp"

namespace picklock {

// Faults that were injected in the executed run, not those that the plan had announced.  Sizes are the largest of any
// node and any instant, absolute.
struct ExecutedFaults {
  std::int64_t clock_rate_error_ppm = 0;  // difference between a clock and true time
  std::int64_t clock_step_ns = 0;         // one step of a wall clock
  std::int64_t clock_offset_ns = 0;       // offset of a wall clock at its start
  std::int64_t pause_ns = 0;              // one pause or freeze of a process
  std::int64_t hold_ns = 0;               // time worked on one promise: stops do not count, a renewal begins anew
  std::int64_t belief_ns = 0;             // time believed in one promise, from it on: stops and delays count
  std::int64_t interruption_ns = 0;       // time without renewals on one promise, by stops, delays and dead servers
  std::int64_t message_delay_ns = 0;      // time from sending to delivery; never delivered: max()
  std::int64_t disconnection_ns = 0;      // time that a client with a session had no connection to any server
  std::int64_t pauses = 0;
  std::int64_t clock_steps = 0;
  std::int64_t kills = 0;
  std::int64_t power_losses = 0;
  std::int64_t restarts = 0;
  std::int64_t partitions = 0;
  std::int64_t messages_lost = 0;
  std::int64_t failovers = 0;
  std::int64_t data_losses = 0;          // times that a server lost something that it had acknowledged
  std::int64_t fsyncs_ignored = 0;       // times that a disk reported a sync that it had not made
  std::int64_t servers_missing = 0;      // servers dead at some time from healing on, beyond those that can be spared
  std::int64_t unanswered_requests = 0;  // times that a client gave up an answer, or its release left the hold
  std::int64_t forced_releases = 0;      // times that an operator ended a hold
  std::int64_t abandoned_acquires = 0;   // times that a client dropped an acquire in flight without any clean-up
  std::int64_t interrupts = 0;           // times that an acquire in flight was interrupted, or its context cancelled
  std::int64_t uncaught_exceptions = 0;  // times that one ended a section and its thread without a release
  std::int64_t forgotten_releases = 0;   // times that a client went on without giving back its hold
  std::int64_t failed_open = 0;          // a caller worked although its acquire had failed
  // Counts of what could not be observed, as the service never named an owner:
  std::int64_t unseen_locks = 0;     // locks that clients believed to hold
  std::int64_t unseen_refusals = 0;  // failed releases of such locks, which may have left the hold behind

  // Was any fault injected at all?
  [[nodiscard]] bool any() const;

  friend bool operator==(const ExecutedFaults&, const ExecutedFaults&) = default;
};

enum class AssumptionKind : std::uint8_t {
  pauses_shorter_than,
  holds_shorter_than,
  beliefs_shorter_than,
  delays_shorter_than,
  clock_rates_within,
  clock_steps_below,
  clock_offsets_below,
  fsync_honoured,
  no_data_loss,
  no_kills,
  no_power_losses,
  no_restarts,
  no_partitions,
  no_failovers,
  disconnections_shorter_than,
  no_unanswered_requests,
  enough_servers,      // assumed by every lock whose servers may stay dead: otherwise waiters are not served
  no_forced_releases,  // assumed by every lock, where a scenario has operators
  interruptions_shorter_than,
  no_abandoned_acquires,
  no_interrupts,
  no_uncaught_exceptions,  // this and the next two: assumed by every lock, where a scenario has such clients
  no_forgotten_releases,
  no_fail_open,
};
inline constexpr std::size_t kAssumptionCount = 24;

enum class ParameterUnit : std::uint8_t { none, nanoseconds, ppm };

// Claims that a lock may make.  Each claim needs assumptions of its own.
enum class ClaimGroup : std::uint8_t {
  exclusion,  // one holder at a time, by its belief and by its grant
  deadlines,  // the same belief, where every client stops at the deadline that came with its grant
  tokens,     // fencing tokens grow
  order,      // grants follow the order of arrival
  service,    // a lock that no client holds is free, and no waiter is forgotten
  releases,   // a release ends no other hold
  returns,    // a release that is acknowledged has ended its own hold
  renewals,   // a renewal prolongs its own hold, and no other one
};
inline constexpr std::size_t kClaimGroupCount = 8;

struct ClaimSet {
  std::uint8_t bits = 0;
  constexpr bool has(ClaimGroup g) const { return (bits >> static_cast<unsigned>(g) & 1U) != 0; }
  friend bool operator==(const ClaimSet&, const ClaimSet&) = default;
};
constexpr ClaimSet operator|(ClaimSet set, ClaimGroup g) {
  return {static_cast<std::uint8_t>(set.bits | 1U << static_cast<unsigned>(g))};
}

// The claim to which a property belongs.  `all_heed_deadlines`: in a run whose holders all stopped at their deadlines.
ClaimGroup claim_of(Property property, bool all_heed_deadlines = false);
std::string_view name(ClaimGroup group);  // "releases"
// "releases tokens": a set of names with spaces between them; "usual" stands for `usual`.  None: a word is no name.
std::optional<ClaimSet> find_claims(std::string_view words, ClaimSet usual);
std::span<const std::string_view> claim_words();  // all words that find_claims knows

struct AssumptionInfo {
  AssumptionKind kind;
  std::string_view name;  // "pauses-shorter-than"
  std::string_view description;
  ParameterUnit unit;
  bool inclusive;                                  // true: the limit itself is still allowed
  std::int64_t ExecutedFaults::*observed;          // the measure of a run that the limit bounds
  ClaimSet usual;                                  // claims that need it, unless the lock names others
  std::int64_t ExecutedFaults::*hidden = nullptr;  // if not 0, the run may hide more than was measured
};

struct Assumption {
  AssumptionKind kind = AssumptionKind::no_data_loss;
  std::int64_t limit = 0;  // limit in AssumptionInfo::unit; 0 where there is none
  ClaimSet needed_by{};    // claims that mean something only with it
  friend bool operator==(const Assumption&, const Assumption&) = default;
};

const std::array<AssumptionInfo, kAssumptionCount>& assumptions();
const AssumptionInfo& info(AssumptionKind kind);
// Reads words as find_claims does; no words stand for the usual ones, and so do wrong ones.
ClaimSet claims_that_need(AssumptionKind kind, std::string_view words);
// The assumption with the claims that usually need it.
Assumption assumption(AssumptionKind kind, std::int64_t limit = 0);
std::optional<AssumptionKind> find_assumption(std::string_view name);

struct Assessment {
  Assumption assumption;
  std::int64_t observed = 0;
  bool met = true;                  // true: known to be met
  bool unknown = false;             // undecided, as far as the run could be observed
  bool all_heed_deadlines = false;  // true in this run: mutual exclusion is then a claim about deadlines

  [[nodiscard]] bool broken() const { return !met && !unknown; }
};

// Does the claim about this property need it, in this run?
inline bool concerns(const Assessment& a, Property p) {
  return a.assumption.needed_by.has(claim_of(p, a.all_heed_deadlines));
}

// An event that never happened (observed 0) breaks no assumption, whatever its limit.
Assessment assess(const Assumption& assumption, const ExecutedFaults& faults, bool all_heed_deadlines = false);
bool all_met(std::span<const Assumption> assumptions, const ExecutedFaults& faults);
// All that a claim about this property needs.
bool all_met(std::span<const Assessment> assessed, Property property);

// "pauses-shorter-than(100.0 ms)"; and " for releases", where not all that usually need it do.
std::string print(const Assumption& assumption);
std::string print(const Assessment& assessment);  // "… broken: 200.0 ms"

}  // namespace picklock
