#include "faults/struck.hpp"

#include <algorithm>

#include "faults/armed_fault.hpp"
#include "faults/journal.hpp"

namespace picklock {

std::vector<Strike> strikes_of(const World& world, std::size_t faults) {
  std::vector<Strike> all(faults, Strike::not_injected);
  for (const TraceRecord& r : world.trace.journal()) {
    if (r.kind != trace::fault_began || r.a >= faults) continue;
    const bool missed = static_cast<Injection>(r.c) == Injection::missed;
    all[r.a] = std::max(all[r.a], missed ? Strike::missed : Strike::injected);
  }
  return all;
}

}  // namespace picklock
