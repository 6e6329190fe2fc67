// Facts of a history that several properties need, gathered once per run, and their working
// memory.  One Scratch serves many runs; after the first few it allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "checker/history.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/property.hpp"
#include "checker/properties/workspace.hpp"

namespace picklock {

inline constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();

// The belief of a hold, and the grant that it rests on.
struct HoldFacts {
  std::int64_t believed_from = kNoTime;    // kNoTime: never
  std::int64_t believed_until = kEndless;  // kEndless: still at the end
  std::uint32_t belief_began = kNowhere;   // index of the record
  std::uint32_t belief_ended = kNowhere;
  std::uint32_t rank = kNowhere;        // index in History::grants: the last begin before its belief, or its first
  std::int64_t grant_ended = kEndless;  // the first end of ownership after that
  bool still_named = false;             // true: neither release nor force was applied since its last begin

  [[nodiscard]] bool believed() const { return believed_from != kNoTime; }
  [[nodiscard]] bool granted() const { return rank != kNowhere; }
};

// An acquire or a release that a client has invoked.
struct LockRequest {
  std::uint32_t position = 0;  // index of the invocation in History::operations
  bool acquires = true;        // false: it releases
  bool by_probe = false;       // true for an acquire of the probe
};

// Signs that some properties look for, seen while the facts were gathered: over all locks and resources together, and
// at times where there is nothing.  Without its sign a property need not look at all.
struct Signs {
  bool believed_together = false;   // true: two holds were believed in at once
  bool promised_together = false;   // true: a hold was granted or extended while another was promised
  bool wrong_command = false;       // true: a command changed the ownership of another hold
  bool token = false;               // true: some operation or hold bears one
  bool write_behind_newer = false;  // true: a hold wrote after one granted later had touched some resource
  bool write_after_grant = false;   // true: a hold wrote when its grant had ended
  bool write_unseen = false;        // true: a write may have overwritten another unseen, or its refusal was not told
  bool owner_unseen = false;        // true: some lock was believed in, and no grant of it was recorded
};

struct Scratch {
  std::vector<HoldFacts> holds;        // index: HoldId
  std::vector<std::uint32_t> partner;  // index: operation; its other end, or kNowhere
  std::vector<LockRequest> requests;   // requests of client processes, ascending by position
  std::array<Role, 256> roles{};       // index: OperationEvent::f

  // Every kind of record ascends in time and in index, and names only what the history knows.
  bool in_order = false;
  std::int64_t horizon = 0;              // the time of the last record
  std::int64_t heal_time = kNoTime;      // kNoTime: never
  std::uint32_t probe_index = kNowhere;  // records after this one belong to the probe
  bool somebody_died = false;            // true: some process died
  SometimesMask happened = 0;
  Signs signs;

  Workspace workspace;
  std::span<const bool> unseen;          // index: slot; true: a lock with Signs::owner_unseen; empty: there are none
  std::span<const std::int64_t> deaths;  // answer of death_while_pending(), once it was asked; lies in the workspace

  // `history` must live, unchanged, until the properties have been asked.
  void prepare(const History& history, const JudgeOptions& options);

  // A condition came true, for the workload: what the probe brings about shows nothing.
  void note(Sometimes condition, std::uint32_t index) {
    if (index <= probe_index) happened |= bit(condition);
  }

  [[nodiscard]] Role role(const OperationEvent& operation) const { return roles[operation.f]; }
};

// A place for every name and one for kNoName, which is 0.
inline std::size_t slot(NameId id) { return NameId{id + 1}; }
inline std::size_t slots(const Names& names) { return names.size() + 1; }

// The lock that the operation at `position` is about; kNoName if neither end of it says so.
NameId lock_of(const History& history, const Scratch& scratch, std::size_t position);

// Is it the probe's, and not the workload's?
bool is_of_probe(const OperationEvent& e, const JudgeOptions& options, const Scratch& scratch);

// For an operation invoked and never ended: when its client died after that, kEndless if it lived on or
// is unknown.
std::int64_t death_while_pending(const History& history, Scratch& scratch, std::uint32_t position);

// Time at which the settle phase ends, or of the last record if there is no probe.
std::int64_t end_of_settling(const History& history, const Scratch& scratch);

// Do that number of holds of one name conflict?  Readers alone never do.
constexpr bool conflict(std::uint32_t writers, std::uint32_t readers, std::uint32_t permits) {
  return writers > 0 && writers + readers > permits;
}

}  // namespace picklock
