// The reference of all keys of a scenario, from the fields themselves.
#pragma once

#include <string>

namespace picklock {

// Markdown: a table for each part, and for each kind of lock, workload and fault.
std::string describe_scenario_keys();

}  // namespace picklock
