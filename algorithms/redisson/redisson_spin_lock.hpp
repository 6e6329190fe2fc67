// Redisson's spin lock: RedissonLock without publish/subscribe.
//
//   acquire  ask; if refused, sleep 1 ms, 2, 4, … up to `spin-most`, and ask again
//
// From:      Redisson, RedissonSpinLock, LockOptions.ExponentialBackOff.
// Promises, Does not, Abandoned: as RedissonLock; no wake-up can be lost, and every wait is requests.
#pragma once

#include "algorithms/redisson/redisson_lock.hpp"

namespace picklock {

struct RedissonSpinOptions {
  RedissonOptions lock;
  Duration spin_least = milliseconds(1);
  Duration spin_most = milliseconds(128);
  void fields(FieldVisitor& v);
};

class RedissonSpinLock final : public RedissonLock {
 public:
  RedissonSpinLock(const LockContext& context, const RedissonSpinOptions& options)
      : RedissonLock(context, options.lock), spin_(options) {}
  Task<Acquired> acquire(Patience patience) override;

 private:
  RedissonSpinOptions spin_;
};

}  // namespace picklock
