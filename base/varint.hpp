// Variable-length integers (LEB128) in plain memory: seven bits a byte, the lowest first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace picklock {

inline std::size_t varint_size(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 128; value >>= 7) ++size;
  return size;
}

inline char* put_varint(char* to, std::uint64_t value) {
  for (; value >= 128; value >>= 7) *to++ = static_cast<char>(value | 128);
  *to++ = static_cast<char>(value);
  return to;
}

// Takes a varint off the front. False if there is none, or it exceeds 64 bits.
inline bool take_varint(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  unsigned shift = 0;
  if (bytes.size() >= sizeof value && std::endian::native == std::endian::little) {  // eight bytes at once
    std::uint64_t w;
    std::memcpy(&w, bytes.data(), sizeof w);
    constexpr std::uint64_t kLasts = 0x8080808080808080;
    const std::uint64_t lasts = ~w & kLasts;  // the number ends with the byte of the lowest of these bits
    const bool ends = lasts != 0;
    if (ends) w &= lasts ^ (lasts - 1);
    w &= ~kLasts;  // eight times seven bits, which now move together
    w = (w & 0x007f007f007f007f) | (w & 0x7f007f007f007f00) >> 1;
    w = (w & 0x00003fff00003fff) | (w & 0x3fff00003fff0000) >> 2;
    value = (w & 0x000000000fffffff) | (w & 0x0fffffff00000000) >> 4;
    bytes.remove_prefix(ends ? static_cast<std::size_t>(std::countr_zero(lasts)) / 8 + 1 : sizeof w);
    if (ends) return true;
    shift = 56;
  }
  for (; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (shift == 63 && byte > 1) return false;
    value |= static_cast<std::uint64_t>(byte & 127U) << shift;
    if (byte < 128) return true;
  }
  return false;
}

// A text behind its length.
inline bool take_text(std::string_view& bytes, std::string_view& text) {
  if (bytes.empty()) return false;
  std::uint64_t size = static_cast<unsigned char>(bytes.front());
  if (size < 128) {  // nearly always
    bytes.remove_prefix(1);
  } else if (!take_varint(bytes, size)) {
    return false;
  }
  if (size > bytes.size()) return false;
  text = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return true;
}

// Signed numbers as unsigned ones that are small if their magnitude is.
inline std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

inline std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

}  // namespace picklock
