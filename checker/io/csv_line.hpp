// CSV is recognised by a first line that names columns.
#pragma once

#include <optional>
#include <string_view>

namespace picklock {

// The separator of the columns that the line, without its end, names: a comma, a semicolon or a tab, whichever comes
// first. Nothing unless there are two names at least, each of letters, digits and _ - . : / in the first place a letter
// or _, perhaps in quotes.
std::optional<char> separator_of_header(std::string_view line);

}  // namespace picklock
