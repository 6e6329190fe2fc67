#include "algorithms/redis/redis_scripts.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/lock.hpp"
#include "algorithms/redisson/redis_scripts_redisson.hpp"

namespace picklock {
namespace {

bool is_owned(ScriptContext& redis) {
  const auto value = redis.get(redis.key(1));
  return value && *value == redis.argument(1);
}

constexpr std::string_view kNoNumber = "ERR attempt to perform arithmetic on field '?' (a string value)";

// Nothing: Lua's arithmetic refuses the text.  So are fractions and exponents here, which no caller sends.
std::optional<std::int64_t> lua_integer(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  if (first == text.npos) return std::nullopt;
  std::int64_t number = 0;
  const char* const end = text.data() + last + 1;
  const auto read = std::from_chars(text.data() + first, end, number);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace

const RedisScript kDeleteIfEquals = {"delete-if-equals",
                                     R"lua(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
)lua",
                                     [](ScriptContext& redis) -> ScriptResult {
                                       if (!is_owned(redis)) return 0;
                                       return redis.del(redis.key(1));
                                     }};

const RedisScript kExpireIfEquals = {"expire-if-equals",
                                     R"lua(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
)lua",
                                     [](ScriptContext& redis) -> ScriptResult {
                                       if (!is_owned(redis)) return 0;
                                       return redis.call("PEXPIRE", redis.key(1), redis.argument(2));
                                     }};

// A key without a TTL is left alone.
const RedisScript kProlongIfEquals = {"redis-py-extend",
                                      R"lua(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], left + ARGV[2])
)lua",
                                      [](ScriptContext& redis) -> ScriptResult {
                                        if (!is_owned(redis)) return 0;
                                        const std::int64_t left = redis.call("PTTL", redis.key(1)).integer();
                                        if (left < 0) return 0;
                                        const auto more = lua_integer(redis.argument(2));
                                        if (!more) return RedisReply::error(kNoNumber);
                                        return redis.call("PEXPIRE", redis.key(1), left + *more);
                                      }};

const RedisScript kSpringObtain = {"spring-obtain",
                                   R"lua(
local owner = redis.call('GET', KEYS[1])
if owner == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return true
elseif not owner then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return true
end
return false
)lua",
                                   [](ScriptContext& redis) -> ScriptResult {
                                     const auto owner = redis.get(redis.key(1));
                                     if (owner && *owner == redis.argument(1)) {
                                       redis.call("PEXPIRE", redis.key(1), redis.argument(2));
                                       return true;
                                     }
                                     if (owner) return false;
                                     redis.call("SET", redis.key(1), redis.argument(1), "PX", redis.argument(2));
                                     return true;
                                   }};

const RedisScript kExpireOrSet = {"expire-or-set",
                                  R"lua(
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return 1
end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
)lua",
                                  [](ScriptContext& redis) -> ScriptResult {
                                    const RedisReply set = redis.call("SET", redis.key(1), redis.argument(1), "NX",
                                                                      "PX", redis.argument(2));
                                    if (!set.is_nil()) return 1;
                                    if (!is_owned(redis)) return 0;
                                    return redis.call("PEXPIRE", redis.key(1), redis.argument(2));
                                  }};

// The token is drawn in the same step as the grant, so that tokens grow in the order of grants; and
// only by a grant, so that a refused attempt takes none.
const RedisScript kSetWithToken = {"set-with-token",
                                   R"lua(
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return false
end
return redis.call('INCR', KEYS[2])
)lua",
                                   [](ScriptContext& redis) -> ScriptResult {
                                     const RedisReply set = redis.call("SET", redis.key(1), redis.argument(1), "NX",
                                                                       "PX", redis.argument(2));
                                     if (set.is_nil()) return false;
                                     return redis.call("INCR", redis.key(2));
                                   }};

std::span<const RedisScript* const> redis_scripts() {
  static const std::vector<const RedisScript*> kAll = [] {
    std::vector<const RedisScript*> all = {&kDeleteIfEquals, &kExpireIfEquals, &kProlongIfEquals,
                                           &kSpringObtain,   &kExpireOrSet,    &kSetWithToken};
    for (const auto family : {redisson_scripts}) {
      all.insert(all.end(), family().begin(), family().end());
    }
    return all;
  }();
  return kAll;
}

namespace {

constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuv";

struct TwoDigits {
  char low, high;
};
constexpr auto kTwoDigits = [] {
  std::array<TwoDigits, 32 * 32> all{};
  for (std::size_t n = 0; n < all.size(); ++n) all[n] = {kDigits[n % 32], kDigits[n / 32]};
  return all;
}();

}  // namespace

OwnerValue::OwnerValue(const Host& host) {
  const std::uint64_t bits = host.random(Purpose::lock_value);
  // Written out: a polling lock comes here for every attempt.
  const auto write = [&]<std::size_t... i>(std::index_sequence<i...>) {
    (std::memcpy(letters_ + 2 * i, &kTwoDigits[bits >> 10 * i & 1023], sizeof(TwoDigits)), ...);
  };
  write(std::make_index_sequence<kLetters / 2>());
  letters_[kLetters - 1] = kDigits[bits >> 60];
}

}  // namespace picklock
