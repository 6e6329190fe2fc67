#include "base/width.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace picklock {
namespace {

struct Range {
  std::uint32_t first, last;
};

// Sources: Unicode's EastAsianWidth (W and F), and its general categories Mn and Me for the most used scripts.
constexpr std::array<Range, 17> kWide = {{{0x1100, 0x115f},
                                          {0x231a, 0x231b},
                                          {0x2329, 0x232a},
                                          {0x23e9, 0x23ec},
                                          {0x2e80, 0x303e},
                                          {0x3041, 0xa4cf},
                                          {0xa960, 0xa97c},
                                          {0xac00, 0xd7a3},
                                          {0xf900, 0xfaff},
                                          {0xfe10, 0xfe19},
                                          {0xfe30, 0xfe6f},
                                          {0xff01, 0xff60},
                                          {0xffe0, 0xffe6},
                                          {0x1f300, 0x1f64f},
                                          {0x1f680, 0x1f6ff},
                                          {0x1f900, 0x1f9ff},
                                          {0x20000, 0x3fffd}}};
constexpr std::array<Range, 10> kNone = {{{0x0300, 0x036f},
                                          {0x0483, 0x0489},
                                          {0x0591, 0x05bd},
                                          {0x064b, 0x065f},
                                          {0x0e31, 0x0e31},
                                          {0x0e34, 0x0e3a},
                                          {0x1ab0, 0x1aff},
                                          {0x200b, 0x200f},
                                          {0x20d0, 0x20ff},
                                          {0xfe00, 0xfe0f}}};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, std::uint32_t code_point) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [=](const Range& r) { return r.first <= code_point && code_point <= r.last; });
}

std::size_t columns_of(std::uint32_t code_point) {
  if (code_point < 0x300) return 1;
  return is_in(kNone, code_point) ? 0 : is_in(kWide, code_point) ? 2 : 1;
}

Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t first = byte(0);
  const std::size_t length = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 1;
  if (length == 1 || length > text.size()) return {text.substr(0, 1), 1};
  std::uint32_t code_point = first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0u) != 0x80u) return {text.substr(0, 1), 1};
    code_point = code_point << 6 | (byte(i) & 0x3fu);
  }
  return {text.substr(0, length), columns_of(code_point)};
}

}  // namespace

std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> all;
  while (!text.empty()) {
    all.push_back(first_of(text));
    text.remove_prefix(all.back().bytes.size());
  }
  return all;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Character c = first_of(text);
    columns += c.columns;
    text.remove_prefix(c.bytes.size());
  }
  return columns;
}

std::string padded(std::string_view text, std::size_t columns) {
  const std::size_t taken = columns_of(text);
  return std::string(text) + std::string(columns > taken ? columns - taken : 0, ' ');
}

std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const Character c = first_of(text.substr(bytes));
    if (c.columns > columns) break;
    columns -= c.columns;
    bytes += c.bytes.size();
  }
  return bytes;
}

}  // namespace picklock
