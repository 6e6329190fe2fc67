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
  bool seconds = false;   // else milliseconds
  bool relative = false;  // to now; else a point of wall-clock time
};

// The deadline of SET .. EX and its kin, in ms: a positive time that does not overflow, or an error.
inline std::optional<RedisReply> parse_set_deadline(const RedisCall& call, std::size_t argument, ExpiryUnit unit,
                                                    std::string_view command, std::int64_t& deadline_ms) {
  std::int64_t time = 0;
  if (!call.command.integer(argument, time)) return redis_error::not_an_integer();
  if (time <= 0 || (unit.seconds && __builtin_mul_overflow(time, std::int64_t{1000}, &time)) ||
      (unit.relative && __builtin_add_overflow(time, call.now_ms, &time))) {
    return redis_error::invalid_expire_time(command);
  }
  deadline_ms = time;
  return std::nullopt;
}

}  // namespace picklock
