// A reply in its bytes, written where they leave from, and before them what its receiver would read from them.
#pragma once

#include "sim/redis/wire.hpp"
#include "sim/task/payload.hpp"

namespace picklock {

Payload encoded_in_full(const RedisReply& reply, Arena& arena);  // not a nil

inline Payload encoded(const RedisReply& reply, Arena& arena) {
  if (!reply.is_nil()) return encoded_in_full(reply, arena);
  Payload nil = Payload::knowing(arena, RedisKnownReply{RedisReply::Kind::nil, 1, 0}, 1);  // mostly: a lock that polls
  *nil.data() = static_cast<char>(RedisReply::Kind::nil);
  return nil;
}

// What its sender knew, or else its content.
inline RedisReply decoded(const Payload& bytes) {
  const auto* const known = bytes.known<RedisKnownReply>();
  return known != nullptr ? RedisAnswer(*known, bytes.view()).reply() : decode_redis_reply(bytes.view());
}

}  // namespace picklock
