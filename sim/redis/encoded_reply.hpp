// A reply in its bytes, written where they leave from, and before them what its receiver would read from them.
#pragma once

#include "sim/redis/wire.hpp"
#include "sim/task/bytes.hpp"

namespace picklock {

inline Bytes encoded(const RedisReply& reply, Arena& arena) {
  constexpr char kNil = static_cast<char>(RedisReply::Kind::nil);  // mostly: what a polling lock is told
  if (reply.is_nil()) {
    Bytes nil = Bytes::knowing(arena, RedisKnownReply{RedisReply::Kind::nil, 1, 0}, 1);
    *nil.data() = kNil;
    return nil;
  }
  const std::size_t size = encoded_size(reply);
  const auto text = static_cast<std::uint32_t>(size - reply.text().size());
  Bytes bytes = reply.is_array() ? Bytes(arena, size)
                                 : Bytes::knowing(arena, RedisKnownReply{reply.kind(), text, reply.integer()}, size);
  encode(reply, bytes.data());
  return bytes;
}

// What its sender knew, or else its content.
inline RedisReply decoded(const Bytes& bytes) {
  const auto* const known = bytes.known<RedisKnownReply>();
  return known != nullptr ? RedisAnswer(*known, bytes.view()).reply() : decode_redis_reply(bytes.view());
}

}  // namespace picklock
