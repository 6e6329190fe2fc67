#include "sim/core/mix.hpp"

#include <cstring>

namespace picklock {

std::uint64_t hash_bytes(std::string_view bytes) {
  std::uint64_t h = kGolden * (bytes.size() + 1);
  while (bytes.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    h = (h ^ word) * 0xd6e8feb86659fd93;
    h ^= h >> 32;
    bytes.remove_prefix(8);
  }
  std::uint64_t rest = 0;
  if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
  return mix(h ^ rest);
}

}  // namespace picklock
