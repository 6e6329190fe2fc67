// The holds of a whole history, for pictures and graphs of all of it.
#pragma once

#include <vector>

#include "checker/history.hpp"
#include "checker/models/model.hpp"

namespace picklock {

enum class HoldEnds {
  when_released,         // the first release or expire of the owner that did not fail
  when_anyone_releases,  // the releaser's own hold ends, if it has one
  when_last_proved       // the last refresh, release or expire that was ok: leases may lapse unseen
};

// Sorted by their acquires' returns.  An acquire is a function whose name begins so
// (acquire-read), and so is a release; its owner is the hold that it names, else its process.  Of
// several holds of one owner on one lock (permits, modes, nested acquires) the newest ends first, of
// the mode that the release names, if any.  `release` is what the hold ends with; a lease that
// nothing proves is left out.
std::vector<WitnessHold> holds_in(const History& history, HoldEnds ends = HoldEnds::when_released);

}  // namespace picklock
