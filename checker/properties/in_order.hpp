// The records of a history in the order in which they were written: operations, beliefs, grants and processes.
#pragma once

#include <algorithm>

#include "checker/history.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// Calls visitor.at(time) and then visitor.see(record) for each record whose index is below `end`.  What happens at one
// instant counts together, so a visitor looks at its state when the time changes.
template <class Visitor>
void show_in_order(const History& h, Visitor& visitor, std::uint32_t end = kNowhere) {
  auto operation = h.operations.begin();
  auto belief = h.beliefs.begin();
  auto grant = h.grants.begin();
  auto process = h.processes.begin();
  const auto show = [&](auto& record) {
    visitor.at(record->time);
    visitor.see(*record++);
  };
  for (;;) {
    const std::uint32_t o = operation != h.operations.end() ? operation->index : kNowhere;
    const std::uint32_t b = belief != h.beliefs.end() ? belief->index : kNowhere;
    const std::uint32_t g = grant != h.grants.end() ? grant->index : kNowhere;
    const std::uint32_t p = process != h.processes.end() ? process->index : kNowhere;
    const std::uint32_t next = std::min({o, b, g, p});
    if (next >= end) return;
    if (next == o) {
      show(operation);
    } else if (next == b) {
      show(belief);
    } else if (next == g) {
      show(grant);
    } else {
      show(process);
    }
  }
}

}  // namespace picklock
