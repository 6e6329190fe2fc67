// The fields of a fault that shrinking changes: lengths, sizes, instants, counts, laws, machines.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "faults/plan.hpp"

namespace picklock {

struct FaultNumber {
  std::size_t field = 0;  // index among the fault's fields
  bool open = false;      // true: an end that is left open, until healing
  std::int64_t value = 0, least = 0, most = 0;
  bool time = false;     // nanoseconds
  bool trigger = false;  // true: the number says when the fault comes
};

std::vector<FaultNumber> numbers_of(const Fault& fault);
// The fault with another value there; an end that was open is closed.
Fault with_number(const Fault& fault, const FaultNumber& number, std::int64_t value);

// The fault with constants for its laws: the largest value of each. The same fault, if it has none but constants.
Fault with_constants(const Fault& fault);
// The fault with one machine less on a side that has several, for each of them.
std::vector<Fault> with_fewer_machines(const Fault& fault);

// Values above `low` and below `high` that people would write, in their order: one digit with zeros behind it; of a time
// none below a microsecond, and parts and multiples of the deadlines as well.
std::vector<std::int64_t> plain_steps(std::int64_t low, std::int64_t high, bool time,
                                      const std::vector<std::int64_t>& deadlines);

}  // namespace picklock
