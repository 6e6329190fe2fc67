// The seat of a cinema, locked by Redisson's lock while its customer pays.
//
//   acquire  RedissonLock; with seat-renewal a thread that sets the expiry to ten minutes every 5 s
//   release  isHeldByCurrentThread, and if so unlock
//
// From:      a published example of seats sold under Redisson 3.16.8.  (The expire() of its RLock is not
//            among the methods of 3.16.8; it is taken for a PEXPIRE of the lock's key.)
// Promises:  what RedissonLock does, as long as no seat-renewal runs.
// Does not:  end a renewal: it outlives the release, and prolongs whatever lock of that seat comes next,
//            be its holder alive or dead.
// Abandoned: as RedissonLock; no renewal of its own begins.
//
// Known bugs, each a test and a scenario:
//   seat-renewal-ends = "never"  the thread prolongs every later customer's lock, by ten minutes; a
//                  customer that dies keeps the seat for ever
//   (the watchdog) sets the expiry back to 30 s every 10 s, until the thread sets its own again
//   isHeldByCurrentThread, then unlock: the lease may end in between, and unlock throws.  (Here: refused;
//                  the unlock script looks once more, so no other client's lock is ended.)
#pragma once

#include "algorithms/redisson/redisson_lock.hpp"

namespace picklock {

enum class SeatRenewalEnds : std::uint8_t { never, at_release };
constexpr auto enum_names(SeatRenewalEnds) { return name_list("never", "at-release"); }

struct RedissonSeatOptions {
  RedissonOptions lock = RedissonOptions::of(RedissonRelease::v3_16_8);
  bool seat_renewal = true;
  Duration seat_renewal_period = seconds(5);
  Duration seat_renewal_lease = seconds(600);
  SeatRenewalEnds seat_renewal_ends = SeatRenewalEnds::never;
  void fields(FieldVisitor& v);
};

class RedissonSeatLock final : public RedissonLock {
 public:
  RedissonSeatLock(const LockContext& context, const RedissonSeatOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;

 private:
  bool may_renew(std::uint32_t tenure) const {
    return seat_.seat_renewal_ends == SeatRenewalEnds::never || tenure == tenure_;
  }
  Task<void> renew(std::uint32_t tenure);

  RedissonSeatOptions seat_;
  std::uint32_t tenure_ = 0;
};

}  // namespace picklock
