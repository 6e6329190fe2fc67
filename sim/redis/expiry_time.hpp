// Deadlines as commands spell them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/redis/call.hpp"
#include "sim/redis/errors.hpp"
#include "sim/redis/text.hpp"

namespace picklock {

struct ExpiryUnit {
  bool seconds = false;   // unit: seconds; otherwise milliseconds
  bool relative = false;  // a duration from now; else a point of wall-clock time
};

// The deadline of SET .. EX and its kin, in ms: a positive time that fits; else nothing.
inline std::optional<std::int64_t> set_deadline(const RedisCall& call, std::size_t argument, ExpiryUnit unit) {
  std::int64_t time = 0;
  if (!call.command.integer(argument, time) || time <= 0 ||
      (unit.seconds && __builtin_mul_overflow(time, std::int64_t{1000}, &time)) ||
      (unit.relative && __builtin_add_overflow(time, call.now_ms, &time))) {
    return std::nullopt;
  }
  return time;
}

// Error that explains why there is no deadline.
inline RedisReply no_set_deadline(const RedisCall& call, std::size_t argument, std::string_view command) {
  std::int64_t time = 0;
  return call.command.integer(argument, time) ? redis_error::invalid_expire_time(command)
                                              : redis_error::not_an_integer();
}

}  // namespace picklock
