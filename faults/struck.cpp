#include "faults/struck.hpp"

#include "faults/armed_fault.hpp"
#include "faults/journal.hpp"

namespace picklock {

std::vector<Strike> strikes_of(std::span<const TraceRecord> journal, std::size_t faults) {
  std::vector<Strike> all(faults, Strike::not_injected);
  std::size_t left = faults;  // number of faults not injected so far
  for (const TraceRecord& r : journal) {
    if (left == 0) break;
    if (r.kind != trace::fault_began || r.a >= faults || all[r.a] == Strike::injected) continue;
    const bool missed = static_cast<Injection>(r.c) == Injection::missed;
    all[r.a] = missed ? Strike::missed : Strike::injected;
    left -= !missed;
  }
  return all;
}

}  // namespace picklock
