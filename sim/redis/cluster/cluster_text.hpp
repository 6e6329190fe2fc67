// Packets and the stored configuration in bytes, and the keys of a command.
#pragma once

#include <string>
#include <string_view>

#include "sim/redis/cluster/cluster_node.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {

void encode(const ClusterPacket& packet, std::string& to);  // appends; of digests and pictures
void encode(const ClusterStore& store, std::string& to);
ClusterStore decode_store(std::string_view bytes);

// Slot that the keys of a command lie in: none if it has no key, kSeveral if they lie in different ones.
inline constexpr std::uint32_t kNoSlot = ~std::uint32_t{0}, kSeveralSlots = kNoSlot - 1;
std::uint32_t slot_of(const RedisCommandView& command);
constexpr std::uint32_t slot_of_both(std::uint32_t a, std::uint32_t b) {
  return a == kNoSlot || a == b ? b : b == kNoSlot ? a : kSeveralSlots;
}

}  // namespace picklock
