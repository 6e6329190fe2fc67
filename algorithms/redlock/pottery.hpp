// Redlock of pottery, a library for Python.
//
// Differs:   Acquire, extend and release go on as soon as a majority has said yes; only a failure waits for all servers.
//            No timeout for a server: a failure waits for a silent one until TCP gives up.  An extension does not look at
//            the clock: it counts from its answer, and is asked for even if the hold has expired.  There are three for a
//            hold.  A release needs a majority.
//
// From:      brainix/pottery 3.0.1 (e2f4042), redlock.py and executor.py.
// Promises:  as Redlock, while answers to extensions are quick.
// Does not:  look at the time that an extension took.
// Abandoned: as Redlock.
// Left out:  locked(), which asks the servers for the rest of the lease; the wait for the last servers before a majority
//            that came too late is undone.
#pragma once

#include "algorithms/redlock/redlock.hpp"

namespace picklock {

struct PotteryOptions : RedlockOptions {
  PotteryOptions();
};

class Pottery final : public Redlock {
 public:
  Pottery(const LockContext& context, const PotteryOptions& options) : Redlock(context, options), options_(options) {}
  Task<Outcome<MonoTime>> extend(Hold hold) override;
  Task<Outcome<>> release(Hold hold) override;

 private:
  BallotRules rules(BallotQuestion::What what) const override;

  PotteryOptions options_;
};

}  // namespace picklock
