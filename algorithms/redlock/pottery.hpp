// Redlock of pottery, a library for Python.
//
// Differs:   No timeout of its own for a server; a SET is decided as soon as a majority has said yes, or a majority
//            anything else; an extension does not look at the clock: it counts from its answer.
//
// From:      brainix/pottery 3.0.1, redlock.py.
// Promises:  as Redlock, while answers to extensions are quick.
// Does not:  look at the time that an extension took.
// Abandoned: as Redlock.
#pragma once

#include "algorithms/redlock/redlock.hpp"

namespace picklock {

struct PotteryOptions : RedlockOptions {
  PotteryOptions() { node_timeout.reset(); }
};

class Pottery final : public Redlock {
 public:
  Pottery(const LockContext& context, const PotteryOptions& options) : Redlock(context, options), options_(options) {}
  Task<Outcome<MonoTime>> extend(Hold hold) override;

 private:
  Task<Ballot> ask(BallotQuestion question) override;

  PotteryOptions options_;
};

}  // namespace picklock
