// Values as generators need them: durations near the deadlines in play, laws, numbers.
//
// These functions draw where they stand: call them inside rc::gen::exec, or while a draw::Seeded lives.
#pragma once

#include <rapidcheck.h>

#include "faults/fault_space.hpp"
#include "sim/task/fields.hpp"

namespace picklock::draw {

// While one lives, the functions below draw from its seed in this thread, and RapidCheck has no part in it.
class Seeded {
 public:
  explicit Seeded(std::uint64_t seed);
  ~Seeded();
  Seeded(const Seeded&) = delete;
  Seeded& operator=(const Seeded&) = delete;

 private:
  friend std::int64_t number(std::int64_t low, std::int64_t high);
  static thread_local Seeded* current_;
  Seeded* const outer_;
  std::uint64_t state_;
};

bool one_in(int n);
// Evenly from low to high, both included.
std::int64_t number(std::int64_t low, std::int64_t high);
// Draws any order of magnitude alike; either sign where the bounds allow it.
std::int64_t spread_number(std::int64_t low, std::int64_t high);

// One of a vector or an array that is not empty.
template <class All>
const auto& element(const All& all) {
  return std::data(all)[static_cast<std::size_t>(number(0, std::ssize(all) - 1))];
}

// A duration that might matter in this space: a part or a multiple of a deadline (half, nine tenths,
// just before, just after, double, …), a round one, or any at all up to the length of the run; moved
// into the bounds.
Duration duration(const FaultSpace& space, std::int64_t least, std::int64_t most);

Law law(const FaultSpace& space, std::int64_t least, std::int64_t most);

}  // namespace picklock::draw

namespace picklock {

// A law of any kind over such durations; shrinks towards a constant, and that towards `least`.
rc::Gen<Law> arbitrary_law(const FaultSpace& space, Duration least, Duration most);

}  // namespace picklock
