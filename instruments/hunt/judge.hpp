// Plays one drawn scenario and says whether it failed as the hunt's aim asks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instruments/hunt/aim.hpp"
#include "instruments/hunt/failure.hpp"
#include "instruments/hunt/judgement.hpp"
#include "instruments/hunt/right.hpp"
#include "scenarios/run/checkpoints.hpp"
#include "scenarios/run/unseen_owners.hpp"

namespace picklock {

struct PlanOutcome {
  bool playable = false;       // the scenario compiles, and its run ended within the bound of events
  bool contended = false;      // two clients wanted a lock at a time
  bool struck = false;         // some fault was injected and found something to disturb
  bool lone = true;            // true: no twin, or a comparable one, which was playable and judged
  std::uint64_t digest = 0;    // digest of the run
  std::uint32_t runs = 0;      // number of runs that it took: with a twin two
  std::int64_t closeness = 0;  // closeness to a failure, if it is measured (instruments/hunt/near_miss.hpp)
  std::vector<std::int64_t> turning_points{};  // filled if measured
  std::vector<Judgement> judged{};             // judged properties in the aim's order; empty: unplayable, or an error
  std::vector<Failure> failures{};             // one for each property of the aim that failed, in that order
  std::optional<Property> harms_twin{};        // violated here, but not held there, while nothing failed
  Checked checked{};                           // filled if checkpoints were asked for
  UnseenOwners unseen{};                       // locks whose grants the run has not observed
  std::string error{};                         // error of the simulation itself, or of the lock's code; empty: none

  bool failed() const { return !failures.empty(); }
  const Failure* failure_of(Property property) const;  // null: it did not fail
  // The shortest settle phase that decides what this run ended too early for; nothing: it did not, or something fails that a
  // longer phase may hide, since a waiter is served at last.
  std::optional<Duration> settle() const;
};

class Judge {
 public:
  // A longer run is given up.
  static constexpr std::int64_t kMostEvents = 300'000;

  Judge(const Scenario& base, const Aim& aim, bool measures_closeness = false)
      : base_(base), aim_(aim), measures_closeness_(measures_closeness) {}
  PlanOutcome play(const Scenario& drawn, std::uint64_t seed, const Checkpoints* checkpoints = nullptr) const;
  // True if the twin violates this property, or is unplayable.
  bool harms_twin(const Scenario& drawn, std::uint64_t seed, Property property) const;
  // For a run that violates the property: the event that ended the right, with its sentence.
  RightEnd right_end_of(const Scenario& scenario, std::uint64_t seed, Property property) const;
  const Aim& aim() const { return aim_; }

 private:
  // Takes what fails in the twin as well out of the failures.
  void compare_with_twin(const Scenario& drawn, std::uint64_t seed, PlanOutcome& outcome) const;

  const Scenario& base_;
  const Aim& aim_;
  bool measures_closeness_;
};

}  // namespace picklock
