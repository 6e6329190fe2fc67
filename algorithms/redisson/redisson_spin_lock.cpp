#include "algorithms/redisson/redisson_spin_lock.hpp"

#include <algorithm>

namespace picklock {

void RedissonSpinOptions::fields(FieldVisitor& v) {
  lock.fields(v);
  v.field({.name = "spin-least", .help = "first pause between two attempts", .least = 1}, spin_least);
  v.field({.name = "spin-most", .help = "longest pause; each is twice the one before", .least = 1}, spin_most);
}

Task<Acquired> RedissonSpinLock::acquire(Patience patience) {
  const auto lease = next_lease();
  Duration pause = std::min(spin_.spin_least, spin_.spin_most);
  for (std::int64_t fails = 0; !patience.over(); ++fails) {
    auto acquired = co_await acquire_once(lease);
    if (acquired.yes() || acquired.why() != Why::refused) co_return acquired;
    const Law jitter = Law::uniform(Duration{}, milliseconds(fails));
    const Duration random = host_.draw_duration(Purpose::retry_delay, jitter);
    co_await patience.pause(std::min(pause + random, spin_.spin_most));
    pause = std::min(pause * 2, spin_.spin_most);
  }
  co_return patience.exhausted();
}

}  // namespace picklock
