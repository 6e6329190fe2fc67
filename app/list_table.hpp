// Lists for the terminal, in lines of at most 100 columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/listing.hpp"

namespace picklock {

// A line for each entry, "name  summary", and its details below it.  A variant that stands below its scenario is shown
// by the part of its name behind the '/'.
std::string list_table(const std::vector<ListEntry>& entries);

// Each group that has some of the entries, but not all of them, has a line: name, count, meaning, and the entry with the shortest
// name as an example, or all names below it.  The table is empty if no group divides the entries.
enum class Members { one_example, all_names };
std::string group_table(const std::vector<ListGroup>& groups, const std::vector<Listed>& entries, Members members);

// The text in lines of at most `width` characters, broken at blanks, and within words that are longer than a line.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace picklock
