// A report's words for events: by the names that their history has for clients and owners, and in times that count
// from a beginning that suits people.
#pragma once

#include <cstdint>

#include "checker/history.hpp"
#include "checker/intern_table.hpp"
#include "checker/line_table.hpp"

namespace picklock {

struct Naming {
  InternTable processes;    // index: OperationEvent::process; later processes have numbers alone
  InternTable owners;       // index: OperationEvent::hold - 1
  std::int64_t origin = 0;  // instant from which times count
  LineTable lines;          // lines of the file; empty: the history came from memory

  // Takes the first event of a history: times of day count from it, other times as they are recorded.
  void begin(std::int64_t time) {
    constexpr std::int64_t kDay = 86'400'000'000'000;
    if (time > kDay || time < -kDay) origin = time;
  }
  // Times of a day that a clock told, and not those of a run.
  [[nodiscard]] bool of_a_clock() const {
    constexpr std::int64_t kYear2000 = 946'684'800'000'000'000;
    return origin >= kYear2000;
  }
  [[nodiscard]] std::int64_t since_origin(std::int64_t time) const {  // wraps around, as foreign times may be anything
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(origin));
  }
};

}  // namespace picklock
