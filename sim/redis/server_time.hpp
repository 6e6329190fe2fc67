// The wall clock of a server in milliseconds and seconds, as Redis counts.
#pragma once

#include <cstdint>
#include <limits>

#include "sim/task/host.hpp"

namespace picklock {

inline constexpr std::int64_t kNever_ms = std::numeric_limits<std::int64_t>::max();
// Deadlines beyond are as good as none: in nanoseconds they would overflow.
inline constexpr std::int64_t kHorizon_ms = kNever_ms / 2'000'000;

// The divisor must be positive.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) { return (a < 0 ? a - (b - 1) : a) / b; }
inline std::int64_t wall_ms(WallTime t) { return floor_div(t.ns, 1'000'000); }

inline std::int64_t whole_seconds(Duration d) { return d.ns / seconds(1).ns; }

}  // namespace picklock
