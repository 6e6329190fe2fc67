// A hunt: plans of faults are drawn, played and judged; what fails is shrunk, grouped by cause, certified and rated.
//
// Plans are played in rounds of a fixed size and looked at in their order, so that the result depends on the number of plans
// alone, and not on threads.  A bound of time ends a hunt between two rounds.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "instruments/hunt/shrink.hpp"
#include "instruments/hunt/strategy.hpp"
#include "scenarios/run/unseen_owners.hpp"

namespace picklock {

struct HuntFinding {
  Cause cause;
  Shrunk shrunk;
  std::uint64_t plan = 0;    // first plan that failed so
  std::uint64_t count = 1;   // plans that failed so
  RightEnd right_end{};      // the server event that ended the right
  std::uint32_t others = 0;  // number among kOtherSeeds other seeds that fail in the same way
  std::string file{};        // path of the kept file; empty: none

  static constexpr std::uint32_t kOtherSeeds = 32;
  // Fewer other seeds than this fail: the finding hangs on the seed as much as on its faults.
  static constexpr std::uint32_t kRobust = 28;
  bool fragile() const { return others < kRobust; }
  // Against a twin: with no other seed do the two differ so, though the same plan is played; then their draws have diverged.
  bool by_chance(const Aim& aim) const { return aim.twin && others == 0; }
  // Is a failure with this cause this finding?  Either the cause is the same, or these faults are, and the failure is of one
  // of the other properties that they violate as well.
  bool covers(const Cause& other) const;
};

// Plans that an exhaustive hunt has played.
struct GridCounts {
  std::uint64_t singles = 0;         // single faults
  std::uint64_t idle = 0;            // singles without effect
  std::uint64_t in_pairs = 0;        // singles that were paired
  std::uint64_t pairs_left_out = 0;  // pairs whose runs equal those of a plan that is played
};

struct HuntResult {
  std::uint64_t plans = 0;               // number of plans played
  std::uint64_t runs = 0;                // runs for the plans, and for shrinking and rating
  std::uint64_t failed = 0;              // plans that failed
  std::uint64_t unplayable = 0;          // plans that do not fit the scenario, or whose run has too many events
  std::uint64_t idle = 0;                // plans whose faults struck nothing
  std::uint64_t alone = 0;               // plans in whose run no two clients wanted a lock at a time
  std::uint64_t no_twin = 0;             // plans that failed, and could not be played against the twin
  std::vector<JudgedProperty> judged{};  // verdicts in the order of the aim's properties
  std::vector<HuntFinding> findings;
  bool complete = false;     // true: an exhaustive hunt has played the whole grid
  bool interrupted = false;  // true: the user interrupted the hunt
  bool full = false;         // true: ended at the wanted number of findings
  GridCounts grid{};
  UnseenOwners unseen{};                          // unseen owners in the plans that were drawn
  std::map<std::uint64_t, std::string> errors{};  // errors of the simulation itself; key: plan

  std::uint64_t tested() const { return plans - unplayable; }
  // Did most plans disturb something while clients contended?
  bool tested_much() const { return plans > 0 && 2 * (unplayable + idle + alone) <= plans; }
  // Could some plan have broken each property that was judged?
  bool tested_all() const;
};

struct HuntOptions {
  Aim aim;
  Strategy strategy = Strategy::many;
  std::uint64_t hunt_seed = 1;
  std::uint64_t most_plans = 10'000;
  std::size_t most_findings = 20;
  ShrinkBounds shrink;
  unsigned jobs = 1;
  std::function<bool()> out_of_time;                // asked between rounds
  const std::atomic<bool>* stop = nullptr;          // flag set from outside
  std::function<void(const HuntResult&)> progress;  // called after each round
  std::function<void(HuntFinding&)> keep;           // keeps a new finding before it is announced
};

HuntResult hunt(const HuntSpace& space, const HuntOptions& options);

}  // namespace picklock
