// The names of the things that are judged.
#pragma once

#include <cstddef>
#include <cstdint>

namespace picklock {

// Properties in the order of the table in properties.cpp.
enum class Property : std::uint8_t {
  mutual_exclusion,
  double_grant,
  lost_update,
  stale_write,
  late_write,
  fencing_monotonicity,
  wrong_release,
  unreleased,
  wrong_renewal,
  never_free_again,
  starvation,
  overtaking,
  sold_twice,
  deadlock,
  lost_wake_up,
  orphaned,
  unserved,
};
inline constexpr std::size_t kPropertyCount = 17;

// Is it about those who wait: can it hold only while enough servers answer?
constexpr bool is_of_waiters(Property property) {
  return property == Property::never_free_again || property == Property::starvation ||
         property == Property::lost_wake_up || property == Property::orphaned || property == Property::unserved;
}

// Events without which "holds" means nothing.  They have the order of the table in
// sometimes.cpp.
enum class Sometimes : std::uint8_t {
  someone_acquired,
  contention,
  two_holds,
  release_asked,
  renewal_happened,
  resource_written,
  resource_shared,
  token_issued,
  fault_struck,
  process_stopped,
  process_died,
  request_refused,
  loss_noticed,
  answer_unknown,
  hold_ended,
};
inline constexpr std::size_t kSometimesCount = 15;

using SometimesMask = std::uint32_t;  // a set of conditions

constexpr SometimesMask bit(Sometimes condition) { return SometimesMask{1} << static_cast<unsigned>(condition); }

}  // namespace picklock
