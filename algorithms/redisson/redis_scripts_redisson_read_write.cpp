#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "algorithms/redisson/lua_text.hpp"
#include "algorithms/redisson/redis_scripts_redisson.hpp"

namespace picklock {
namespace {

bool has_owner(ScriptContext& redis, std::size_t argument) {
  return redis.call("HEXISTS", redis.key(1), redis.argument(argument)).integer() == 1;
}

std::string timer_of(std::string_view lock, std::string_view owner, std::int64_t number) {
  return std::string(lock) + ':' + std::string(owner) + ":rwlock_timeout:" + std::to_string(number);
}

// `act` on the timer of each read hold of that owner, the newest first.
template <class Act>
void for_timers(ScriptContext& redis, std::string_view owner, std::int64_t count, Act act) {
  for (std::int64_t i = count; i >= 1; --i) act(timer_of(redis.key(1), owner, i));
}
template <class Act>
void for_all_timers(ScriptContext& redis, Act act) {
  const RedisReply owners = redis.call("HKEYS", redis.key(1));
  for (const RedisReply& owner : owners.elements()) {
    const RedisReply count = redis.call("HGET", redis.key(1), owner.text());
    for_timers(redis, owner.text(), redisson_number(count.text()), act);
  }
}

// An unlock has been answered: to a repetition of the same request the same.
ScriptResult answered(ScriptContext& redis, std::int64_t free, std::size_t latch_argument) {
  if (redis.key_count() >= 3) redis.call("SET", redis.key(3), free, "PX", redis.argument(latch_argument));
  return free;
}

void free_lock(ScriptContext& redis) {
  redis.del(redis.key(1));
  redis.call("PUBLISH", redis.key(2), redis.argument(1));
}

// First step of every unlock.  Its answer: the unlock has been answered before, or there is no lock.
std::optional<ScriptResult> nothing_to_unlock(ScriptContext& redis, std::size_t latch_argument, RedisReply* mode) {
  const RedisReply earlier = redis.key_count() >= 3 ? redis.call("GET", redis.key(3)) : RedisReply::nil();
  if (!earlier.is_nil()) return ScriptResult(redisson_number(earlier.text()));
  *mode = redis.call("HGET", redis.key(1), "mode");
  if (!mode->is_nil()) return std::nullopt;
  redis.call("PUBLISH", redis.key(2), redis.argument(1));
  ScriptResult yes = answered(redis, 1, latch_argument);
  return redis.argument(3) == "yes" ? std::move(yes) : ScriptResult::nil();
}

// The same in Lua, in the parts in which the scripts have them.
constexpr std::string_view kTimers = R"lua(
local function timer_of(owner, i)
  return KEYS[1] .. ':' .. owner .. ':rwlock_timeout:' .. i
end
local function for_timers(owner, count, act)
  for i = tonumber(count) or 0, 1, -1 do
    act(timer_of(owner, i))
  end
end
local function for_all_timers(act)
  for _, owner in ipairs(redis.call('HKEYS', KEYS[1])) do
    for_timers(owner, redis.call('HGET', KEYS[1], owner), act)
  end
end
local function prolong(timer)
  redis.call('PEXPIRE', timer, ARGV[1])
end
)lua";

constexpr std::string_view kFreeLock = R"lua(
local function free_lock()
  redis.call('DEL', KEYS[1])
  redis.call('PUBLISH', KEYS[2], ARGV[1])
end
)lua";

constexpr std::string_view kReadersLatch = "local latch_ms = ARGV[4]\n";
constexpr std::string_view kWritersLatch = "local latch_ms = ARGV[5]\n";
constexpr std::string_view kNothingToUnlock = R"lua(
local function answered(free)
  if KEYS[3] then
    redis.call('SET', KEYS[3], free, 'PX', latch_ms)
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
  local yes = answered(1)
  return ARGV[3] == 'yes' and yes or nil
end
)lua";

constexpr std::string_view kReadAcquire = R"lua(
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
redis.call('SET', timer_of(ARGV[2], count), 1, 'PX', ARGV[1])
redis.call('PEXPIRE', KEYS[1], math.max(left, tonumber(ARGV[1])))
return nil
)lua";

constexpr std::string_view kReadUnlock = R"lua(
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
  return nil
end
local count = redis.call('HINCRBY', KEYS[1], ARGV[2], -1)
if count == 0 then
  redis.call('HDEL', KEYS[1], ARGV[2])
end
redis.call('DEL', timer_of(ARGV[2], count + 1))
if redis.call('HLEN', KEYS[1]) > 1 then
  local longest = -3
  for_all_timers(function(timer)
    longest = math.max(longest, redis.call('PTTL', timer))
  end)
  if longest > 0 then
    redis.call('PEXPIRE', KEYS[1], longest)
    return answered(0)
  end
  if mode == 'write' then
    return answered(0)
  end
end
free_lock()
return answered(1)
)lua";

constexpr std::string_view kWriteUnlock = R"lua(
if mode ~= 'write' or redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
  return nil
end
if redis.call('HINCRBY', KEYS[1], ARGV[2], -1) > 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return answered(0)
end
redis.call('HDEL', KEYS[1], ARGV[2])
if redis.call('HLEN', KEYS[1]) == 1 then
  free_lock()
else
  redis.call('HSET', KEYS[1], 'mode', 'read')
end
return answered(1)
)lua";

constexpr std::string_view kForceUnlockMode = R"lua(
if redis.call('HGET', KEYS[1], 'mode') ~= ARGV[2] then
  return 0
end
free_lock()
return 1
)lua";

constexpr std::string_view kRenewOwnReaders = R"lua(
local renewed, next = {}, 2
for i = 1, #KEYS do
  renewed[i] = 0
  local owners = tonumber(ARGV[next])
  for o = next + 1, next + owners do
    local count = redis.call('HGET', KEYS[i], ARGV[o])
    for hold = tonumber(count) or 0, 1, -1 do
      redis.call('PEXPIRE', KEYS[i] .. ':' .. ARGV[o] .. ':rwlock_timeout:' .. hold, ARGV[1])
    end
    if count then
      renewed[i] = 1
    end
  end
  if renewed[i] == 1 then
    redis.call('PEXPIRE', KEYS[i], ARGV[1])
  end
  next = next + owners + 1
end
return renewed
)lua";

constexpr std::string_view kRenewFirstReaders = R"lua(
local renewed = {}
for i = 1, #KEYS, 2 do
  local lock = (i + 1) / 2
  renewed[lock] = 0
  if redis.call('HEXISTS', KEYS[i], ARGV[lock + 1]) == 1 then
    redis.call('PEXPIRE', KEYS[i], ARGV[1])
    for _, owner in ipairs(redis.call('HKEYS', KEYS[i])) do
      for hold = tonumber(redis.call('HGET', KEYS[i], owner)) or 0, 1, -1 do
        if not KEYS[hold + 1] then
          return redis.error_reply('ERR attempt to concatenate a nil value')
        end
        redis.call('PEXPIRE', KEYS[hold + 1] .. ':' .. owner .. ':rwlock_timeout:' .. hold, ARGV[1])
      end
    end
    renewed[lock] = 1
  end
end
return renewed
)lua";

constexpr std::string_view kRenewAllReaders = R"lua(
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
  return {0}
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
for_all_timers(prolong)
return {1}
)lua";

}  // namespace

const RedisScript kRedissonReadAcquire = {
    "redisson-read-acquire", kLuaText<kTimers, kReadAcquire>.data(), [](ScriptContext& redis) -> ScriptResult {
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
    "redisson-read-unlock", kLuaText<kTimers, kFreeLock, kReadersLatch, kNothingToUnlock, kReadUnlock>.data(),
    [](ScriptContext& redis) -> ScriptResult {
      RedisReply mode;
      if (auto answer = nothing_to_unlock(redis, 4, &mode)) return *answer;
      if (!has_owner(redis, 2)) return ScriptResult::nil();
      const std::int64_t count = redis.call("HINCRBY", redis.key(1), redis.argument(2), -1).integer();
      if (count == 0) redis.call("HDEL", redis.key(1), redis.argument(2));
      redis.del(timer_of(redis.key(1), redis.argument(2), count + 1));
      if (redis.call("HLEN", redis.key(1)).integer() > 1) {
        std::int64_t longest = -3;
        for_all_timers(
            redis, [&](const std::string& timer) { longest = std::max(longest, redis.call("PTTL", timer).integer()); });
        if (longest > 0) {
          redis.call("PEXPIRE", redis.key(1), longest);
          return answered(redis, 0, 4);
        }
        if (mode.text() == "write") return answered(redis, 0, 4);
      }
      free_lock(redis);
      return answered(redis, 1, 4);
    }};

const RedisScript kRedissonWriteAcquire = {"redisson-write-acquire",
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
                                             redis.call("PEXPIRE", redis.key(1),
                                                        left + redisson_number(redis.argument(1)));
                                             return ScriptResult::nil();
                                           }};

const RedisScript kRedissonWriteUnlock = {
    "redisson-write-unlock", kLuaText<kFreeLock, kWritersLatch, kNothingToUnlock, kWriteUnlock>.data(),
    [](ScriptContext& redis) -> ScriptResult {
      RedisReply mode;
      if (auto answer = nothing_to_unlock(redis, 5, &mode)) return *answer;
      if (mode.text() != "write" || !has_owner(redis, 2)) return ScriptResult::nil();
      if (redis.call("HINCRBY", redis.key(1), redis.argument(2), -1).integer() > 0) {
        redis.call("PEXPIRE", redis.key(1), redis.argument(4));
        return answered(redis, 0, 5);
      }
      redis.call("HDEL", redis.key(1), redis.argument(2));
      if (redis.call("HLEN", redis.key(1)).integer() == 1) {
        free_lock(redis);
      } else {
        redis.call("HSET", redis.key(1), "mode", "read");
      }
      return answered(redis, 1, 5);
    }};

const RedisScript kRedissonForceUnlockMode = {"redisson-force-unlock-mode",
                                              kLuaText<kFreeLock, kForceUnlockMode>.data(),
                                              [](ScriptContext& redis) -> ScriptResult {
                                                const RedisReply mode = redis.call("HGET", redis.key(1), "mode");
                                                if (mode.is_nil() || mode.text() != redis.argument(2)) return 0;
                                                free_lock(redis);
                                                return 1;
                                              }};

const RedisScript kRedissonRenewOwnReaders = {
    "redisson-renew-own-readers", kRenewOwnReaders.data(), [](ScriptContext& redis) -> ScriptResult {
      RedisReply renewed = RedisReply::array();
      std::size_t next = 2;
      for (std::size_t i = 1; i <= redis.key_count(); ++i) {
        const auto owners = static_cast<std::size_t>(redisson_number(redis.argument(next)));
        bool any = false;
        for (std::size_t o = next + 1; o <= next + owners; ++o) {
          const RedisReply count = redis.call("HGET", redis.key(i), redis.argument(o));
          for (std::int64_t hold = redisson_number(count.text()); hold >= 1; --hold) {
            redis.call("PEXPIRE", timer_of(redis.key(i), redis.argument(o), hold), redis.argument(1));
          }
          any = any || !count.is_nil();
        }
        if (any) redis.call("PEXPIRE", redis.key(i), redis.argument(1));
        renewed.push_back(RedisReply::integer(any ? 1 : 0));
        next += owners + 1;
      }
      return renewed;
    }};

const RedisScript kRedissonRenewFirstReaders = {
    "redisson-renew-first-readers", kRenewFirstReaders.data(), [](ScriptContext& redis) -> ScriptResult {
      RedisReply renewed = RedisReply::array();
      for (std::size_t i = 1; i <= redis.key_count(); i += 2) {
        const std::size_t owner_of = (i + 1) / 2 + 1;
        const bool owned = redis.call("HEXISTS", redis.key(i), redis.argument(owner_of)).integer() == 1;
        if (owned) redis.call("PEXPIRE", redis.key(i), redis.argument(1));
        const RedisReply owners = owned ? redis.call("HKEYS", redis.key(i)) : RedisReply::array();
        for (const RedisReply& owner : owners.elements()) {
          const RedisReply count = redis.call("HGET", redis.key(i), owner.text());
          for (std::int64_t hold = redisson_number(count.text()); hold >= 1; --hold) {
            const auto prefix = static_cast<std::size_t>(hold) + 1;
            if (prefix > redis.key_count()) return RedisReply::error("ERR attempt to concatenate a nil value");
            redis.call("PEXPIRE", timer_of(redis.key(prefix), owner.text(), hold), redis.argument(1));
          }
        }
        renewed.push_back(RedisReply::integer(owned ? 1 : 0));
      }
      return renewed;
    }};

const RedisScript kRedissonRenewAllReaders = {
    "redisson-renew-all-readers", kLuaText<kTimers, kRenewAllReaders>.data(), [](ScriptContext& redis) -> ScriptResult {
      if (!has_owner(redis, 2)) return ScriptResult::array({0});
      redis.call("PEXPIRE", redis.key(1), redis.argument(1));
      for_all_timers(redis, [&](const std::string& timer) { redis.call("PEXPIRE", timer, redis.argument(1)); });
      return ScriptResult::array({1});
    }};

}  // namespace picklock
