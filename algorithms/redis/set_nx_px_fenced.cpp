#include "algorithms/redis/set_nx_px_fenced.hpp"

#include "algorithms/redis/redis_scripts.hpp"

namespace picklock {

SetNxPxFenced::SetNxPxFenced(const LockContext& context, const SetNxPxOptions& options)
    : SetNxPx(context, options), counter_(name_ + ":token") {}

Task<Acquired> SetNxPxFenced::take(Hold proposed) {
  const MonoTime asked = host_.monotonic_now();
  const auto reply = co_await set_with_token(redis_, name_, counter_, proposed.value, options_.ttl);
  if (!reply.yes()) co_return passed_on<Hold>(reply);
  if (reply.value().is_nil()) co_return Acquired::refusal();
  proposed.token = reply.value().integer();
  proposed.deadline = end_of_lease(asked);
  if (options_.wait_replicas == 0) co_return Acquired::of(proposed);
  const Acquired replicated = co_await once_replicated(proposed);
  co_return replicated;
}

}  // namespace picklock
