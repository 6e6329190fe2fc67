// Settings in which two scenarios differ.
#pragma once

#include <string>
#include <vector>

#include "scenarios/file/scenario.hpp"

namespace picklock {

struct SettingDifference {
  std::string path;  // "lock.ttl", "faults[0].lasts", as --set has them
  std::string a, b;  // values as in a file; empty: that scenario has no such setting
  bool operator==(const SettingDifference&) const = default;
};

// Lists them in the order of the file. Expectations, names and descriptions are no settings.
std::vector<SettingDifference> differences(const Scenario& a, const Scenario& b);

}  // namespace picklock
