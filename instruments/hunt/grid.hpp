// The grid of bounded exhaustive search: every single fault, then pairs over a thinned grid.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faults/fault_space.hpp"
#include "faults/plan.hpp"
#include "instruments/hunt/world_classes.hpp"

namespace picklock {

// One fault of each kind, at each target, at each mark that a client passes for the first or second time and at the
// start, of lengths a little below and above the deadlines of the space, and half and double. `from`: the start's instant.
std::vector<Fault> single_faults(const FaultSpace& space, const std::vector<std::string>& kinds, Duration from = {});

// Plans in their order: single faults first, then pairs.
class Grid {
 public:
  static constexpr std::size_t kMostInPairs = 1'000;  // most faults of which pairs are made

  explicit Grid(std::vector<Fault> singles) : singles_(std::move(singles)), idle_(singles_.size(), false) {}
  // Pairs whose world is known are left out from now on. `calm`: the run without faults, watched for event_triggers_of().
  void classify(const Checked& calm);
  WorldClasses* classes() { return classes_ ? &*classes_ : nullptr; }

  // Nothing: there are no more plans. Pairs exist once all single faults have been noted.
  std::optional<FaultPlan> next();
  // The run with the single fault `plan` was the same as the calm one, or could not be played: no pair has it.
  void note_idle(std::uint64_t plan);
  const std::vector<Fault>& faults() const { return singles_; }
  std::size_t singles() const { return singles_.size(); }
  std::size_t idle() const;
  std::size_t in_pairs() const { return paired_.size(); }  // known once plans of pairs were asked for
  std::uint64_t left_out() const { return left_out_; }     // number of pairs left out so far, as their runs are known

 private:
  void pair_up();
  bool is_known(std::size_t one, std::size_t other) const;

  std::vector<Fault> singles_;
  std::vector<bool> idle_;
  std::optional<WorldClasses> classes_;
  std::vector<std::size_t> paired_;
  std::size_t next_ = 0, first_ = 0, second_ = 1;  // single fault; places in paired_
  std::uint64_t left_out_ = 0;
};

}  // namespace picklock
