// Messages that a master sends to a replica without being asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/redis/replication_stream.hpp"

namespace picklock {

struct RedisLinkMessage {
  enum class Kind : std::uint8_t {
    nothing,   // "I live": to a replica that waits for a snapshot
    goes_on,   // `id`; units follow
    snapshot,  // all keys up to `offset` of the stream `id`, as a log; units follow
    unit       // a unit of the stream, which begins at `offset` there
  };
  Kind kind = Kind::nothing;
  ReplicationId id;
  std::int64_t offset = 0;
  std::string data;
  bool operator==(const RedisLinkMessage&) const = default;
};

void encode(const RedisLinkMessage& message, std::string& to);  // appends
std::optional<RedisLinkMessage> decode_link_message(std::string_view bytes);

}  // namespace picklock
