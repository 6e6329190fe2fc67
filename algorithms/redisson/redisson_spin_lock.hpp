// Redisson's spin lock: RedissonLock without publish/subscribe.
//
//   acquire  ask; if refused, sleep 1 ms, 2, 4, … and a growing jitter, up to `spin-most`, and ask again
//
// From:      Redisson, RedissonSpinLock, LockOptions.ExponentialBackOff; 3.16.8, 3.52 and 4.7 by `release`.
// Promises, Does not, Abandoned: as RedissonLock; no wake-up can be lost, and every wait is requests.
//
// Known bugs, each an option and a scenario:
//   lease-field = "asked-until-unlock" (until now)  an attempt with a leaseTime, even a refused one, leaves its lease to
//               the attempts of all threads, until an unlock has been answered; then half a minute is promised, and five
//               seconds are granted
//   late-grant = "forgotten" (3.16.8)  a tryLock that is granted when its time is over says no, and keeps the lock
#pragma once

#include "algorithms/redisson/redisson_lock.hpp"

namespace picklock {

enum class SpinLateGrant : std::uint8_t { told, forgotten };
constexpr auto enum_names(SpinLateGrant) { return name_list("told", "forgotten"); }

struct RedissonSpinOptions {
  RedissonSpinOptions();
  explicit RedissonSpinOptions(RedissonRelease release);
  RedissonOptions lock;
  Duration spin_least = milliseconds(1);
  Duration spin_most = milliseconds(128);
  SpinLateGrant late_grant = SpinLateGrant::told;
  void fields(FieldVisitor& v);
};

class RedissonSpinLock final : public RedissonLock {
 public:
  RedissonSpinLock(const LockContext& context, const RedissonSpinOptions& options)
      : RedissonLock(context, options.lock), spin_(options) {}
  Task<Acquired> acquire(Patience patience) override;

 private:
  Duration jitter(std::int64_t fails);

  RedissonSpinOptions spin_;
};

}  // namespace picklock
