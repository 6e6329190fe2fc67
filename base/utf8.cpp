#include "base/utf8.hpp"

#include <cstddef>

namespace picklock {

bool valid_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::size_t i = 0;
  while (i < text.size()) {
    const unsigned first = byte(i);
    if (first < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length == 0 || text.size() - i < length) return false;
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xc0u) != 0x80u) return false;
    }
    const unsigned second = byte(i + 1);
    if (first == 0xe0 && second < 0xa0) return false;   // overlong
    if (first == 0xed && second >= 0xa0) return false;  // a surrogate
    if (first == 0xf0 && second < 0x90) return false;   // overlong
    if (first == 0xf4 && second >= 0x90) return false;  // the code point is above U+10FFFF
    i += length;
  }
  return true;
}

void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto push = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    push(code_point);
  } else if (code_point < 0x800) {
    push(0xc0u | (code_point >> 6));
    push(0x80u | (code_point & 0x3fu));
  } else if (code_point < 0x10000) {
    push(0xe0u | (code_point >> 12));
    push(0x80u | ((code_point >> 6) & 0x3fu));
    push(0x80u | (code_point & 0x3fu));
  } else {
    push(0xf0u | (code_point >> 18));
    push(0x80u | ((code_point >> 12) & 0x3fu));
    push(0x80u | ((code_point >> 6) & 0x3fu));
    push(0x80u | (code_point & 0x3fu));
  }
}

}  // namespace picklock
