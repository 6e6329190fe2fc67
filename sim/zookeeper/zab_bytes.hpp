// ZAB's messages as they travel between servers: packed, with the head beside as the sender knows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/task/payload.hpp"
#include "sim/zookeeper/zab/message.hpp"

namespace picklock {

[[gnu::always_inline]] inline Payload pack(const ZabMessage& message, Arena& arena) {
  const std::string_view body = message.body;
  Payload bytes = Payload::knowing(arena, static_cast<const ZabMessageHead&>(message), kZabHeadSize + body.size());
  pack_head(message, bytes.data());
  if (!body.empty()) copy_short(bytes.data() + kZabHeadSize, body.data(), body.size());
  return bytes;
}

// What its sender knew of it, or else what its bytes say; nothing if they say nothing.
[[gnu::always_inline]] inline std::optional<ZabPacket> unpack(const Payload& bytes) {
  if (const auto* const head = bytes.known<ZabMessageHead>()) {
    return std::make_optional<ZabPacket>(*head, bytes.view().substr(kZabHeadSize));
  }
  std::optional<ZabPacket> packet;
  if (!decode(bytes.view(), packet.emplace())) packet.reset();
  return packet;
}

}  // namespace picklock
