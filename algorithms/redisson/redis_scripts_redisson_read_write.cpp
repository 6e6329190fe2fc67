#include <algorithm>
#include <string>

#include "algorithms/redisson/redis_scripts_redisson.hpp"

namespace picklock {
namespace {

std::string timer_of(std::string_view lock, std::string_view owner, std::int64_t number) {
  return std::string(lock) + ':' + std::string(owner) + ":rwlock_timeout:" + std::to_string(number);
}

bool has_owner(ScriptContext& redis, std::size_t argument) {
  return redis.call("HEXISTS", redis.key(1), redis.argument(argument)).integer() == 1;
}

// An unlock has been answered: to a repetition of the same request the same.
ScriptResult answered(ScriptContext& redis, std::int64_t free, std::size_t latch_argument) {
  if (redis.key_count() >= 3) redis.call("SET", redis.key(3), free, "PX", redis.argument(latch_argument));
  return free;
}

void prolong_timers(ScriptContext& redis, std::string_view owner) {
  const RedisReply count = redis.call("HGET", redis.key(1), owner);
  for (std::int64_t i = redisson_number(count.text()); i >= 1; --i) {
    redis.call("PEXPIRE", timer_of(redis.key(1), owner, i), redis.argument(1));
  }
}

}  // namespace

const RedisScript kRedissonReadAcquire = {
    "redisson-read-acquire",
    R"lua(
local mode = redis.call('HGET', KEYS[1], 'mode')
if mode == 'write' and redis.call('HEXISTS', KEYS[1], ARGV[3]) == 0 then
  return redis.call('PTTL', KEYS[1])
end
local left = -2
if mode then
  left = redis.call('PTTL', KEYS[1])
else
  redis.call('HSET', KEYS[1], 'mode', 'read')
end
local count = redis.call('HINCRBY', KEYS[1], ARGV[2], 1)
redis.call('SET', KEYS[1] .. ':' .. ARGV[2] .. ':rwlock_timeout:' .. count, 1, 'PX', ARGV[1])
redis.call('PEXPIRE', KEYS[1], math.max(left, tonumber(ARGV[1])))
return nil
)lua",
    [](ScriptContext& redis) -> ScriptResult {
      const RedisReply mode = redis.call("HGET", redis.key(1), "mode");
      if (mode.text() == "write" && !has_owner(redis, 3)) return redis.call("PTTL", redis.key(1));
      std::int64_t left = -2;
      if (mode.is_nil()) {
        redis.call("HSET", redis.key(1), "mode", "read");
      } else {
        left = redis.call("PTTL", redis.key(1)).integer();
      }
      const std::int64_t count = redis.call("HINCRBY", redis.key(1), redis.argument(2), 1).integer();
      redis.call("SET", timer_of(redis.key(1), redis.argument(2), count), 1, "PX", redis.argument(1));
      redis.call("PEXPIRE", redis.key(1), std::max(left, redisson_number(redis.argument(1))));
      return ScriptResult::nil();
    }};

const RedisScript kRedissonReadUnlock = {
    "redisson-read-unlock",
    R"lua(
local function answered(free)
  if KEYS[3] then
    redis.call('SET', KEYS[3], free, 'PX', ARGV[3])
  end
  return free
end
local earlier = KEYS[3] and redis.call('GET', KEYS[3])
if earlier then
  return tonumber(earlier)
end
local mode = redis.call('HGET', KEYS[1], 'mode')
if not mode then
  redis.call('PUBLISH', KEYS[2], ARGV[1])
  return answered(1)
end
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
  return nil
end
local count = redis.call('HINCRBY', KEYS[1], ARGV[2], -1)
if count == 0 then
  redis.call('HDEL', KEYS[1], ARGV[2])
end
redis.call('DEL', KEYS[1] .. ':' .. ARGV[2] .. ':rwlock_timeout:' .. (count + 1))
if redis.call('HLEN', KEYS[1]) > 1 then
  local longest = -3
  for _, owner in ipairs(redis.call('HKEYS', KEYS[1])) do
    for i = tonumber(redis.call('HGET', KEYS[1], owner)) or 0, 1, -1 do
      longest = math.max(longest, redis.call('PTTL', KEYS[1] .. ':' .. owner .. ':rwlock_timeout:' .. i))
    end
  end
  if longest > 0 then
    redis.call('PEXPIRE', KEYS[1], longest)
    return answered(0)
  end
  if mode == 'write' then
    return answered(0)
  end
end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', KEYS[2], ARGV[1])
return answered(1)
)lua",
    [](ScriptContext& redis) -> ScriptResult {
      const RedisReply earlier = redis.key_count() >= 3 ? redis.call("GET", redis.key(3)) : RedisReply::nil();
      if (!earlier.is_nil()) return redisson_number(earlier.text());
      const RedisReply mode = redis.call("HGET", redis.key(1), "mode");
      if (mode.is_nil()) {
        redis.call("PUBLISH", redis.key(2), redis.argument(1));
        return answered(redis, 1, 3);
      }
      if (!has_owner(redis, 2)) return ScriptResult::nil();
      const std::int64_t count = redis.call("HINCRBY", redis.key(1), redis.argument(2), -1).integer();
      if (count == 0) redis.call("HDEL", redis.key(1), redis.argument(2));
      redis.call("DEL", timer_of(redis.key(1), redis.argument(2), count + 1));
      if (redis.call("HLEN", redis.key(1)).integer() > 1) {
        std::int64_t longest = -3;
        const RedisReply owners = redis.call("HKEYS", redis.key(1));
        for (const RedisReply& owner : owners.elements()) {
          const RedisReply held = redis.call("HGET", redis.key(1), owner.text());
          for (std::int64_t i = redisson_number(held.text()); i >= 1; --i) {
            longest = std::max(longest, redis.call("PTTL", timer_of(redis.key(1), owner.text(), i)).integer());
          }
        }
        if (longest > 0) {
          redis.call("PEXPIRE", redis.key(1), longest);
          return answered(redis, 0, 3);
        }
        if (mode.text() == "write") return answered(redis, 0, 3);
      }
      redis.call("DEL", redis.key(1));
      redis.call("PUBLISH", redis.key(2), redis.argument(1));
      return answered(redis, 1, 3);
    }};

const RedisScript kRedissonWriteAcquire = {
    "redisson-write-acquire",
    R"lua(
local mode = redis.call('HGET', KEYS[1], 'mode')
if not mode then
  redis.call('HSET', KEYS[1], 'mode', 'write')
  redis.call('HINCRBY', KEYS[1], ARGV[2], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  return nil
end
local left = redis.call('PTTL', KEYS[1])
if mode == 'read' or redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
  return left
end
redis.call('HINCRBY', KEYS[1], ARGV[2], 1)
redis.call('PEXPIRE', KEYS[1], left + tonumber(ARGV[1]))
return nil
)lua",
    [](ScriptContext& redis) -> ScriptResult {
      const RedisReply mode = redis.call("HGET", redis.key(1), "mode");
      if (mode.is_nil()) {
        redis.call("HSET", redis.key(1), "mode", "write");
        redis.call("HINCRBY", redis.key(1), redis.argument(2), 1);
        redis.call("PEXPIRE", redis.key(1), redis.argument(1));
        return ScriptResult::nil();
      }
      const std::int64_t left = redis.call("PTTL", redis.key(1)).integer();
      if (mode.text() == "read" || !has_owner(redis, 2)) return left;
      redis.call("HINCRBY", redis.key(1), redis.argument(2), 1);
      redis.call("PEXPIRE", redis.key(1), left + redisson_number(redis.argument(1)));
      return ScriptResult::nil();
    }};

const RedisScript kRedissonWriteUnlock = {
    "redisson-write-unlock",
    R"lua(
local function answered(free)
  if KEYS[3] then
    redis.call('SET', KEYS[3], free, 'PX', ARGV[4])
  end
  return free
end
local earlier = KEYS[3] and redis.call('GET', KEYS[3])
if earlier then
  return tonumber(earlier)
end
local mode = redis.call('HGET', KEYS[1], 'mode')
if not mode then
  redis.call('PUBLISH', KEYS[2], ARGV[1])
  return answered(1)
end
if mode ~= 'write' or redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
  return nil
end
if redis.call('HINCRBY', KEYS[1], ARGV[2], -1) > 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return answered(0)
end
redis.call('HDEL', KEYS[1], ARGV[2])
if redis.call('HLEN', KEYS[1]) == 1 then
  redis.call('DEL', KEYS[1])
  redis.call('PUBLISH', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[1], 'mode', 'read')
end
return answered(1)
)lua",
    [](ScriptContext& redis) -> ScriptResult {
      const RedisReply earlier = redis.key_count() >= 3 ? redis.call("GET", redis.key(3)) : RedisReply::nil();
      if (!earlier.is_nil()) return redisson_number(earlier.text());
      const RedisReply mode = redis.call("HGET", redis.key(1), "mode");
      if (mode.is_nil()) {
        redis.call("PUBLISH", redis.key(2), redis.argument(1));
        return answered(redis, 1, 4);
      }
      if (mode.text() != "write" || !has_owner(redis, 2)) return ScriptResult::nil();
      if (redis.call("HINCRBY", redis.key(1), redis.argument(2), -1).integer() > 0) {
        redis.call("PEXPIRE", redis.key(1), redis.argument(3));
        return answered(redis, 0, 4);
      }
      redis.call("HDEL", redis.key(1), redis.argument(2));
      if (redis.call("HLEN", redis.key(1)).integer() == 1) {
        redis.call("DEL", redis.key(1));
        redis.call("PUBLISH", redis.key(2), redis.argument(1));
      } else {
        redis.call("HSET", redis.key(1), "mode", "read");
      }
      return answered(redis, 1, 4);
    }};

const RedisScript kRedissonForceUnlockMode = {"redisson-force-unlock-mode",
                                              R"lua(
if redis.call('HGET', KEYS[1], 'mode') ~= ARGV[2] then
  return 0
end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', KEYS[2], ARGV[1])
return 1
)lua",
                                              [](ScriptContext& redis) -> ScriptResult {
                                                const RedisReply mode = redis.call("HGET", redis.key(1), "mode");
                                                if (mode.is_nil() || mode.text() != redis.argument(2)) return 0;
                                                redis.call("DEL", redis.key(1));
                                                redis.call("PUBLISH", redis.key(2), redis.argument(1));
                                                return 1;
                                              }};

const RedisScript kRedissonRenewReader = {
    "redisson-renew-reader",
    R"lua(
local count = redis.call('HGET', KEYS[1], ARGV[2])
if not count then
  return {0}
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
for i = tonumber(count), 1, -1 do
  redis.call('PEXPIRE', KEYS[1] .. ':' .. ARGV[2] .. ':rwlock_timeout:' .. i, ARGV[1])
end
return {1}
)lua",
    [](ScriptContext& redis) -> ScriptResult {
      const RedisReply count = redis.call("HGET", redis.key(1), redis.argument(2));
      if (count.is_nil()) return ScriptResult::array({0});
      redis.call("PEXPIRE", redis.key(1), redis.argument(1));
      for (std::int64_t i = redisson_number(count.text()); i >= 1; --i) {
        redis.call("PEXPIRE", timer_of(redis.key(1), redis.argument(2), i), redis.argument(1));
      }
      return ScriptResult::array({1});
    }};

const RedisScript kRedissonRenewAllReaders = {
    "redisson-renew-all-readers",
    R"lua(
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
  return {0}
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
for _, owner in ipairs(redis.call('HKEYS', KEYS[1])) do
  for i = tonumber(redis.call('HGET', KEYS[1], owner)) or 0, 1, -1 do
    redis.call('PEXPIRE', KEYS[1] .. ':' .. owner .. ':rwlock_timeout:' .. i, ARGV[1])
  end
end
return {1}
)lua",
    [](ScriptContext& redis) -> ScriptResult {
      if (!has_owner(redis, 2)) return ScriptResult::array({0});
      redis.call("PEXPIRE", redis.key(1), redis.argument(1));
      const RedisReply owners = redis.call("HKEYS", redis.key(1));
      for (const RedisReply& owner : owners.elements()) prolong_timers(redis, owner.text());
      return ScriptResult::array({1});
    }};

}  // namespace picklock
