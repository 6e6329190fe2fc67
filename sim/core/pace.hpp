// A pace ties a world to real time: for processes outside that cannot be stopped between two events.
//
//   const RunEnd end = run_paced(world, {.until = end}, pace);
//
// Every event fires when its instant has come, or later where the machine is late; a message from outside reaches the
// world's tasks at the instant of its arrival.  A run at a pace is not repeatable.
#pragma once

#include "sim/core/world.hpp"

namespace picklock {

class Pace {
 public:
  // A run begins: its first instant is that of the first wait.
  virtual void begin() = 0;
  // Returns when the instant has come, or something from outside before it.  Gives the instant that it is now.
  virtual TrueTime wait(TrueTime until) = 0;
  // The world has come to that instant: tells tasks what came from outside, and does outside what faults did to processes.
  virtual void exchange(World& world) = 0;
  // The run is over: nothing outside goes on.
  virtual void end() = 0;
  // The longest time by which this run was behind real time.
  virtual Duration lateness() const = 0;

 protected:
  ~Pace() = default;
};

RunEnd run_paced(World& world, const RunLimits& limits, Pace& pace);

// The pace of all runs of this process from now on; null, the default: none, runs are in virtual time.
void set_pace(Pace* pace);
Pace* pace();

}  // namespace picklock
