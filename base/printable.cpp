#include "base/printable.hpp"

#include <fmt/format.h>

#include <iterator>

namespace picklock {
namespace {

std::string escaped(std::string_view text, bool keep_breaks) {
  std::string out;
  out.reserve(text.size());
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  while (!text.empty()) {
    const std::size_t length = utf8_sequence(text);
    const bool control = byte(0) < 0x20 || byte(0) == 0x7f || (length == 2 && byte(0) == 0xc2 && byte(1) < 0xa0);
    const std::size_t taken = length == 0 ? 1 : length;
    if (text[0] == '\n') {
      out += keep_breaks ? "\n" : "\\n";
    } else if (control || length == 0) {
      for (std::size_t i = 0; i < taken; ++i) fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte(i));
    } else {
      out += text.substr(0, taken);
    }
    text.remove_prefix(taken);
  }
  return out;
}

}  // namespace

std::size_t utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                     (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return wrong ? 0 : length;
}

std::string printable(std::string_view text) { return escaped(text, false); }

std::string printable_lines(std::string_view text) { return escaped(text, true); }

}  // namespace picklock
