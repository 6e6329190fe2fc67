#include "algorithms/redisson/redisson_fair_lock.hpp"

#include "algorithms/redisson/redis_scripts_redisson.hpp"

namespace picklock {
namespace {

constexpr std::string_view kUnlockMessage = "0";

}  // namespace

void RedissonFairOptions::fields(FieldVisitor& v) {
  lock.fields(v);
  v.field(
      {.name = "fair-wait", .help = "how long a waiter that may be dead is waited for", .least = milliseconds(1).ns},
      fair_wait);
  v.field({.name = "fair-scores", .help = "whether the waiters' times drift, as before 3.11"}, scores);
  v.field({.name = "fair-ttl", .help = "waiting time that a queued waiter is told"}, ttl);
}

RedissonFairLock::RedissonFairLock(const LockContext& context, const RedissonFairOptions& options)
    : RedissonBaseLock(context, context.name, 0, options.lock),
      fair_(options),
      queue_("redisson_lock_queue:{" + name_ + "}"),
      timeouts_("redisson_lock_timeout:{" + name_ + "}") {}

std::string RedissonFairLock::now_ms() const { return std::to_string(host_.wall_now().ns / milliseconds(1).ns); }

std::string RedissonFairLock::channel_name() const { return RedissonBaseLock::channel_name() + ":" + owner_; }

RedisCommand RedissonFairLock::acquire_command(Duration lease, std::optional<Duration> wait) {
  const std::string ms = std::to_string(lease.ms()), wait_ms = std::to_string(wait.value_or(fair_.fair_wait).ms());
  const std::string now = now_ms();
  const std::string_view ttl = enum_name(fair_.ttl);
  const RedisScript& script = fair_.scores == FairScores::kept ? kRedissonFairAcquire : kRedissonFairAcquireDrifting;
  return script.call({name_, queue_, timeouts_}, {ms, owner_, wait_ms, now, ttl});
}

RedisCommand RedissonFairLock::unlock_command(const std::string& request_id) {
  const std::string channel = RedissonBaseLock::channel_name(), lease = inner_lease_ms(), now = now_ms();
  if (request_id.empty()) {
    return kRedissonFairUnlock.call({name_, queue_, timeouts_, channel}, {kUnlockMessage, owner_, lease, now});
  }
  const std::string latch = latch_of(request_id), ms = latch_ms();
  return kRedissonFairUnlock.call({name_, queue_, timeouts_, channel, latch}, {kUnlockMessage, owner_, lease, now, ms});
}

RedisCommand RedissonFairLock::force_command() {
  const std::string channel = RedissonBaseLock::channel_name(), now = now_ms();
  return kRedissonFairForceUnlock.call({name_, queue_, timeouts_, channel}, {kUnlockMessage, now});
}

Task<Nothing> RedissonFairLock::gave_up(std::optional<Duration> wait) {
  const std::string ms = std::to_string(wait.value_or(fair_.fair_wait).ms());
  const RedisCommand command = kRedissonFairGiveUp.call({queue_, timeouts_}, {owner_, ms});
  (void)co_await client_.execute(command, 0);
  co_return Nothing{};
}

}  // namespace picklock
