// Redlock of antirez/redlock-rb, the first implementation.
//
// Differs:   One server is asked after the other, without a timeout of its own; the time is read from the wall clock; one
//            value serves all attempts of a call, which are three.  There is no extension.
//
// From:      antirez/redlock-rb, redlock.rb.  The gem `redlock` is another library: redlock_gem.hpp.
// Promises:  as Redlock, while wall clocks are not set, and no message takes long beside the lease: a majority is
//            won one server after the other, and ends with the first (redlock_asked_in_turn/first_implementation).
// Does not:  as Redlock.
// Abandoned: as Redlock.
// Left out:  the pause after the last attempt.
#pragma once

#include "algorithms/redlock/redlock.hpp"

namespace picklock {

struct RedlockRbOptions : RedlockOptions {
  RedlockRbOptions() {
    contact = Contact::sequential;
    node_timeout.reset();
    attempts = 3;
    retry = Law::uniform(Duration{}, milliseconds(199));
  }
  void fields(FieldVisitor& v) { terms(v); }
};

class RedlockRb final : public Redlock {
 public:
  RedlockRb(const LockContext& context, const RedlockRbOptions& options) : Redlock(context, options) {}
  Task<Outcome<MonoTime>> extend(Hold hold) override { return Lock::extend(std::move(hold)); }

 private:
  Instant read_clock() const override { return {host_.wall_now().ns}; }
  Hold propose(std::int64_t attempt) override;

  std::string value_of_call_;
};

}  // namespace picklock
