// The fields of a fault that shrinking changes: lengths, sizes, instants, counts, laws, machines.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "faults/plan.hpp"

namespace picklock {

struct FaultNumber {
  std::size_t field = 0;  // of the fault, in the order of its fields
  bool open = false;      // an end that is left open: until healing
  std::int64_t value = 0, least = 0, most = 0;
  bool time = false;  // nanoseconds
};

std::vector<FaultNumber> numbers_of(const Fault& fault);
// The fault with another value there; an end that was open is closed.
Fault with_number(const Fault& fault, const FaultNumber& number, std::int64_t value);

// The fault with constants for its laws: the largest value of each. The same fault, if it has none but constants.
Fault with_constants(const Fault& fault);
// The fault with one machine less on a side that has several, for each of them.
std::vector<Fault> with_fewer_machines(const Fault& fault);

// Values from `least` to one and a half of it that people would write, the plainest first: parts and multiples of the
// deadlines, then one digit and zeros, then two.
std::vector<std::int64_t> plain_values(std::int64_t least, const std::vector<std::int64_t>& deadlines);

}  // namespace picklock
