// Redlock of redsync, a library for Go.
//
// Differs:   Drift is 1 % of the lease and no constant; one value serves all attempts of a call, which are 32.  The timeout
//            of a server is 5 % of the lease (timeoutFactor), for acquires and for what undoes them.  Extend and Unlock have none: they wait
//            for every server as long as the Redis client does (network.request-timeout), so one silent server makes an
//            extension outlast the lease.  An extension asks the servers even if the hold has expired.  A release needs a
//            majority.
//
//   set-nx-on-extend = true   an extension sets keys that are gone (WithSetNXOnExtend, PR #149)
//
// From:      go-redsync/redsync v4 (5560bd2), mutex.go and redsync.go.
// Promises:  as Redlock.
// Does not:  as Redlock; extend in time while one server is silent.
// Abandoned: as Redlock.
// Left out:  WithFailFast.
#pragma once

#include "algorithms/redlock/redlock.hpp"

namespace picklock {

struct RedsyncOptions : RedlockOptions {
  bool set_nx_on_extend = false;
  RedsyncOptions() {
    ttl = seconds(8);
    node_timeout.reset();
    drift_constant = {};
    attempts = 32;
    retry = Law::uniform(milliseconds(50), milliseconds(249));
    extensions = 0;
  }
  // Sets the timeout of a server, which follows the lease, unless one was given.
  RedlockOptions as_used() const;
  void fields(FieldVisitor& v);
};

class Redsync final : public Redlock {
 public:
  Redsync(const LockContext& context, const RedsyncOptions& options);
  Task<Outcome<MonoTime>> extend(Hold hold) override;
  Task<Outcome<>> release(Hold hold) override;

 private:
  Hold propose(std::int64_t attempt) override;
  // Asks the servers without a timeout of its own.
  Task<Ballot> ask_patiently(BallotQuestion::What what, const std::string& value);

  RedsyncOptions options_;
  std::vector<Redis> pools_;
  std::string value_of_call_;
};

}  // namespace picklock
