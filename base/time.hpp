// Durations and instants.  An instant belongs to one clock, and the compiler keeps clocks apart: a
// node's monotonic time never becomes true time, or another node's time, by accident.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace picklock {

// A length of time in integer nanoseconds, positive or negative (±292 years).
struct Duration {
  std::int64_t ns = 0;

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration operator+(Duration d) const { return {ns + d.ns}; }
  constexpr Duration operator-(Duration d) const { return {ns - d.ns}; }
  constexpr Duration operator-() const { return {-ns}; }
  constexpr Duration operator*(std::int64_t k) const { return {ns * k}; }
  constexpr Duration operator/(std::int64_t k) const { return {ns / k}; }
  constexpr Duration& operator+=(Duration d) { return ns += d.ns, *this; }
  constexpr Duration& operator-=(Duration d) { return ns -= d.ns, *this; }
  constexpr std::int64_t ms() const { return ns / 1'000'000; }  // rounds towards zero
};

constexpr Duration nanoseconds(std::int64_t n) { return {n}; }
constexpr Duration microseconds(std::int64_t n) { return {n * 1'000}; }
constexpr Duration milliseconds(std::int64_t n) { return {n * 1'000'000}; }
constexpr Duration seconds(std::int64_t n) { return {n * 1'000'000'000}; }

// Longer than any run; adding a few of them to an instant does not overflow.
inline constexpr Duration kForever{std::numeric_limits<std::int64_t>::max() / 8};

// A reading of the clock that `Clock` names.
template <class Clock>
struct Instant {
  std::int64_t ns = 0;

  constexpr auto operator<=>(const Instant&) const = default;
  constexpr Instant operator+(Duration d) const { return {ns + d.ns}; }
  constexpr Instant operator-(Duration d) const { return {ns - d.ns}; }
  constexpr Duration operator-(Instant other) const { return {ns - other.ns}; }
  constexpr Instant& operator+=(Duration d) { return ns += d.ns, *this; }
};

using MonoTime = Instant<struct MonotonicClock>;  // CLOCK_MONOTONIC of one node: drifts, never steps
using WallTime = Instant<struct WallClock>;       // CLOCK_REALTIME of one node: drifts and steps

}  // namespace picklock
