// Redlock as an article sketches it, with a last step that sets one expiry at all servers that have granted.
//
// Differs:   After step 4, PEXPIRE name with the rest of the lease at every server that granted, whose ever the key is
//            by then.  One server is asked after the other; no drift is allowed for; one value serves all attempts of a
//            call; step 5 releases only where the SET was granted.
//
// From:      a published sketch of Redlock (scheduleLockExpiration).
// Promises:  as Redlock, but for renewals: it may set the expiry of another client's key.
// Does not:  as Redlock.
// Abandoned: as Redlock.
#pragma once

#include "algorithms/redlock/redlock.hpp"

namespace picklock {

struct RedlockUniformExpiryOptions : RedlockOptions {
  RedlockUniformExpiryOptions() {
    contact = Contact::sequential;
    node_timeout.reset();
    drift_ppm = 0;
    drift_constant = {};
  }
};

class RedlockUniformExpiry final : public Redlock {
 public:
  RedlockUniformExpiry(const LockContext& context, const RedlockUniformExpiryOptions& options)
      : Redlock(context, options), contact_(options.contact) {}

 private:
  Hold propose(std::int64_t attempt) override;
  Task<Acquired> enter(Hold hold, Ballot ballot, Duration validity) override;
  Task<bool> undo(Hold hold, Ballot ballot) override;

  Contact contact_;
  std::string value_of_call_;
};

}  // namespace picklock
