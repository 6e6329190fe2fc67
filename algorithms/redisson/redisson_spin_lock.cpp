#include "algorithms/redisson/redisson_spin_lock.hpp"

#include <algorithm>

namespace picklock {

RedissonSpinOptions::RedissonSpinOptions() : RedissonSpinOptions(RedissonRelease::v4_7) {}

RedissonSpinOptions::RedissonSpinOptions(RedissonRelease release) : lock(RedissonOptions::of(release)) {
  const bool resets = release != RedissonRelease::v3_16_8;
  lock.lease_field = resets ? LeaseField::asked_until_unlock : LeaseField::when_asked;
  if (!resets) late_grant = SpinLateGrant::forgotten;
}

void RedissonSpinOptions::fields(FieldVisitor& v) {
  const RedissonSpinOptions was(lock.release);
  lock.fields(v);
  if (lock.release != was.lock.release && v.others_follow()) {
    const RedissonSpinOptions now(lock.release);
    if (lock.lease_field == was.lock.lease_field) lock.lease_field = now.lock.lease_field;
    change_settings(*this, was, now, &RedissonSpinOptions::late_grant);
  }
  v.field({.name = "spin-least", .help = "first pause between two attempts", .least = milliseconds(1).ns}, spin_least);
  v.field({.name = "spin-most",
           .help = "longest pause; each is twice the one before, and a jitter longer",
           .least = milliseconds(1).ns},
          spin_most);
  v.field({.name = "late-grant", .help = "answer to a tryLock that is granted when its time is over"}, late_grant);
}

// Whole milliseconds below `fails`.
Duration RedissonSpinLock::jitter(std::int64_t fails) {
  const Law law = Law::uniform(Duration{}, milliseconds(fails) - Duration{1});
  return milliseconds(host_.draw_duration(Purpose::retry_delay, law).ms());
}

// The pauses are slept to their end, also beyond the waitTime; after the last there is one attempt more.
Task<Acquired> RedissonSpinLock::acquire(Patience patience) {
  const auto lease = next_lease();
  Duration pause = std::min(spin_.spin_least, spin_.spin_most);
  for (std::int64_t fails = 0;; ++fails) {
    auto acquired = co_await acquire_once(lease);
    const bool over = patience.remaining().ns <= 0;
    if (acquired.yes() && over && fails > 0 && spin_.late_grant == SpinLateGrant::forgotten) {
      co_return patience.exhausted();
    }
    if (acquired.yes() || acquired.why() != Why::refused) co_return acquired;
    if (over) co_return patience.exhausted();
    co_await host_.sleep(pause);
    if (pause < spin_.spin_most) pause = std::min(pause * 2 + jitter(fails + 1), spin_.spin_most);
  }
}

}  // namespace picklock
