#include "algorithms/redis/setnx.hpp"
#include "algorithms/redis/redis_servers.hpp"

namespace picklock {

Setnx::Setnx(const LockContext& context, const SetnxOptions& options)
    : PollingLock(context.host, options.polling), redis_(context.get<RedisServers>()[0]), name_(context.name) {}

Task<Acquired> Setnx::take(Hold proposed) {
  const auto set = co_await redis_.setnx(name_, proposed.value);
  if (!set.yes()) co_return passed_on<Hold>(set);
  co_return Acquired::of(proposed);
}

Task<Outcome<>> Setnx::release(Hold) {
  const auto deleted = co_await redis_.del(name_);
  co_return deleted;
}

}  // namespace picklock
