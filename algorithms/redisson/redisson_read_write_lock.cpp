#include "algorithms/redisson/redisson_read_write_lock.hpp"

#include "algorithms/redisson/redis_scripts_redisson.hpp"

namespace picklock {
namespace {

constexpr std::string_view kUnlockMessage = "0", kReadUnlockMessage = "1";
constexpr std::string_view kWriting = ":write";

}  // namespace

void RedissonReadWriteOptions::fields(FieldVisitor& v) {
  lock.fields(v);
  v.field({.name = "renews-all-readers", .help = "a reader's watchdog prolongs the dead readers' holds too"},
          renews_all_readers);
}

RedissonReadWriteLock::RedissonReadWriteLock(const LockContext& context, const RedissonReadWriteOptions& options)
    : RedissonBaseLock(context, context.name, 0, options.lock,
                       context.sharing == Sharing::shared ? std::string() : std::string(kWriting)),
      reads_(context.sharing == Sharing::shared),
      renews_all_readers_(options.renews_all_readers),
      writer_(client_.owner(context.thread) + std::string(kWriting)) {}

RedissonRenewedAs RedissonReadWriteLock::renewed_as() const {
  if (!reads_) return RedissonRenewedAs::owner;
  return renews_all_readers_ ? RedissonRenewedAs::reader_of_all : RedissonRenewedAs::reader;
}

RedisCommand RedissonReadWriteLock::acquire_command(Duration lease, std::optional<Duration>) {
  const std::string ms = std::to_string(lease.ms());
  if (reads_) return kRedissonReadAcquire.call({name_}, {ms, owner_, writer_});
  return kRedissonWriteAcquire.call({name_}, {ms, owner_});
}

RedisCommand RedissonReadWriteLock::unlock_command(const std::string& request_id) {
  const std::string channel = channel_name(), lease = inner_lease_ms();
  const std::string latch = latch_of(request_id), ms = latch_ms();
  const bool latched = !request_id.empty();
  if (reads_) {
    return latched ? kRedissonReadUnlock.call({name_, channel, latch}, {kUnlockMessage, owner_, ms})
                   : kRedissonReadUnlock.call({name_, channel}, {kUnlockMessage, owner_});
  }
  return latched ? kRedissonWriteUnlock.call({name_, channel, latch}, {kReadUnlockMessage, owner_, lease, ms})
                 : kRedissonWriteUnlock.call({name_, channel}, {kReadUnlockMessage, owner_, lease});
}

RedisCommand RedissonReadWriteLock::force_command() {
  const std::string channel = channel_name();
  return reads_ ? kRedissonForceUnlockMode.call({name_, channel}, {kUnlockMessage, "read"})
                : kRedissonForceUnlockMode.call({name_, channel}, {kReadUnlockMessage, "write"});
}

}  // namespace picklock
