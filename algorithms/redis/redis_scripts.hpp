// The scripts by which a Redis lock touches its key only while the key is its own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/task/redis.hpp"

namespace picklock {

extern const RedisScript kDeleteIfEquals;   // KEYS key, ARGV value: 1 if deleted, else 0
extern const RedisScript kExpireIfEquals;   // KEYS key, ARGV value, ms: 1 if prolonged, else 0
extern const RedisScript kProlongIfEquals;  // KEYS key, ARGV value, ms: 1 if its TTL is now longer by ms, else 0
extern const RedisScript kSpringObtain;     // KEYS key, ARGV value, ms: 1 if it was absent or has the value, else nil
extern const RedisScript kExpireOrSet;      // the same, and sets the key if it is gone
extern const RedisScript kSetWithToken;     // KEYS key, counter, ARGV value, ms: a token, or nil

// All scripts that the locks send by name; a simulated server must know them.
std::span<const RedisScript* const> redis_scripts();

// A value that no other attempt has: 64 random bits in 13 characters.
class OwnerValue {
 public:
  explicit OwnerValue(const Host& host);
  std::string_view view() const { return {letters_, sizeof letters_}; }

  static constexpr std::size_t kLetters = 13;  // number of letters, 5 bits each

 private:
  char letters_[kLetters];
};
inline std::string owner_value(const Host& host) { return std::string(OwnerValue(host).view()); }

// Outcome<>: yes if the script answers 1.
inline auto delete_if_equals(const Redis& redis, std::string_view key, std::string_view value) {
  return redis.eval_yes(kDeleteIfEquals, key, value);
}
inline auto expire_if_equals(const Redis& redis, std::string_view key, std::string_view value,
                             const RedisNumber& ttl_ms) {
  return redis.eval_yes(kExpireIfEquals, key, value, ttl_ms);
}
inline auto expire_if_equals(const Redis& redis, std::string_view key, std::string_view value, Duration ttl) {
  return expire_if_equals(redis, key, value, RedisNumber(ttl.ms()));
}
inline auto expire_or_set(const Redis& redis, std::string_view key, std::string_view value, const RedisNumber& ttl_ms) {
  return redis.eval_yes(kExpireOrSet, key, value, ttl_ms);
}
inline auto spring_obtain(const Redis& redis, std::string_view key, std::string_view id, Duration ttl) {
  const std::string ms = std::to_string(ttl.ms());
  return redis.eval(kSpringObtain, {key}, {id, ms});
}
inline auto set_with_token(const Redis& redis, std::string_view key, std::string_view counter, std::string_view value,
                           Duration ttl) {
  const std::string ms = std::to_string(ttl.ms());
  return redis.eval(kSetWithToken, {key, counter}, {value, ms});
}

// The reply of a script that answers 1 or 0, where it was sent as any command is.
inline Outcome<> yes_if_one(const Outcome<RedisReply>& reply) {
  if (reply.yes()) return reply.value().integer() == 1 ? Outcome<>::of({}) : Outcome<>::refusal();
  return reply.unknown() ? Outcome<>::unknown_because(reply.why()) : Outcome<>::refusal(reply.why(), reply.error());
}

}  // namespace picklock
