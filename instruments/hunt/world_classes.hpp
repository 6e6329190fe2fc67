// Classes of single faults whose worlds are the same from some instant on, so that a pair need not be played.
//
// A pair of faults is a first one, and a second one that comes later.  Let the first be over, and the world be as it is with
// another fault, or without any, at an instant before the second one comes: then the pair has the future that the second one
// has with the other fault, or alone.  What the first one has broken by then it breaks alone as well.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "scenarios/run/checkpoints.hpp"

namespace picklock {

class WorldClasses {
 public:
  static constexpr std::size_t kMostInstants = 48;

  // The triggers of the faults, and when each fires in the calm run; instants just before are checked.
  WorldClasses(const std::vector<Fault>& singles, std::vector<Trigger> triggers, const Checked& calm);

  const Checkpoints& checkpoints() const { return checkpoints_; }
  void note_calm(const Checked& calm) { calm_ = calm.fingerprints; }
  void note(std::size_t single, const Checked& checked);
  // Pairs will be made of these; of a class the first one stands for all.
  void pair_up(const std::vector<std::size_t>& paired);

  static constexpr std::size_t kCalm = static_cast<std::size_t>(-1);
  // The single fault that can stand for `single` in a pair with `later`, which comes after it; kCalm: none at all; `single`
  // itself: no other.
  std::size_t stands_for(std::size_t single, std::size_t later) const;

 private:
  struct Noted {
    std::vector<std::uint64_t> fingerprints;  // index: instant
    std::vector<bool> ahead;                  // index: trigger; true: not yet fired at the instant checked for it
    std::vector<std::size_t> stands;          // index: instant; the fault that stands for this one
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  Checkpoints checkpoints_;
  std::vector<std::size_t> trigger_of_;  // index: single fault; kNone: it waits for no event
  std::vector<std::size_t> instant_of_;  // index: trigger; the last instant before it fires in the calm run; or kNone
  std::vector<std::uint64_t> calm_;
  std::map<std::size_t, Noted> noted_;
};

// The triggers that wait for an event, each once.
std::vector<Trigger> event_triggers_of(const std::vector<Fault>& singles);

}  // namespace picklock
