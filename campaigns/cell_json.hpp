// The result of a chunk as JSON. Equal results have equal texts.
#pragma once

#include <string>

#include "campaigns/sweep.hpp"

namespace picklock {

std::string cell_json(const CellResult& result);
// Throws std::runtime_error if the text is not of this form.
CellResult read_cell_json(const std::string& text);

}  // namespace picklock
