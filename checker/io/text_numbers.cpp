#include "checker/io/text_numbers.hpp"

#include <algorithm>
#include <charconv>

namespace picklock {

std::optional<std::int64_t> integer_in(std::string_view characters) {
  std::int64_t number = 0;
  const char* const end = characters.data() + characters.size();
  const auto [stop, error] = std::from_chars(characters.data(), end, number);
  if (characters.empty() || error != std::errc{} || stop != end) return std::nullopt;
  if (std::to_string(number) != characters) return std::nullopt;
  return number;
}

std::string with_numbers_for_texts(std::string_view edn) {
  std::string out;
  for (std::size_t at = 0; at < edn.size();) {
    std::size_t end = at + 1;
    if (edn[at] == '\\') {  // a character, which may be a quote
      end = std::min(at + 2, edn.size());
    } else if (edn[at] == '"') {
      for (; edn[end] != '"'; ++end) end += edn[end] == '\\' ? 1 : 0;
      ++end;
      const std::string_view characters = edn.substr(at + 1, end - at - 2);
      if (integer_in(characters)) {
        out += characters;
        at = end;
        continue;
      }
    }
    out += edn.substr(at, end - at);
    at = end;
  }
  return out;
}

}  // namespace picklock
