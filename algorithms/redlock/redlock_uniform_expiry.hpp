// Redlock as an article sketches it: tryLock(waitTime), with a last step that sets one expiry at all servers.
//
//   acquire  while wait time is left: SET at all servers; if a majority has granted and some of the lease is left, PEXPIRE
//            name with the rest of it at those that granted; if the majority came too late, release; pause, and take the
//            pause off the wait time
//
// Differs:   PEXPIRE touches the key whose ever it is by then.  An attempt that found no majority keeps what it was
//            granted: the release stands inside `if (acquiredLocks >= majority)`.  The wait time is not charged for the
//            attempts, only for the pauses between them.  One server is asked after the other; no drift is allowed for;
//            one value serves all attempts of a call, so what was kept votes against the next one.
//
//   keeps-minority = false      releases after every failed attempt what it was granted
//   charge = "all"              the wait time runs
//
// From:      an article on Redis locks, "RedLock", its listing of RedissonRedLock.tryLock().
// Promises:  as Redlock, but for renewals: it may set the expiry of another client's key.  With five servers an
//            attempt lasts as long as twenty messages, which come off the lease: delays count (redlock_asked_in_turn).
// Does not:  as Redlock; free a minority that it could not use, before its lease ends.
// Abandoned: as Redlock.
#pragma once

#include "algorithms/redlock/redlock.hpp"

namespace picklock {

enum class WaitTimeCharge : std::uint8_t { pauses, all };
constexpr auto enum_names(WaitTimeCharge) { return name_list("pauses", "all"); }

struct RedlockUniformExpiryOptions : RedlockOptions {
  bool keeps_minority = true;
  WaitTimeCharge charge = WaitTimeCharge::pauses;
  RedlockUniformExpiryOptions() {
    contact = Contact::sequential;
    node_timeout.reset();
    drift_ppm = 0;
    drift_constant = {};
  }
  void fields(FieldVisitor& v);
};

class RedlockUniformExpiry final : public Redlock {
 public:
  RedlockUniformExpiry(const LockContext& context, const RedlockUniformExpiryOptions& options)
      : Redlock(context, options), options_(options) {}
  Task<Acquired> acquire(Patience patience) override;

 private:
  Hold propose(std::int64_t attempt) override;
  Task<Acquired> enter(Hold hold, Ballot ballot, Duration validity) override;
  Task<bool> undo(Hold hold, Ballot ballot) override;

  RedlockUniformExpiryOptions options_;
  std::string value_of_call_;
};

}  // namespace picklock
