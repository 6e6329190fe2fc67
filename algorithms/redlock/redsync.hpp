// Redlock of redsync, a library for Go.
//
// Differs:   The timeout of a server is 5 % of the lease; drift is 1 % of it and no constant; one value serves all
//            attempts of a call, which are 32; an extension asks the servers even if the hold has expired.
//
// From:      go-redsync/redsync v4, mutex.go.
// Promises:  as Redlock.
// Does not:  as Redlock.
// Abandoned: as Redlock.
#pragma once

#include "algorithms/redlock/redlock.hpp"

namespace picklock {

struct RedsyncOptions : RedlockOptions {
  RedsyncOptions() {
    ttl = seconds(8);
    node_timeout = milliseconds(400);
    drift_constant = {};
    attempts = 32;
    retry = Law::uniform(milliseconds(50), milliseconds(249));
    extensions = 0;
  }
};

class Redsync final : public Redlock {
 public:
  Redsync(const LockContext& context, const RedsyncOptions& options) : Redlock(context, options) {}
  Task<Outcome<MonoTime>> extend(Hold hold) override;

 private:
  Hold propose(std::int64_t attempt) override;

  std::string value_of_call_;
};

}  // namespace picklock
