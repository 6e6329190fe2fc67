// Lists for the terminal, in lines of at most 100 columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/json.hpp"

namespace picklock {

// A line for each entry, "name  summary", and its details below it.  A variant that stands below its scenario is shown
// by the part of its name behind the '/'.
std::string list_table(const std::vector<ListEntry>& entries, bool with_details);

// The text in lines of at most `width` characters, broken at blanks, and within words that are longer than a line.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

// Whether name, summary, source or tags of the entry have all these words in them; case is ignored.
bool matches(const ListEntry& entry, const std::vector<std::string>& words);

}  // namespace picklock
