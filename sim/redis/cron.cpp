#include "sim/redis/cron.hpp"

#include <algorithm>

#include "sim/redis/keyspace.hpp"

namespace picklock {

void RedisCron::boot() {
  period_ = seconds(1) / config_.options().hz;
  due_ = second_due_ = watches_log_ = counts_seconds_ = false;
  deadline_ms_ = kNever_ms;
  last_second_ = 0;
}

Task<void> RedisCron::keep_time(Service service) {
  const Host host = service.host();
  const Law phases = Law::uniform(std::int64_t{0}, period_.ns - 1);
  phase_ = MonoTime{host.draw(Purpose::start, phases)};
  host.declare_state(0);
  StandingWait wait =
      service.standing_wait({.bell = &bell_, .messages = false, .what = "a deadline", .timer = "a deadline"});
  for (;;) {
    const std::optional<MonoTime> tick = next_tick(host);
    co_await wait.until(tick);
    if (!tick || host.monotonic_now() < *tick) continue;
    const std::int64_t second = floor_div(ticks_at(host.monotonic_now()), config_.options().hz);
    const bool new_second = counts_seconds_ && second > last_second_;
    if (!new_second && !has_work()) continue;
    if (new_second) {
      last_second_ = second;
      second_due_ = true;
    }
    due_ = true;
    process_.main().ring();
  }
}

std::int64_t RedisCron::first_instant_ms(std::int64_t deadline_ms) const {
  return config_.options().expire_at_deadline ? deadline_ms : deadline_ms + 1;
}

std::optional<MonoTime> RedisCron::next_tick(const Host& host) {
  const std::int64_t hz = config_.options().hz;
  const std::int64_t deadline_ms = agenda_.next_deadline_ms();
  const bool some = deadline_ms != kNoExpiry && deadline_ms < kHorizon_ms;
  deadline_ms_ = some ? deadline_ms : kNever_ms;
  watches_log_ = agenda_.log_is_busy();
  const MonoTime now = host.monotonic_now();
  if (!agenda_.needs_seconds()) {
    counts_seconds_ = false;
    if (!some && !watches_log_) return std::nullopt;
  } else if (!std::exchange(counts_seconds_, true)) {
    last_second_ = floor_div(ticks_at(now), hz);
  }
  MonoTime wanted = now + nanoseconds(1);  // the next tick, whatever happens now
  if (!watches_log_) {
    MonoTime work = phase_ + period_ * ((last_second_ + 1) * hz);
    if (some) {
      const MonoTime due = now + (WallTime{first_instant_ms(deadline_ms) * 1'000'000} - host.wall_now());
      work = counts_seconds_ ? std::min(work, due) : due;
    }
    wanted = std::max(wanted, work);
  }
  const std::int64_t ticks = -floor_div(-(wanted - phase_).ns, period_.ns);
  return phase_ + period_ * ticks;
}

bool RedisCron::has_work() const {
  if (agenda_.log_is_busy()) return true;
  const std::int64_t deadline_ms = agenda_.next_deadline_ms();
  return deadline_ms != kNoExpiry && first_instant_ms(deadline_ms) <= process_.now_ms();
}

}  // namespace picklock
