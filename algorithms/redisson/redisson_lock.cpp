#include "algorithms/redisson/redisson_lock.hpp"

#include "algorithms/redisson/redis_scripts_redisson.hpp"

namespace picklock {
namespace {

constexpr std::string_view kUnlockMessage = "0";

}  // namespace

RedisCommand RedissonLock::acquire_command(Duration lease, std::optional<Duration>) {
  const std::string ms = std::to_string(lease.ms());
  return kRedissonAcquire.call({name_}, {ms, owner_});
}

RedisCommand RedissonLock::unlock_command(const std::string& request_id) {
  const std::string channel = channel_name(), lease = inner_lease_ms();
  if (request_id.empty()) return kRedissonUnlock.call({name_, channel}, {kUnlockMessage, owner_, lease});
  const std::string latch = latch_of(request_id), ms = latch_ms();
  return kRedissonUnlock.call({name_, channel, latch}, {kUnlockMessage, owner_, lease, ms});
}

RedisCommand RedissonLock::force_command() {
  const std::string channel = channel_name();
  return kRedissonForceUnlock.call({name_, channel}, {kUnlockMessage});
}

void RedissonFencedOptions::fields(FieldVisitor& v) {
  lock.fields(v);
  v.field({.name = "token-from", .help = "source of the token: the grant, or the counter read afterwards"}, token_from);
  v.field({.name = "lease-ignored", .help = "lockAndGetToken ignores its leaseTime"}, lease_ignored);
  v.field({.name = "unsynced", .help = "fate of a grant that no replica has acknowledged"}, unsynced);
  v.field({.name = "endless-key", .help = "answer to an acquire that finds another's lock without expiry"},
          endless_key);
  v.field({.name = "expire", .help = "range of the expire() that a multi-lock calls after the grant"}, expire);
}

namespace {

// lockAndGetToken(leaseTime, unit) drops its arguments; tryLockAndGetToken throws in every release.
RedissonOptions as_used(const RedissonFencedOptions& options) {
  RedissonOptions o = options.lock;
  if (options.token_from == RedissonTokenFrom::the_grant) o.try_lock_timeout = TryLockTimeout::thrown;
  if (options.lease_ignored && !o.renews()) {
    o.renewal = RedissonRenewal::chain;
    o.lease = seconds(30);
  }
  return o;
}

}  // namespace

RedissonFencedLock::RedissonFencedLock(const LockContext& context, const RedissonFencedOptions& options)
    : RedissonLock(context, as_used(options)), fenced_(options), counter_("redisson_lock_token:{" + name_ + "}") {}

RedisCommand RedissonFencedLock::acquire_command(Duration lease, std::optional<Duration>) {
  const std::string ms = std::to_string(lease.ms());
  return kRedissonAcquireFenced.call({name_, counter_}, {ms, owner_});
}

std::optional<std::int64_t> RedissonFencedLock::token_in(const RedisReply& reply) const {
  return reply.elements().size() == 2 ? std::optional(reply.elements()[1].integer()) : std::nullopt;
}

bool RedissonFencedLock::undoes_unsynced() const {
  return fenced_.token_from == RedissonTokenFrom::get_token || fenced_.unsynced == FencedUnsynced::undone;
}

std::optional<std::int64_t> RedissonFencedLock::refused_ttl_ms(const RedisReply& reply) const {
  const auto parts = reply.elements();
  const std::int64_t ttl = parts.size() == 2 ? parts[0].integer() : 0;
  const bool token = parts.size() == 2 && parts[1].integer() != -1;
  const bool mistaken =
      fenced_.token_from == RedissonTokenFrom::the_grant && fenced_.endless_key == FencedEndlessKey::granted;
  const bool granted = ttl == -1 && (token || mistaken);
  return granted ? std::nullopt : std::optional(ttl);
}

Task<Acquired> RedissonFencedLock::acquire(Patience patience) {
  auto acquired = co_await RedissonLock::acquire(patience);
  if (!acquired.yes()) co_return acquired;
  if (fenced_.expire != FencedExpire::never && !options_.renews()) {
    const std::string ms = std::to_string(options_.lease.ms());
    const RedisCommand command = fenced_.expire == FencedExpire::with_counter
                                     ? kRedissonExpire.call({name_, counter_}, {ms})
                                     : kRedissonExpire.call({name_}, {ms});
    (void)co_await client_.execute(command, options_.retry_attempts);
  }
  if (fenced_.token_from == RedissonTokenFrom::the_grant) co_return acquired;
  const auto counter = co_await client_.redis().get(counter_);
  if (counter.yes()) acquired.value().token = redisson_number(counter.value());
  co_return acquired;
}

}  // namespace picklock
