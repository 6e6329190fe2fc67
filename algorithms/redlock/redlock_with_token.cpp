#include "algorithms/redlock/redlock_with_token.hpp"

#include "base/fnv.hpp"

namespace picklock {

Task<Acquired> RedlockFenced::enter(Hold hold, Ballot ballot, Duration validity) {
  const MonoTime due = host_.monotonic_now() + validity;
  const RedisCommand incr("INCR", name_ + ":token");
  const auto reply = co_await servers_.front().command(incr);
  const Duration left = due - host_.monotonic_now();
  if (!reply.yes() || left <= Duration{}) co_return Acquired::refusal();
  hold.token = reply.value().integer();
  const Acquired entered = co_await Redlock::enter(hold, ballot, left);
  co_return entered;
}

Hold RedlockUniqueToken::propose(std::int64_t attempt) {
  Hold hold = Redlock::propose(attempt);
  hold.token = static_cast<std::int64_t>(fnv1a(hold.value) >> 1);
  return hold;
}

}  // namespace picklock
