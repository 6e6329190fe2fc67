// Redlock with numbers for the resource to compare.  Redlock itself has none: its values are random.
//
// Differs:   RedlockFenced: once the servers have granted, INCR name:token at the first server gives a token that
//            grows; the clock is read again after that.  Without an answer the attempt is undone.
//            RedlockUniqueToken: the token is made of the random value: unique, and without order.
//
// From:      the counter that Kleppmann (2016) asks for; antirez, "Is Redlock safe?", 2016.
// Promises:  as Redlock; tokens of RedlockFenced grow while the first server keeps its data.
// Does not:  grant while the first server cannot be reached; go on counting after the loss of that server.
// Abandoned: as Redlock; a token may be drawn that no holder has.
#pragma once

#include "algorithms/redlock/redlock.hpp"

namespace picklock {

class RedlockFenced final : public Redlock {
 public:
  using Redlock::Redlock;

 private:
  Task<Acquired> enter(Hold hold, Ballot ballot, Duration validity) override;
};

class RedlockUniqueToken final : public Redlock {
 public:
  using Redlock::Redlock;

 private:
  Hold propose(std::int64_t attempt) override;
};

}  // namespace picklock
