// The costs of locks: the rows of docs/costs.md, each the outcome of a command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/run/costs.hpp"

namespace picklock::live {

struct CostRow {
  std::string what, scenario, command;
  Costs costs;
};
std::vector<CostRow> cost_rows();

// The rows of one scenario, in Markdown, and below them their commands.
std::string cost_table(const std::vector<CostRow>& rows, std::string_view scenario);

}  // namespace picklock::live
