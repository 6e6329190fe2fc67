#include "sim/redis/scripts_lab.hpp"

namespace picklock {
namespace {

// Compare and delete: the release of a lock.
constexpr RedisScript kRelease{
    "release",
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 "
    "end",
    [](ScriptContext& redis) -> ScriptResult {
      const RedisReply value = redis.call("GET", redis.key(1));
      if (value.is_bulk() && value.text() == redis.argument(1)) {
        return redis.call("DEL", redis.key(1));
      }
      return 0;
    }};

// Writes, then fails.
constexpr RedisScript kSetThenFail{"set-then-fail",
                                   "redis.call('SET', KEYS[1], ARGV[1]) redis.call('HGET', KEYS[1], 'f') return 1",
                                   [](ScriptContext& redis) -> ScriptResult {
                                     redis.call("SET", redis.key(1), redis.argument(1));
                                     redis.call("HGET", redis.key(1), "f");
                                     return 1;
                                   }};

// The same, but the error is a value.
constexpr RedisScript kSetThenPcall{"set-then-pcall",
                                    "redis.call('SET', KEYS[1], ARGV[1]) return redis.pcall('HGET', KEYS[1], 'f')",
                                    [](ScriptContext& redis) -> ScriptResult {
                                      redis.call("SET", redis.key(1), redis.argument(1));
                                      return redis.pcall("HGET", redis.key(1), "f");
                                    }};

constexpr RedisScript kBackToNil{
    "nil-is-false", "if redis.call('GET', KEYS[1]) == false then return 'false' else return 'other' end",
    [](ScriptContext& redis) -> ScriptResult { return redis.call("GET", redis.key(1)).is_nil() ? "false" : "other"; }};
constexpr RedisScript kReturnFalse{"return-false", "return false",
                                   [](ScriptContext&) -> ScriptResult { return false; }};
constexpr RedisScript kReturnNil{"return-nil", "return nil", [](ScriptContext&) { return ScriptResult::nil(); }};
constexpr RedisScript kReturnTrue{"return-true", "return true", [](ScriptContext&) -> ScriptResult { return true; }};
constexpr RedisScript kReturnFraction{"return-3.99", "return 3.99",
                                      [](ScriptContext&) { return ScriptResult::number(3.99); }};
constexpr RedisScript kReturnNegative{"return--3.99", "return -3.99",
                                      [](ScriptContext&) { return ScriptResult::number(-3.99); }};
constexpr RedisScript kReturnCut{
    "return-cut", "return {1, 'two', false, true, 3.99, {4, nil, 5}, nil, 6}", [](ScriptContext&) {
      return ScriptResult::array({1, "two", false, true, ScriptResult::number(3.99),
                                  ScriptResult::array({4, ScriptResult::nil(), 5}), ScriptResult::nil(), 6});
    }};
constexpr RedisScript kReturnStatus{
    "return-status", "return redis.call('SET', KEYS[1], ARGV[1])",
    [](ScriptContext& redis) -> ScriptResult { return redis.call("SET", redis.key(1), redis.argument(1)); }};
constexpr RedisScript kReturnAll{
    "return-all", "return redis.call('LRANGE', KEYS[1], 0, -1)",
    [](ScriptContext& redis) -> ScriptResult { return redis.call("LRANGE", redis.key(1), 0, -1); }};

// One command chosen by the caller, its name in the first argument.
constexpr RedisScript kCall{"call", "return redis.call(unpack(ARGV))", [](ScriptContext& redis) -> ScriptResult {
                              const auto& a = redis;
                              switch (redis.argument_count()) {
                                case 1:
                                  return redis.call(a.argument(1));
                                case 2:
                                  return redis.call(a.argument(1), a.argument(2));
                                case 3:
                                  return redis.call(a.argument(1), a.argument(2), a.argument(3));
                                case 4:
                                  return redis.call(a.argument(1), a.argument(2), a.argument(3), a.argument(4));
                                default:
                                  return redis.call(a.argument(1), a.argument(2), a.argument(3), a.argument(4),
                                                    a.argument(5));
                              }
                            }};

// Sets a deadline that has come, then looks: within a script the clock stands still.
constexpr RedisScript kFrozen{"frozen",
                              "redis.call('SET', KEYS[1], 'v', 'PX', 1) local seen = {redis.call('PTTL', KEYS[1])} "
                              "seen[2] = redis.call('GET', KEYS[1]) seen[3] = redis.call('TIME')[2] return seen",
                              [](ScriptContext& redis) -> ScriptResult {
                                redis.call("SET", redis.key(1), "v", "PX", 1);
                                const RedisReply ttl = redis.call("PTTL", redis.key(1));
                                const RedisReply value = redis.call("GET", redis.key(1));
                                const RedisReply time = redis.call("TIME");
                                return ScriptResult::array({ttl, value, time.elements()[1]});
                              }};

// Acquire of a reentrant hash lock: nil when taken, else the remaining time.
constexpr RedisScript kReentrant{
    "reentrant",
    "if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then "
    "redis.call('HINCRBY', KEYS[1], ARGV[2], 1) redis.call('PEXPIRE', KEYS[1], ARGV[1]) return nil "
    "end return redis.call('PTTL', KEYS[1])",
    [](ScriptContext& redis) -> ScriptResult {
      if (redis.call("EXISTS", redis.key(1)).integer() == 0 ||
          redis.call("HEXISTS", redis.key(1), redis.argument(2)).integer() == 1) {
        redis.call("HINCRBY", redis.key(1), redis.argument(2), 1);
        redis.call("PEXPIRE", redis.key(1), redis.argument(1));
        return ScriptResult::nil();
      }
      return redis.call("PTTL", redis.key(1));
    }};

constexpr const RedisScript* kScripts[] = {&kRelease,        &kSetThenFail, &kSetThenPcall, &kBackToNil,
                                           &kReturnFalse,    &kReturnNil,   &kReturnTrue,   &kReturnFraction,
                                           &kReturnNegative, &kReturnCut,   &kReturnStatus, &kReturnAll,
                                           &kCall,           &kFrozen,      &kReentrant};

}  // namespace

std::span<const RedisScript* const> redis_lab_scripts() { return kScripts; }

}  // namespace picklock
