// One Redis server, the clients' clocks.
//   acquire = SETNX name stamp; if refused, GET; if that stamp has expired, GETSET name stamp:
//             the lock is ours if the stamp that came back had expired too
//   release = DEL name, unless our own timeout has passed
//   stamp   = now + timeout + margin
//
// From:      the old page of the SETNX command (stamps in seconds and a margin of 1 s; here in
//            milliseconds, for timeouts below a second).
// Promises:  one holder at a time, while all clients' wall clocks agree to within the margin and
//            every hold ends within its timeout.  Several may find a stamp expired; one wins:
//            GETSET tells.
// Does not:  survive a client whose clock is fast: it sees a live stamp as expired.  The loser of a
//            race has overwritten the winner's stamp with its own, later one.  Release checks, then
//            acts: stopped in between, it deletes another's lock.  No stamp says whose it is.
// Abandoned: what was set or overwritten stands until its stamp expires.
#pragma once

#include "algorithms/redis/polling_lock.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

struct GetsetTimestampOptions {
  Duration timeout = seconds(30);
  Duration margin = seconds(1);
  PollingOptions polling;
  void fields(FieldVisitor& v);
};

class GetsetTimestamp : public PollingLock {
 public:
  GetsetTimestamp(const LockContext& context, const GetsetTimestampOptions& options);
  Task<Outcome<>> release(Hold hold) override;

 protected:
  Hold propose() override;  // its value is the stamp
  Task<Acquired> take(Hold proposed) override;
  virtual Task<Acquired> take_over();          // takes a lock whose stamp has expired or vanished
  bool expired(std::string_view stamp) const;  // uses our wall clock; text that is no stamp never expires

  Redis redis_;
  std::string name_;
  GetsetTimestampOptions options_;
};

}  // namespace picklock
