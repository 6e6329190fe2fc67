#include "algorithms/redisson/redisson_read_write_lock.hpp"

#include <algorithm>

#include "algorithms/redisson/redis_scripts_redisson.hpp"

namespace picklock {
namespace {

constexpr std::string_view kUnlockMessage = "0", kReadUnlockMessage = "1";
constexpr std::string_view kWriting = ":write";

}  // namespace

RedissonReadWriteOptions RedissonReadWriteOptions::of(RedissonRelease release) {
  RedissonReadWriteOptions o;
  o.lock = RedissonOptions::of(release);
  if (release == RedissonRelease::v4_7) return o;
  o.reader_renewal = ReaderRenewal::all_by_first_name;
  if (release == RedissonRelease::v3_52) return o;
  o.reader_renewal = ReaderRenewal::all;
  o.expired_unlock = ExpiredUnlock::yes;
  o.cancels_writer = false;
  return o;
}

void RedissonReadWriteOptions::fields(FieldVisitor& v) {
  const RedissonRelease before = lock.release;
  lock.fields(v);
  if (lock.release != before && v.others_follow()) {
    using O = RedissonReadWriteOptions;
    change_settings(*this, of(before), of(lock.release), &O::reader_renewal, &O::expired_unlock, &O::cancels_writer);
  }
  v.field({.name = "reader-renewal", .help = "readers whose holds a reader's watchdog prolongs"}, reader_renewal);
  v.field({.name = "expired-unlock", .help = "answer to the unlock of a lock that is over"}, expired_unlock);
  v.field({.name = "cancels-writer", .help = "the unlock of a read ends the renewal of the same thread's write"},
          cancels_writer);
  v.field({.name = "inner-read", .help = "a writer that is granted takes the read lock too, and gives it back"},
          inner_read);
}

RedissonReadWriteLock::RedissonReadWriteLock(const LockContext& context, const RedissonReadWriteOptions& options)
    : RedissonBaseLock(context, context.name, 0, options.lock,
                       context.sharing == Sharing::shared ? std::string_view() : kWriting),
      reads_(context.sharing == Sharing::shared),
      read_write_(options),
      writer_(client_.owner(context.thread) + std::string(kWriting)) {
  if (reads_ || !options.inner_read) return;
  LockContext reading = context;
  reading.sharing = Sharing::shared;
  reader_ = std::make_unique<RedissonReadWriteLock>(reading, options);
}

Task<Acquired> RedissonReadWriteLock::acquire(Patience patience) {
  auto acquired = co_await RedissonBaseLock::acquire(patience);
  if (acquired.yes() && reads_) leases_.push_back(*acquired.value().deadline);
  if (!acquired.yes() || !reader_) co_return acquired;
  const auto read = co_await reader_->acquire(Patience::unlimited(host_));
  if (read.yes()) (void)co_await reader_->release(read.value());
  co_return acquired;
}

RedissonRenewedAs RedissonReadWriteLock::renewed_as() const {
  if (!reads_) return RedissonRenewedAs::owner;
  if (read_write_.reader_renewal == ReaderRenewal::own_threads) return RedissonRenewedAs::own_readers;
  return read_write_.reader_renewal == ReaderRenewal::all ? RedissonRenewedAs::all_readers
                                                          : RedissonRenewedAs::first_readers;
}

// A renewal prolongs the timers that it finds: those that renewals have kept without a break since their acquisition.
std::optional<MonoTime> RedissonReadWriteLock::deadline(const Hold& hold) const {
  if (leases_.empty()) return RedissonBaseLock::deadline(hold);
  const auto renewed = client_.watchdog().renewed(name_, thread_, renewed_as());
  MonoTime last = leases_.front();
  for (const MonoTime lease : leases_) {
    const bool prolonged = renewed && renewed->since < lease;
    last = std::max(last, prolonged ? std::max(lease, renewed->until) : lease);
  }
  return last;
}

// RedissonReadLock calls what it overrides first, which is the write lock's.
void RedissonReadWriteLock::unlock_answered() {
  if (!leases_.empty()) leases_.pop_back();
  if (reads_ && read_write_.cancels_writer) client_.watchdog().cancel(name_, thread_, RedissonRenewedAs::owner);
  RedissonBaseLock::unlock_answered();
}

RedisCommand RedissonReadWriteLock::acquire_command(Duration lease, std::optional<Duration>) {
  const std::string ms = std::to_string(lease.ms());
  if (reads_) return kRedissonReadAcquire.call({name_}, {ms, owner_, writer_});
  return kRedissonWriteAcquire.call({name_}, {ms, owner_});
}

RedisCommand RedissonReadWriteLock::unlock_command(const std::string& request_id) {
  const bool latched = !request_id.empty();
  const std::string channel = channel_name(), lease = inner_lease_ms();
  const std::string latch = latch_of(request_id), ms = latched ? latch_ms() : std::string();
  const std::string_view expired = read_write_.expired_unlock == ExpiredUnlock::yes ? "yes" : "no";
  if (reads_) {
    return latched ? kRedissonReadUnlock.call({name_, channel, latch}, {kUnlockMessage, owner_, expired, ms})
                   : kRedissonReadUnlock.call({name_, channel}, {kUnlockMessage, owner_, expired});
  }
  return latched ? kRedissonWriteUnlock.call({name_, channel, latch}, {kReadUnlockMessage, owner_, expired, lease, ms})
                 : kRedissonWriteUnlock.call({name_, channel}, {kReadUnlockMessage, owner_, expired, lease});
}

RedisCommand RedissonReadWriteLock::force_command() {
  const std::string channel = channel_name();
  return reads_ ? kRedissonForceUnlockMode.call({name_, channel}, {kUnlockMessage, "read"})
                : kRedissonForceUnlockMode.call({name_, channel}, {kReadUnlockMessage, "write"});
}

}  // namespace picklock
