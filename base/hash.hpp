// One hash serves all draws, names and digests.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/law.hpp"

namespace picklock {

inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

// The finalizer of splitmix64 (Steele, Lea, Flood 2014): a bijection whose output bits each depend on
// every input bit.
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return mix(mix(a + kGolden) ^ b); }

// Both halves of a product, one over the other (wyhash, Wang Yi): a step of a hash over many words.
inline std::uint64_t multiply_fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// hash_of("a.b") == hash_more(hash_of("a"), ".b").
constexpr std::uint64_t hash_more(std::uint64_t h, std::string_view text) {
  for (const char c : text) h = mix(h + kGolden) ^ static_cast<unsigned char>(c);
  return h;
}
constexpr std::uint64_t hash_of(std::string_view text) { return hash_more(kGolden, text); }

// hash_of(text), remembered for texts that are hashed again and again: paths, keys.
std::uint64_t remembered_hash_of(std::string_view text);

// Equal laws have equal hashes; every member enters it.
std::uint64_t hash_of(const Law& law);

// A fast hash of bytes for digests and fingerprints; the same on every platform of one endianness.
std::uint64_t hash_bytes(std::string_view bytes);

}  // namespace picklock
