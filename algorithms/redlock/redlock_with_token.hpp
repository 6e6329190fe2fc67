// Redlock with numbers for the resource to compare.  Redlock itself has none: its values are random.
//
// Differs:   RedlockFenced: once the servers have granted, INCR name:token at one of them gives a token that grows; the
//            clock is read again after that.  Without an answer the attempt is undone.  Two majorities share a server,
//            but not always this one: a holder that cannot reach it gets no token, and no grant.
//            RedlockUniqueToken: the token is made of the random value: unique, and without order.
//
// From:      the counter that Kleppmann (2016) asks for; antirez, "Is Redlock safe?", 2016.
// Promises:  as Redlock; tokens of RedlockFenced grow while the counting server keeps its data.
// Does not:  grant while that server cannot be reached; go on counting after the loss of its data.
// Abandoned: as Redlock; a token may be drawn that no holder has.
#pragma once

#include "algorithms/redlock/redlock.hpp"

namespace picklock {

struct RedlockFencedOptions : RedlockOptions {
  std::int64_t counter_server = 1;
  void fields(FieldVisitor& v);
};

class RedlockFenced final : public Redlock {
 public:
  RedlockFenced(const LockContext& context, const RedlockFencedOptions& options);

 private:
  Task<Acquired> enter(Hold hold, Ballot ballot, Duration validity) override;

  Redis counter_;
};

class RedlockUniqueToken final : public Redlock {
 public:
  using Redlock::Redlock;

 private:
  Hold propose(std::int64_t attempt) override;
};

}  // namespace picklock
