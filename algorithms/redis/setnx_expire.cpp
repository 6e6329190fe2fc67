#include "algorithms/redis/setnx_expire.hpp"
#include "algorithms/redis/redis_servers.hpp"

namespace picklock {

void SetnxExpireOptions::fields(FieldVisitor& v) {
  v.field({.name = "ttl", .help = "lease, set by the second command", .least = milliseconds(1).ns}, ttl);
  polling.fields(v);
}

SetnxExpire::SetnxExpire(const LockContext& context, const SetnxExpireOptions& options)
    : PollingLock(context.host, options.polling),
      redis_(context.get<RedisServers>()[0]),
      name_(context.name),
      ttl_(options.ttl) {}

Hold SetnxExpire::propose() {
  Hold hold("1");
  hold.deadline = host_.monotonic_now() + ttl_;
  return hold;
}

Task<Acquired> SetnxExpire::take(Hold proposed) {
  const auto set = co_await redis_.setnx(name_, proposed.value);
  if (!set.yes()) co_return passed_on<Hold>(set);
  const auto expiring = co_await redis_.pexpire(name_, ttl_);
  static_cast<void>(expiring);  // the SETNX has succeeded, with any answer
  co_return Acquired::of(proposed);
}

Task<Outcome<>> SetnxExpire::release(Hold) {
  const auto deleted = co_await redis_.del(name_);
  co_return deleted;
}

}  // namespace picklock
