#include "algorithms/redisson/redisson_seat_lock.hpp"

#include "algorithms/redis/polling_lock.hpp"

namespace picklock {

void RedissonSeatOptions::fields(FieldVisitor& v) {
  lock.fields(v);
  v.field({.name = "seat-renewal", .help = "a thread of the application sets the expiry as well"}, seat_renewal);
  v.field({.name = "seat-renewal-period", .help = "interval between the application's renewals", .least = 1},
          seat_renewal_period);
  v.field(
      {.name = "seat-renewal-lease", .help = "expiry that the application's renewal sets", .least = milliseconds(1).ns},
      seat_renewal_lease);
  v.field({.name = "seat-renewal-ends", .help = "event that ends the application's renewals"}, seat_renewal_ends);
}

RedissonSeatLock::RedissonSeatLock(const LockContext& context, const RedissonSeatOptions& options)
    : RedissonLock(context, options.lock), seat_(options) {}

Task<Acquired> RedissonSeatLock::acquire(Patience patience) {
  auto acquired = co_await RedissonLock::acquire(patience);
  if (acquired.yes() && seat_.seat_renewal) host_.spawn("seat-renewal", renew(++tenure_));
  co_return acquired;
}

Task<void> RedissonSeatLock::renew(std::uint32_t tenure) {
  for (;;) {
    co_await host_.sleep(seat_.seat_renewal_period);
    if (!may_renew(tenure)) co_return;
    co_await host_.pass(mark::renews);
    const auto set = co_await client_.redis().pexpire(name_, seat_.seat_renewal_lease);
    if (set.why() == Why::error) co_return;  // an exception that the thread does not catch
  }
}

Task<Outcome<>> RedissonSeatLock::release(Hold hold) {
  ++tenure_;
  const RedisCommand is_held("HEXISTS", name_, owner_);
  const auto held = co_await client_.execute(is_held, 0);
  if (!held.yes()) co_return passed_on<Nothing>(held);
  if (held.value().integer() == 0) co_return Outcome<>::refusal();
  co_await host_.yield("isHeldByCurrentThread has answered, unlock has not begun");
  auto released = co_await RedissonLock::release(hold);
  co_return released;
}

}  // namespace picklock
