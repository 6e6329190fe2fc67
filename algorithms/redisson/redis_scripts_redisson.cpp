#include "algorithms/redisson/redis_scripts_redisson.hpp"

namespace picklock {

const RedisScript kRedissonAcquire = {"redisson-acquire",
                                      R"lua(
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
  return redis.call('PTTL', KEYS[1])
end
redis.call('HINCRBY', KEYS[1], ARGV[2], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return nil
)lua",
                                      [](ScriptContext& redis) -> ScriptResult {
                                        const bool held =
                                            redis.call("EXISTS", redis.key(1)).integer() == 1 &&
                                            redis.call("HEXISTS", redis.key(1), redis.argument(2)).integer() == 0;
                                        if (held) return redis.call("PTTL", redis.key(1));
                                        redis.call("HINCRBY", redis.key(1), redis.argument(2), 1);
                                        redis.call("PEXPIRE", redis.key(1), redis.argument(1));
                                        return ScriptResult::nil();
                                      }};

const RedisScript kRedissonAcquireFenced = {"redisson-acquire-fenced",
                                            R"lua(
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
  return {redis.call('PTTL', KEYS[1]), -1}
end
redis.call('HINCRBY', KEYS[1], ARGV[2], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return {-1, redis.call('INCR', KEYS[2])}
)lua",
                                            [](ScriptContext& redis) -> ScriptResult {
                                              const bool held =
                                                  redis.call("EXISTS", redis.key(1)).integer() == 1 &&
                                                  redis.call("HEXISTS", redis.key(1), redis.argument(2)).integer() == 0;
                                              if (held)
                                                return ScriptResult::array({redis.call("PTTL", redis.key(1)), -1});
                                              redis.call("HINCRBY", redis.key(1), redis.argument(2), 1);
                                              redis.call("PEXPIRE", redis.key(1), redis.argument(1));
                                              return ScriptResult::array({-1, redis.call("INCR", redis.key(2))});
                                            }};

const RedisScript kRedissonUnlock = {"redisson-unlock",
                                     R"lua(
local earlier = KEYS[3] and redis.call('GET', KEYS[3])
if earlier then
  return tonumber(earlier)
end
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
  return nil
end
local free = 0
if redis.call('HINCRBY', KEYS[1], ARGV[2], -1) > 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
else
  redis.call('DEL', KEYS[1])
  redis.call('PUBLISH', KEYS[2], ARGV[1])
  free = 1
end
if KEYS[3] then
  redis.call('SET', KEYS[3], free, 'PX', ARGV[4])
end
return free
)lua",
                                     [](ScriptContext& redis) -> ScriptResult {
                                       const bool latch = redis.key_count() >= 3;
                                       const RedisReply earlier =
                                           latch ? redis.call("GET", redis.key(3)) : RedisReply::nil();
                                       if (!earlier.is_nil()) return redisson_number(earlier.text());
                                       if (redis.call("HEXISTS", redis.key(1), redis.argument(2)).integer() == 0)
                                         return ScriptResult::nil();
                                       int free = 0;
                                       if (redis.call("HINCRBY", redis.key(1), redis.argument(2), -1).integer() > 0) {
                                         redis.call("PEXPIRE", redis.key(1), redis.argument(3));
                                       } else {
                                         redis.del(redis.key(1));
                                         redis.call("PUBLISH", redis.key(2), redis.argument(1));
                                         free = 1;
                                       }
                                       if (latch) redis.call("SET", redis.key(3), free, "PX", redis.argument(4));
                                       return free;
                                     }};

const RedisScript kRedissonForceUnlock = {"redisson-force-unlock",
                                          R"lua(
if redis.call('DEL', KEYS[1]) == 0 then
  return 0
end
redis.call('PUBLISH', KEYS[2], ARGV[1])
return 1
)lua",
                                          [](ScriptContext& redis) -> ScriptResult {
                                            if (redis.del(redis.key(1)) == 0) return 0;
                                            redis.call("PUBLISH", redis.key(2), redis.argument(1));
                                            return 1;
                                          }};

const RedisScript kRedissonRenewMany = {
    "redisson-renew-many",
    R"lua(
local renewed = {}
for i = 1, #KEYS do
  renewed[i] = 0
  if redis.call('HEXISTS', KEYS[i], ARGV[i + 1]) == 1 then
    redis.call('PEXPIRE', KEYS[i], ARGV[1])
    renewed[i] = 1
  end
end
return renewed
)lua",
    [](ScriptContext& redis) -> ScriptResult {
      RedisReply renewed = RedisReply::array();
      for (std::size_t i = 1; i <= redis.key_count(); ++i) {
        const bool owned = redis.call("HEXISTS", redis.key(i), redis.argument(i + 1)).integer() == 1;
        if (owned) redis.call("PEXPIRE", redis.key(i), redis.argument(1));
        renewed.push_back(RedisReply::integer(owned ? 1 : 0));
      }
      return renewed;
    }};

const RedisScript kRedissonExpire = {"redisson-expire",
                                     R"lua(
local expiring = 0
for i = 1, #KEYS do
  expiring = expiring + redis.call('PEXPIRE', KEYS[i], ARGV[1])
end
return expiring
)lua",
                                     [](ScriptContext& redis) -> ScriptResult {
                                       std::int64_t expiring = 0;
                                       for (std::size_t i = 1; i <= redis.key_count(); ++i) {
                                         expiring += redis.call("PEXPIRE", redis.key(i), redis.argument(1)).integer();
                                       }
                                       return expiring;
                                     }};

const RedisScript kRedissonExpireIfOwned = {"redisson-expire-if-owned",
                                            R"lua(
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[1])
)lua",
                                            [](ScriptContext& redis) -> ScriptResult {
                                              if (redis.call("HEXISTS", redis.key(1), redis.argument(2)).integer() == 0)
                                                return 0;
                                              return redis.call("PEXPIRE", redis.key(1), redis.argument(1));
                                            }};

std::span<const RedisScript* const> redisson_scripts() {
  static constexpr const RedisScript* kAll[] = {
      &kRedissonAcquire,         &kRedissonAcquireFenced,       &kRedissonUnlock,
      &kRedissonForceUnlock,     &kRedissonRenewMany,           &kRedissonExpireIfOwned,
      &kRedissonExpire,          &kRedissonReadAcquire,         &kRedissonReadUnlock,
      &kRedissonWriteAcquire,    &kRedissonWriteUnlock,         &kRedissonForceUnlockMode,
      &kRedissonRenewOwnReaders, &kRedissonRenewAllReaders,     &kRedissonRenewFirstReaders,
      &kRedissonFairAcquire,     &kRedissonFairAcquireDrifting, &kRedissonFairAcquireOnce,
      &kRedissonFairGiveUp,      &kRedissonFairUnlock,          &kRedissonFairForceUnlock};
  return kAll;
}

}  // namespace picklock
