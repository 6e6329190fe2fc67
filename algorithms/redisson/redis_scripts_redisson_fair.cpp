#include <algorithm>
#include <optional>
#include <string>

#include "algorithms/redisson/redis_scripts_redisson.hpp"

namespace picklock {
namespace {

// A score as Redis spells it: an integer, for all that is stored here.
std::optional<std::int64_t> score_of(ScriptContext& redis, std::string_view timeouts, std::string_view owner) {
  const RedisReply score = redis.call("ZSCORE", timeouts, owner);
  if (score.is_nil()) return std::nullopt;
  return redisson_number(score.text());
}

// Drops the heads whose time is over; the others' times stay as they are.
void drop_late_heads(ScriptContext& redis, std::string_view queue, std::string_view timeouts, std::int64_t now) {
  for (;;) {
    const RedisReply head = redis.call("LINDEX", queue, 0);
    if (head.is_nil()) return;
    const auto until = score_of(redis, timeouts, head.text());
    if (until && *until > now) return;
    redis.call("ZREM", timeouts, head.text());
    redis.call("LPOP", queue);
  }
}

bool may_enter(ScriptContext& redis) {
  if (redis.call("EXISTS", redis.key(1)).integer() == 1) return false;
  const RedisReply head = redis.call("LINDEX", redis.key(2), 0);
  return head.is_nil() || head.text() == redis.argument(2);
}

ScriptResult enter(ScriptContext& redis) {
  redis.call("HINCRBY", redis.key(1), redis.argument(2), 1);
  redis.call("PEXPIRE", redis.key(1), redis.argument(1));
  return ScriptResult::nil();
}

void tell_head(ScriptContext& redis) {
  const RedisReply head = redis.call("LINDEX", redis.key(2), 0);
  if (head.is_nil()) return;
  redis.call("PUBLISH", std::string(redis.key(4)) + ':' + std::string(head.text()), redis.argument(1));
}

}  // namespace

const RedisScript kRedissonFairAcquire = {
    "redisson-fair-acquire",
    R"lua(
local wait, now = tonumber(ARGV[3]), tonumber(ARGV[4])
while true do
  local head = redis.call('LINDEX', KEYS[2], 0)
  if not head then break end
  local till = redis.call('ZSCORE', KEYS[3], head)
  if till and tonumber(till) > now then break end
  redis.call('ZREM', KEYS[3], head)
  redis.call('LPOP', KEYS[2])
end
local function enter()
  redis.call('HINCRBY', KEYS[1], ARGV[2], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  return nil
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  local head = redis.call('LINDEX', KEYS[2], 0)
  if not head or head == ARGV[2] then
    redis.call('LPOP', KEYS[2])
    redis.call('ZREM', KEYS[3], ARGV[2])
    for _, waiter in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
      redis.call('ZINCRBY', KEYS[3], -wait, waiter)
    end
    return enter()
  end
end
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then
  return enter()
end
local mine = redis.call('ZSCORE', KEYS[3], ARGV[2])
if mine and ARGV[5] == 'own' then
  return tonumber(mine) - wait - now
end
if mine then
  return math.max(0, redis.call('PTTL', KEYS[1]))
end
local last = redis.call('LINDEX', KEYS[2], -1)
local ttl
if last and last ~= ARGV[2] then
  ttl = tonumber(redis.call('ZSCORE', KEYS[3], last)) - now
else
  ttl = redis.call('PTTL', KEYS[1])
end
redis.call('ZADD', KEYS[3], ttl + wait + now, ARGV[2])
redis.call('RPUSH', KEYS[2], ARGV[2])
return ttl
)lua",
    [](ScriptContext& redis) -> ScriptResult {
      const std::int64_t wait = redisson_number(redis.argument(3)), now = redisson_number(redis.argument(4));
      drop_late_heads(redis, redis.key(2), redis.key(3), now);
      if (may_enter(redis)) {
        redis.call("LPOP", redis.key(2));
        redis.call("ZREM", redis.key(3), redis.argument(2));
        const RedisReply others = redis.call("ZRANGE", redis.key(3), 0, -1);
        for (const RedisReply& waiter : others.elements()) redis.call("ZINCRBY", redis.key(3), -wait, waiter.text());
        return enter(redis);
      }
      if (redis.call("HEXISTS", redis.key(1), redis.argument(2)).integer() == 1) return enter(redis);
      const auto mine = score_of(redis, redis.key(3), redis.argument(2));
      if (mine && redis.argument(5) == "own") return *mine - wait - now;
      if (mine) return std::max<std::int64_t>(0, redis.call("PTTL", redis.key(1)).integer());
      const RedisReply last = redis.call("LINDEX", redis.key(2), -1);
      const bool behind = !last.is_nil() && last.text() != redis.argument(2);
      const std::int64_t ttl = behind ? score_of(redis, redis.key(3), last.text()).value_or(now) - now
                                      : redis.call("PTTL", redis.key(1)).integer();
      redis.call("ZADD", redis.key(3), ttl + wait + now, redis.argument(2));
      redis.call("RPUSH", redis.key(2), redis.argument(2));
      return ttl;
    }};

// Each attempt moves its own time behind the head's, and whoever goes takes nothing from the others'.
const RedisScript kRedissonFairAcquireDrifting = {
    "redisson-fair-acquire-drifting",
    R"lua(
local wait, now = tonumber(ARGV[3]), tonumber(ARGV[4])
while true do
  local head = redis.call('LINDEX', KEYS[2], 0)
  if not head then break end
  local till = redis.call('ZSCORE', KEYS[3], head)
  if till and tonumber(till) > now then break end
  redis.call('ZREM', KEYS[3], head)
  redis.call('LPOP', KEYS[2])
end
local function enter()
  redis.call('HINCRBY', KEYS[1], ARGV[2], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  return nil
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  local head = redis.call('LINDEX', KEYS[2], 0)
  if not head or head == ARGV[2] then
    redis.call('LPOP', KEYS[2])
    redis.call('ZREM', KEYS[3], ARGV[2])
    return enter()
  end
end
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then
  return enter()
end
local head = redis.call('LINDEX', KEYS[2], 0)
local ttl
if head and head ~= ARGV[2] then
  ttl = tonumber(redis.call('ZSCORE', KEYS[3], head)) - now
else
  ttl = redis.call('PTTL', KEYS[1])
end
if redis.call('ZADD', KEYS[3], ttl + wait + now, ARGV[2]) == 1 then
  redis.call('RPUSH', KEYS[2], ARGV[2])
end
return ttl
)lua",
    [](ScriptContext& redis) -> ScriptResult {
      const std::int64_t wait = redisson_number(redis.argument(3)), now = redisson_number(redis.argument(4));
      drop_late_heads(redis, redis.key(2), redis.key(3), now);
      if (may_enter(redis)) {
        redis.call("LPOP", redis.key(2));
        redis.call("ZREM", redis.key(3), redis.argument(2));
        return enter(redis);
      }
      if (redis.call("HEXISTS", redis.key(1), redis.argument(2)).integer() == 1) return enter(redis);
      const RedisReply head = redis.call("LINDEX", redis.key(2), 0);
      const bool behind = !head.is_nil() && head.text() != redis.argument(2);
      const std::int64_t ttl = behind ? score_of(redis, redis.key(3), head.text()).value_or(now) - now
                                      : redis.call("PTTL", redis.key(1)).integer();
      if (redis.call("ZADD", redis.key(3), ttl + wait + now, redis.argument(2)).integer() == 1) {
        redis.call("RPUSH", redis.key(2), redis.argument(2));
      }
      return ttl;
    }};

const RedisScript kRedissonFairGiveUp = {
    "redisson-fair-give-up",
    R"lua(
local behind = false
for _, waiter in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  if behind then
    redis.call('ZINCRBY', KEYS[2], -tonumber(ARGV[2]), waiter)
  end
  behind = behind or waiter == ARGV[1]
end
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('LREM', KEYS[1], 0, ARGV[1])
)lua",
    [](ScriptContext& redis) -> ScriptResult {
      bool behind = false;
      const RedisReply queue = redis.call("LRANGE", redis.key(1), 0, -1);
      for (const RedisReply& waiter : queue.elements()) {
        if (behind) redis.call("ZINCRBY", redis.key(2), -redisson_number(redis.argument(2)), waiter.text());
        behind = behind || waiter.text() == redis.argument(1);
      }
      redis.call("ZREM", redis.key(2), redis.argument(1));
      return redis.call("LREM", redis.key(1), 0, redis.argument(1));
    }};

const RedisScript kRedissonFairUnlock = {
    "redisson-fair-unlock",
    R"lua(
local earlier = KEYS[5] and redis.call('GET', KEYS[5])
if earlier then
  return tonumber(earlier)
end
while true do
  local head = redis.call('LINDEX', KEYS[2], 0)
  if not head then break end
  local till = redis.call('ZSCORE', KEYS[3], head)
  if till and tonumber(till) > tonumber(ARGV[4]) then break end
  redis.call('ZREM', KEYS[3], head)
  redis.call('LPOP', KEYS[2])
end
local free = 1
if redis.call('EXISTS', KEYS[1]) == 1 then
  if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
    return nil
  end
  if redis.call('HINCRBY', KEYS[1], ARGV[2], -1) > 0 then
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
    free = 0
  else
    redis.call('DEL', KEYS[1])
  end
end
if free == 1 then
  local head = redis.call('LINDEX', KEYS[2], 0)
  if head then
    redis.call('PUBLISH', KEYS[4] .. ':' .. head, ARGV[1])
  end
end
if KEYS[5] then
  redis.call('SET', KEYS[5], free, 'PX', ARGV[5])
end
return free
)lua",
    [](ScriptContext& redis) -> ScriptResult {
      const bool latch = redis.key_count() >= 5;
      const RedisReply earlier = latch ? redis.call("GET", redis.key(5)) : RedisReply::nil();
      if (!earlier.is_nil()) return redisson_number(earlier.text());
      drop_late_heads(redis, redis.key(2), redis.key(3), redisson_number(redis.argument(4)));
      int free = 1;
      if (redis.call("EXISTS", redis.key(1)).integer() == 1) {
        if (redis.call("HEXISTS", redis.key(1), redis.argument(2)).integer() == 0) return ScriptResult::nil();
        if (redis.call("HINCRBY", redis.key(1), redis.argument(2), -1).integer() > 0) {
          redis.call("PEXPIRE", redis.key(1), redis.argument(3));
          free = 0;
        } else {
          redis.call("DEL", redis.key(1));
        }
      }
      if (free == 1) tell_head(redis);
      if (latch) redis.call("SET", redis.key(5), free, "PX", redis.argument(5));
      return free;
    }};

const RedisScript kRedissonFairForceUnlock = {
    "redisson-fair-force-unlock",
    R"lua(
while true do
  local head = redis.call('LINDEX', KEYS[2], 0)
  if not head then break end
  local till = redis.call('ZSCORE', KEYS[3], head)
  if till and tonumber(till) > tonumber(ARGV[2]) then break end
  redis.call('ZREM', KEYS[3], head)
  redis.call('LPOP', KEYS[2])
end
if redis.call('DEL', KEYS[1]) == 0 then
  return 0
end
local head = redis.call('LINDEX', KEYS[2], 0)
if head then
  redis.call('PUBLISH', KEYS[4] .. ':' .. head, ARGV[1])
end
return 1
)lua",
    [](ScriptContext& redis) -> ScriptResult {
      drop_late_heads(redis, redis.key(2), redis.key(3), redisson_number(redis.argument(2)));
      if (redis.call("DEL", redis.key(1)).integer() == 0) return 0;
      tell_head(redis);
      return 1;
    }};

}  // namespace picklock
