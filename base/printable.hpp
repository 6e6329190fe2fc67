// Foreign text for a terminal: what would steer it is written as an escape.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace picklock {

// The length of the well-formed UTF-8 sequence at the beginning of `text`, which is not empty; or 0 (Unicode, table 3-7).
std::size_t utf8_sequence(std::string_view text);

// Control characters (U+0000 to U+001F, U+007F to U+009F) and bytes that are not UTF-8 become \xNN, a line break \n.
std::string printable(std::string_view text);

// The same for text of several lines: its line breaks stay.
std::string printable_lines(std::string_view text);

}  // namespace picklock
