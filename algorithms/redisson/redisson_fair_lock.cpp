#include "algorithms/redisson/redisson_fair_lock.hpp"

#include "algorithms/redis/polling_lock.hpp"
#include "algorithms/redisson/redis_scripts_redisson.hpp"

namespace picklock {
namespace {

constexpr std::string_view kUnlockMessage = "0";

}  // namespace

RedissonFairOptions RedissonFairOptions::of(RedissonRelease release) {
  RedissonFairOptions o;
  o.lock = RedissonOptions::of(release);
  if (release == RedissonRelease::v3_16_8) o.ttl = FairTtl::own;
  if (release == RedissonRelease::v3_52) o.give_up_resend = ScriptResend::with_replicas;
  return o;
}

void RedissonFairOptions::fields(FieldVisitor& v) {
  const RedissonRelease before = lock.release;
  lock.fields(v);
  if (lock.release != before && v.others_follow()) {
    change_settings(*this, of(before), of(lock.release), &RedissonFairOptions::ttl,
                    &RedissonFairOptions::give_up_resend);
  }
  v.field(
      {.name = "fair-wait", .help = "how long a waiter that may be dead is waited for", .least = milliseconds(1).ns},
      fair_wait);
  v.field({.name = "fair-scores", .help = "whether the waiters' times drift, as before 3.11.1"}, scores);
  v.field({.name = "fair-ttl", .help = "waiting time that a queued waiter is told"}, ttl);
  v.field({.name = "zero-patience", .help = "call that an acquire without patience stands for"}, zero_patience);
  v.field({.name = "give-up-resend", .help = "set-ups in which leaving the queue without an answer is tried again"},
          give_up_resend);
}

RedissonFairLock::RedissonFairLock(const LockContext& context, const RedissonFairOptions& options)
    : RedissonBaseLock(context, context.name, 0, options.lock),
      fair_(options),
      queue_("redisson_lock_queue:{" + name_ + "}"),
      timeouts_("redisson_lock_timeout:{" + name_ + "}") {}

std::string RedissonFairLock::now_ms() const { return std::to_string(host_.wall_now().ns / milliseconds(1).ns); }

std::string RedissonFairLock::channel_name() const { return RedissonBaseLock::channel_name() + ":" + owner_; }

// A waitTime of 0 counts as one in 3.16.8; since then it counts as none.
std::string RedissonFairLock::wait_ms(std::optional<Duration> wait) const {
  const bool counts = wait && (wait->ns > 0 || fair_.lock.release == RedissonRelease::v3_16_8);
  return std::to_string((counts ? *wait : fair_.fair_wait).ms());
}

RedisCommand RedissonFairLock::acquire_command(Duration lease, std::optional<Duration> wait) {
  const bool once = asks_once(wait);
  const std::string ms = std::to_string(lease.ms()), now = now_ms();
  const std::string patience = wait_ms(once ? std::nullopt : wait);
  if (once) return kRedissonFairAcquireOnce.call({name_, queue_, timeouts_}, {ms, owner_, patience, now});
  const std::string_view ttl = enum_name(fair_.ttl);
  const RedisScript& script = fair_.scores == FairScores::kept ? kRedissonFairAcquire : kRedissonFairAcquireDrifting;
  return script.call({name_, queue_, timeouts_}, {ms, owner_, patience, now, ttl});
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

Task<Outcome<>> RedissonFairLock::gave_up(std::optional<Duration> wait) {
  if (asks_once(wait)) co_return Outcome<>::of({});
  const std::string ms = wait_ms(wait);
  const RedisCommand command = kRedissonFairGiveUp.call({queue_, timeouts_}, {owner_, ms});
  const auto left = co_await client_.execute(command, options_.resends(fair_.give_up_resend));
  if (!left.yes()) co_return passed_on<Nothing>(left);
  co_return Outcome<>::of({});
}

}  // namespace picklock
