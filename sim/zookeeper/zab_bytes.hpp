// ZAB's messages as they travel between servers: packed, with the head beside as the sender knows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/task/bytes.hpp"
#include "sim/zookeeper/zab/message.hpp"

namespace picklock {

struct KnownZabHead {
  ZabMessageHead head;
  std::uint32_t size;  // of the packed form; the rest is the body
};

[[gnu::always_inline]] inline Bytes pack(const ZabMessage& message, Arena& arena) {
  ZabPackedHead head;
  pack(message, head);
  const std::string_view packed = head.view(), body = message.body;
  const KnownZabHead known{message, static_cast<std::uint32_t>(packed.size())};
  Bytes bytes = Bytes::knowing(arena, known, packed.size() + body.size());
  copy_short(bytes.data(), packed.data(), packed.size());
  if (!body.empty()) copy_short(bytes.data() + packed.size(), body.data(), body.size());
  return bytes;
}

// What its sender knew of it, or else what its bytes say; nothing if they say nothing.
[[gnu::always_inline]] inline std::optional<ZabPacket> unpack(const Bytes& bytes) {
  if (const auto* const known = bytes.known<KnownZabHead>()) {
    return std::make_optional<ZabPacket>(known->head, bytes.view().substr(known->size));
  }
  std::optional<ZabPacket> packet;
  if (!decode(bytes.view(), packet.emplace())) packet.reset();
  return packet;
}

}  // namespace picklock
