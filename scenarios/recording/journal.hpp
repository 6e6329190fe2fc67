// Records of workloads in the trace: operations and beliefs.
//
// Kinds of scenarios/workloads: 128 to 159.  A history is made from them after the run
// (scenarios/recording/history_builder.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "sim/core/world.hpp"

namespace picklock {

// The functions of a simulated history, as they appear in `:f`.  Clients record no acquire_read and release_read: the
// history says so of the acquires and releases of a reader's hold.
enum class Function : std::uint8_t {
  acquire,
  release,
  read,
  write,
  append,
  final_read,
  force,
  acquire_read,
  release_read,
  count_
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(Function::count_)> kFunctionNames = {
    "acquire", "release", "read", "write", "append", "final-read", "force", "acquire-read", "release-read"};

enum class OperationEnd : std::uint8_t { invoked, ok, failed, unknown };

namespace trace {

inline constexpr TraceKind operation = kJournal | 128,  // a: hold, b: function, end, process; c: local ns
    operation_value = kJournal | 129,                   // value of the operation before. a: object, b: value, c: token
    belief_begins = kJournal | 130,                     // a: hold
    belief_ends = kJournal | 131,                       // a: hold, b: BeliefEnd
    hold_requested = kJournal | 132,                    // a: hold, b: process, c: lock, mode, kind
    phase_begins = kJournal | 133,                      // a: phase
    write_acknowledged = kJournal | 134,                // a: hold, b: version, c: resource
    // Records of a resource that is kept in the lock's service.
    write_requested = kJournal | 135,     // a: hold, b: version that it was computed from, c: resource
    kept_read_answered = kJournal | 136,  // a: hold, b: version that was read, c: resource
    kept_write_refused = kJournal | 137,  // a: hold, b: version at which the service refused it, c: resource
    // The caller of the section heard nothing of the refusal of its last write to the resource.
    refusal_swallowed = kJournal | 138;  // a: hold, b: 0, c: resource
std::span<const TraceKindInfo> journal_kinds();

}  // namespace trace

inline constexpr std::int64_t kNoValue = std::numeric_limits<std::int64_t>::min();

// b of an `operation` record.
constexpr std::uint64_t pack_operation(Function f, OperationEnd end, std::int32_t process) {
  return static_cast<std::uint64_t>(f) | static_cast<std::uint64_t>(end) << 8 |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(process)) << 32;
}

// Meaning of a hold id.
enum class HoldKind : std::uint8_t {
  whole,  // a hold; of a multi-lock the hold on all its names
  part,   // the hold on one of the names, of the last `whole`
  force   // no hold: others' holds are ended by force on its behalf
};

// c of a `hold_requested` record.
constexpr std::uint64_t pack_request(std::uint32_t lock, bool shared, HoldKind kind) {
  return lock | std::uint64_t{shared} << 32 | static_cast<std::uint64_t>(kind) << 40;
}
constexpr std::uint32_t requested_lock(std::uint64_t c) { return static_cast<std::uint32_t>(c); }
constexpr bool requested_shared(std::uint64_t c) { return (c >> 32 & 1) != 0; }
constexpr HoldKind requested_kind(std::uint64_t c) { return static_cast<HoldKind>(c >> 40 & 0xff); }

}  // namespace picklock
