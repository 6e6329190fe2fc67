// The verdicts of one run, and what was measured of it: all that a campaign adds up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/properties/assumptions.hpp"
#include "checker/properties/properties.hpp"
#include "scenarios/run/faults_played.hpp"
#include "scenarios/run/unseen_owners.hpp"

namespace picklock {

struct RunResult {
  std::uint64_t seed = 0;
  std::uint64_t digest = 0;
  std::uint64_t events = 0;
  Duration length{};                   // true time
  std::optional<Duration> lateness{};  // lateness of the machine in a run in real time (not repeatable), at worst
  bool cut_off = false;                // the event budget ran out, or time stood still
  std::string error;                   // error of the simulation itself; empty: none
  std::string defect_shown;            // the promise that a wanted defect broke; empty: no defect, or it did not show
  Findings findings{};
  SometimesMask happened = 0;  // conditions that came true
  ExecutedFaults executed;
  FaultsPlayed faults;
  std::vector<Assessment> assumptions;  // assumptions of the lock, compared with what really happened
  UnseenOwners unseen;                  // locks whose grants the run has not observed
  JudgeOptions judged_with;             // its spans belong to the RunRecord
  std::shared_ptr<const History> history;
};

}  // namespace picklock
