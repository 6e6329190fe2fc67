// The right that a violation disregards, and the server event that ended it.
//
// One of the holds that prove a violation had its right taken away before the other got its own, or none had: the
// service names both, or never named one of them.  Histories say which event that was (checker/history.hpp, GrantEnd).
#pragma once

#include <string>

#include "checker/properties/finding.hpp"

namespace picklock {

struct RightEnd {
  // "expired", "lost", … as histories say it; "given back", "ended by its own command", "forced"; "stands": it did not end; "never granted"; "": the
  // property is not about rights.
  std::string how;
  std::string told;  // the sentence of the story: "lock: a's lease (until 100.1 ms) has run out, by the clock of redis"
};

// Requires a violated finding on this history.
RightEnd right_end(const Finding& finding, const History& history);
// Leaves out the sentence, which costs as much as the run.
std::string how_right_ended(const Finding& finding, const History& history);

}  // namespace picklock
