#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "algorithms/redisson/lua_text.hpp"
#include "algorithms/redisson/redis_scripts_redisson.hpp"

namespace picklock {
namespace {

// A score as Redis spells it: an integer, for all that is stored here.
std::optional<std::int64_t> score_of(ScriptContext& redis, std::string_view timeouts, std::string_view owner) {
  const RedisReply score = redis.call("ZSCORE", timeouts, owner);
  if (score.is_nil()) return std::nullopt;
  return redisson_number(score.text());
}

// Drops the heads whose time is over; the others' times stay as they are.  A head without a time stays.
void drop_late_heads(ScriptContext& redis, std::string_view queue, std::string_view timeouts, std::int64_t now) {
  for (;;) {
    const RedisReply head = redis.call("LINDEX", queue, 0);
    if (head.is_nil()) return;
    const auto until = score_of(redis, timeouts, head.text());
    if (!until || *until > now) return;
    redis.call("ZREM", timeouts, head.text());
    redis.call("LPOP", queue);
  }
}

bool may_enter(ScriptContext& redis) {
  if (redis.call("EXISTS", redis.key(1)).integer() == 1) return false;
  const RedisReply head = redis.call("LINDEX", redis.key(2), 0);
  return head.is_nil() || head.text() == redis.argument(2);
}

bool is_inside(ScriptContext& redis) { return redis.call("HEXISTS", redis.key(1), redis.argument(2)).integer() == 1; }

void leave_queue(ScriptContext& redis) {
  redis.call("LPOP", redis.key(2));
  redis.call("ZREM", redis.key(3), redis.argument(2));
}

ScriptResult enter(ScriptContext& redis) {
  redis.call("HINCRBY", redis.key(1), redis.argument(2), 1);
  redis.call("PEXPIRE", redis.key(1), redis.argument(1));
  return ScriptResult::nil();
}

// Enters if the lock is free for this client, or is its own already; nothing: others are before it.
std::optional<ScriptResult> enter_now(ScriptContext& redis, std::int64_t wait, std::int64_t now) {
  drop_late_heads(redis, redis.key(2), redis.key(3), now);
  if (may_enter(redis)) {
    leave_queue(redis);
    const RedisReply others = redis.call("ZRANGE", redis.key(3), 0, -1);
    for (const RedisReply& waiter : others.elements()) redis.call("ZINCRBY", redis.key(3), -wait, waiter.text());
    return enter(redis);
  }
  if (is_inside(redis)) return enter(redis);
  return std::nullopt;
}

// Time until that waiter's is over, if it is another and has one; else until the lock's is.
std::int64_t time_left(ScriptContext& redis, const RedisReply& waiter, std::int64_t now) {
  const bool another = !waiter.is_nil() && waiter.text() != redis.argument(2);
  const auto until = another ? score_of(redis, redis.key(3), waiter.text()) : std::nullopt;
  if (until) return *until - now;
  return redis.call("PTTL", redis.key(1)).integer();
}

void tell_head(ScriptContext& redis) {
  const RedisReply head = redis.call("LINDEX", redis.key(2), 0);
  if (head.is_nil()) return;
  redis.call("PUBLISH", std::string(redis.key(4)) + ':' + std::string(head.text()), redis.argument(1));
}

// The same in Lua, in the parts in which the scripts have them.
constexpr std::string_view kDropLateHeads = R"lua(
local function drop_late_heads(now)
  while true do
    local head = redis.call('LINDEX', KEYS[2], 0)
    if not head then return end
    local till = redis.call('ZSCORE', KEYS[3], head)
    if not till or tonumber(till) > now then return end
    redis.call('ZREM', KEYS[3], head)
    redis.call('LPOP', KEYS[2])
  end
end
)lua";

constexpr std::string_view kEnter = R"lua(
local function may_enter()
  if redis.call('EXISTS', KEYS[1]) == 1 then return false end
  local head = redis.call('LINDEX', KEYS[2], 0)
  return not head or head == ARGV[2]
end
local function is_inside()
  return redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1
end
local function leave_queue()
  redis.call('LPOP', KEYS[2])
  redis.call('ZREM', KEYS[3], ARGV[2])
end
local function enter()
  redis.call('HINCRBY', KEYS[1], ARGV[2], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  return nil
end
local function time_left(waiter, now)
  local till = waiter and waiter ~= ARGV[2] and redis.call('ZSCORE', KEYS[3], waiter)
  if till then
    return tonumber(till) - now
  end
  return redis.call('PTTL', KEYS[1])
end
)lua";

constexpr std::string_view kTellHead = R"lua(
local function tell_head()
  local head = redis.call('LINDEX', KEYS[2], 0)
  if head then
    redis.call('PUBLISH', KEYS[4] .. ':' .. head, ARGV[1])
  end
end
)lua";

constexpr std::string_view kEnterNow = R"lua(
local wait, now = tonumber(ARGV[3]), tonumber(ARGV[4])
drop_late_heads(now)
if may_enter() then
  leave_queue()
  for _, waiter in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
    redis.call('ZINCRBY', KEYS[3], -wait, waiter)
  end
  return enter()
end
if is_inside() then
  return enter()
end
)lua";

constexpr std::string_view kQueueUp = R"lua(local mine = redis.call('ZSCORE', KEYS[3], ARGV[2])
if mine and ARGV[5] == 'own' then
  return tonumber(mine) - wait - now
end
if mine then
  return math.max(0, redis.call('PTTL', KEYS[1]))
end
local ttl = time_left(redis.call('LINDEX', KEYS[2], -1), now)
redis.call('ZADD', KEYS[3], ttl + wait + now, ARGV[2])
redis.call('RPUSH', KEYS[2], ARGV[2])
return ttl
)lua";

// Each attempt moves its own time behind the head's, and a client that leaves takes nothing from the others'.
constexpr std::string_view kAcquireDrifting = R"lua(
local wait, now = tonumber(ARGV[3]), tonumber(ARGV[4])
drop_late_heads(now)
if may_enter() then
  leave_queue()
  return enter()
end
if is_inside() then
  return enter()
end
local ttl = time_left(redis.call('LINDEX', KEYS[2], 0), now)
if redis.call('ZADD', KEYS[3], ttl + wait + now, ARGV[2]) == 1 then
  redis.call('RPUSH', KEYS[2], ARGV[2])
end
return ttl
)lua";

constexpr std::string_view kOnce = "return 1\n";

constexpr std::string_view kUnlock = R"lua(
local earlier = KEYS[5] and redis.call('GET', KEYS[5])
if earlier then
  return tonumber(earlier)
end
drop_late_heads(tonumber(ARGV[4]))
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
  tell_head()
end
if KEYS[5] then
  redis.call('SET', KEYS[5], free, 'PX', ARGV[5])
end
return free
)lua";

constexpr std::string_view kForceUnlock = R"lua(
drop_late_heads(tonumber(ARGV[2]))
if redis.call('DEL', KEYS[1]) == 0 then
  return 0
end
tell_head()
return 1
)lua";

}  // namespace

const RedisScript kRedissonFairAcquireOnce = {
    "redisson-fair-acquire-once", kLuaText<kDropLateHeads, kEnter, kEnterNow, kOnce>.data(),
    [](ScriptContext& redis) -> ScriptResult {
      const std::int64_t wait = redisson_number(redis.argument(3)), now = redisson_number(redis.argument(4));
      return enter_now(redis, wait, now).value_or(ScriptResult(1));
    }};

const RedisScript kRedissonFairAcquire = {
    "redisson-fair-acquire", kLuaText<kDropLateHeads, kEnter, kEnterNow, kQueueUp>.data(),
    [](ScriptContext& redis) -> ScriptResult {
      const std::int64_t wait = redisson_number(redis.argument(3)), now = redisson_number(redis.argument(4));
      if (const auto entered = enter_now(redis, wait, now)) return *entered;
      const auto mine = score_of(redis, redis.key(3), redis.argument(2));
      if (mine && redis.argument(5) == "own") return *mine - wait - now;
      if (mine) return std::max<std::int64_t>(0, redis.call("PTTL", redis.key(1)).integer());
      const RedisReply last = redis.call("LINDEX", redis.key(2), -1);
      const std::int64_t ttl = time_left(redis, last, now);
      redis.call("ZADD", redis.key(3), ttl + wait + now, redis.argument(2));
      redis.call("RPUSH", redis.key(2), redis.argument(2));
      return ttl;
    }};

const RedisScript kRedissonFairAcquireDrifting = {
    "redisson-fair-acquire-drifting", kLuaText<kDropLateHeads, kEnter, kAcquireDrifting>.data(),
    [](ScriptContext& redis) -> ScriptResult {
      const std::int64_t wait = redisson_number(redis.argument(3)), now = redisson_number(redis.argument(4));
      drop_late_heads(redis, redis.key(2), redis.key(3), now);
      if (may_enter(redis)) {
        leave_queue(redis);
        return enter(redis);
      }
      if (is_inside(redis)) return enter(redis);
      const RedisReply head = redis.call("LINDEX", redis.key(2), 0);
      const std::int64_t ttl = time_left(redis, head, now);
      if (redis.call("ZADD", redis.key(3), ttl + wait + now, redis.argument(2)).integer() == 1) {
        redis.call("RPUSH", redis.key(2), redis.argument(2));
      }
      return ttl;
    }};

const RedisScript kRedissonFairGiveUp = {"redisson-fair-give-up",
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
                                             if (behind)
                                               redis.call("ZINCRBY", redis.key(2), -redisson_number(redis.argument(2)),
                                                          waiter.text());
                                             behind = behind || waiter.text() == redis.argument(1);
                                           }
                                           redis.call("ZREM", redis.key(2), redis.argument(1));
                                           return redis.call("LREM", redis.key(1), 0, redis.argument(1));
                                         }};

const RedisScript kRedissonFairUnlock = {
    "redisson-fair-unlock", kLuaText<kDropLateHeads, kTellHead, kUnlock>.data(),
    [](ScriptContext& redis) -> ScriptResult {
      const bool latch = redis.key_count() >= 5;
      const RedisReply earlier = latch ? redis.call("GET", redis.key(5)) : RedisReply::nil();
      if (!earlier.is_nil()) return redisson_number(earlier.text());
      drop_late_heads(redis, redis.key(2), redis.key(3), redisson_number(redis.argument(4)));
      int free = 1;
      if (redis.call("EXISTS", redis.key(1)).integer() == 1) {
        if (!is_inside(redis)) return ScriptResult::nil();
        if (redis.call("HINCRBY", redis.key(1), redis.argument(2), -1).integer() > 0) {
          redis.call("PEXPIRE", redis.key(1), redis.argument(3));
          free = 0;
        } else {
          redis.del(redis.key(1));
        }
      }
      if (free == 1) tell_head(redis);
      if (latch) redis.call("SET", redis.key(5), free, "PX", redis.argument(5));
      return free;
    }};

const RedisScript kRedissonFairForceUnlock = {
    "redisson-fair-force-unlock", kLuaText<kDropLateHeads, kTellHead, kForceUnlock>.data(),
    [](ScriptContext& redis) -> ScriptResult {
      drop_late_heads(redis, redis.key(2), redis.key(3), redisson_number(redis.argument(2)));
      if (redis.del(redis.key(1)) == 0) return 0;
      tell_head(redis);
      return 1;
    }};

}  // namespace picklock
