// A listing as a page in Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/listing.hpp"

namespace picklock {

// A table for each group, or one; below it a section for each entry, if any has options.
std::string list_page(const Listing& listing, const std::vector<Listed>& entries);

// The text of a table's cell: a bar would end it.
std::string cell(std::string_view text);

}  // namespace picklock
