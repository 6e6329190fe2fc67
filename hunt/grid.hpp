// The grid of bounded exhaustive search: every single fault, then pairs over a thinned grid.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faults/fault_space.hpp"
#include "faults/plan.hpp"

namespace picklock {

// One fault of each kind, at each target, at each mark that a client passes for the first or second time and at the
// start, of lengths a little below and above the deadlines of the space, and half and double.
std::vector<Fault> single_faults(const FaultSpace& space, const std::vector<std::string>& kinds);

// Plans in their order: single faults first.
class Grid {
 public:
  static constexpr std::size_t kMostInPairs = 1'000;  // faults of which pairs are made

  explicit Grid(std::vector<Fault> singles) : singles_(std::move(singles)), idle_(singles_.size(), false) {}
  // Number `plan` of this grid; nothing: it has fewer. Pairs exist once all single faults have been noted.
  std::optional<FaultPlan> plan(std::uint64_t plan);
  // The run with the single fault `plan` was the same as without it, or could not be played: no pair has it.
  void note_idle(std::uint64_t plan);
  std::size_t singles() const { return singles_.size(); }
  std::size_t idle() const;
  std::size_t in_pairs() const { return paired_.size(); }  // once plans of pairs were asked for

 private:
  std::vector<Fault> singles_;
  std::vector<bool> idle_;
  std::vector<std::size_t> paired_;
};

}  // namespace picklock
