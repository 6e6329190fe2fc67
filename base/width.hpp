// Columns that a text takes on a terminal: two for a wide character of East Asia or an emoji, none for a combining mark.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace picklock {

struct Character {
  std::string_view bytes;  // UTF-8; an invalid byte stands alone
  std::size_t columns = 1;
};
std::vector<Character> characters_of(std::string_view text);

std::size_t columns_of(std::string_view text);
// Adds blanks behind the text, up to `columns` columns.
std::string padded(std::string_view text, std::size_t columns);
// Number of bytes of the longest beginning that takes at most `columns` columns; whole characters.
std::size_t bytes_within(std::string_view text, std::size_t columns);

}  // namespace picklock
