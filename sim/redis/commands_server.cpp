#include "sim/redis/commands.hpp"
#include "sim/redis/errors.hpp"
#include "sim/redis/session.hpp"

namespace picklock {

RedisReply redis_ping(RedisCall& call) {
  if (call.argc() > 2) return redis_error::wrong_arity("ping");
  const std::string_view message = call.arg(1);
  if (call.session.is_limited_to_subscriptions()) {
    return RedisReply::array({RedisReply::bulk("pong"), RedisReply::bulk(message)});
  }
  return call.argc() == 2 ? RedisReply::bulk(message) : RedisReply::status("PONG");
}

RedisReply redis_echo(RedisCall& call) { return RedisReply::bulk(call.arg(1)); }

// Seconds and microseconds; the model's clock counts milliseconds.
RedisReply redis_time(RedisCall& call) {
  return RedisReply::array({RedisReply::bulk(std::to_string(call.now_ms / 1000)),
                            RedisReply::bulk(std::to_string(call.now_ms % 1000 * 1000))});
}

}  // namespace picklock
