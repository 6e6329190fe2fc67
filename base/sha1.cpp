#include "base/sha1.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace picklock {
namespace {

using Digest = std::array<std::uint32_t, 5>;

void add_block(const char* block, Digest& digest) {
  std::array<std::uint32_t, 80> words{};
  for (std::size_t i = 0; i < 64; ++i) words[i / 4] = words[i / 4] << 8 | static_cast<unsigned char>(block[i]);
  for (std::size_t i = 16; i < 80; ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  auto [a, b, c, d, e] = digest;
  for (std::size_t i = 0; i < 80; ++i) {
    const std::uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5A827999U
                                : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1U
                                : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDCU
                                         : (b ^ c ^ d) + 0xCA62C1D6U;
    const std::uint32_t next = std::rotl(a, 5) + mixed + e + words[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  const Digest added = {a, b, c, d, e};
  for (std::size_t i = 0; i < digest.size(); ++i) digest[i] += added[i];
}

}  // namespace

std::string sha1_hex(std::string_view text) {
  Digest digest = {0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};
  std::string padded(text);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift & 255);
  for (std::size_t at = 0; at < padded.size(); at += 64) add_block(padded.data() + at, digest);

  constexpr std::string_view kHex = "0123456789abcdef";
  std::string hex;
  for (const std::uint32_t word : digest) {
    for (int shift = 28; shift >= 0; shift -= 4) hex += kHex[word >> shift & 15];
  }
  return hex;
}

}  // namespace picklock
