// A sweep as a table for people, as tidy CSV and as JSON.
#pragma once

#include <string>

#include "campaigns/sweep.hpp"

namespace picklock {

std::string sweep_text(const SweepTable& sweep);
// A row for each cell and property. Units stand in the names of the columns; a figure that does not exist is empty.
std::string sweep_csv(const SweepTable& sweep);
// Writes null for a figure that does not exist.
std::string sweep_json(const SweepTable& sweep);

}  // namespace picklock
