#include "algorithms/redlock/redlock_with_token.hpp"

#include <algorithm>

#include "base/fnv.hpp"

namespace picklock {

void RedlockFencedOptions::fields(FieldVisitor& v) {
  RedlockOptions::fields(v);
  v.field({.name = "counter-server",
           .help = "number of the server that counts the tokens; the last, if there are fewer",
           .least = 1,
           .most = Ballot::kMostServers},
          counter_server);
}

RedlockFenced::RedlockFenced(const LockContext& context, const RedlockFencedOptions& options)
    : Redlock(context, options),
      counter_(servers_[std::min(servers_.size(), static_cast<std::size_t>(options.counter_server)) - 1]) {}

Task<Acquired> RedlockFenced::enter(Hold hold, Ballot ballot, Duration validity) {
  const MonoTime due = host_.monotonic_now() + validity;
  const RedisCommand incr("INCR", name_ + ":token");
  const auto reply = co_await counter_.command(incr);
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
