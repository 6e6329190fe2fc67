// A reply in its bytes, written where they leave from.
#pragma once

#include "sim/redis/wire.hpp"
#include "sim/task/bytes.hpp"

namespace picklock {

inline Bytes encoded(const RedisReply& reply, Arena& arena) {
  Bytes bytes(arena, encoded_size(reply));
  encode(reply, bytes.data());
  return bytes;
}

}  // namespace picklock
