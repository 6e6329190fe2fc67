#include "faults/planned_deaths.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace picklock {
namespace {

// Reads the node of a fault, and the fields that visit_death names.
struct DeathReader {
  void operator()(const FieldInfo& f, bool& v) {
    if (f.name == "stays") death.stays = v;
  }
  void operator()(const FieldInfo& f, std::string& v) {
    if (f.name == "node") death.node = v;
  }
  PlannedDeath death;
};

PlannedDeath read(const Fault& fault) {
  AnyOptions options = fault.options;
  DeathReader reader;
  visit_fields(options, reader);
  return std::move(reader.death);
}

}  // namespace

std::vector<PlannedDeath> planned_deaths(const FaultPlan& plan) {
  std::vector<PlannedDeath> all;
  for (const Fault& fault : plan) {
    if (fault.kind != "kill" && fault.kind != "power-loss") continue;
    all.push_back(read(fault));
  }
  return all;
}

std::optional<std::string> node_stopped_by(const Fault& fault) {
  constexpr std::array<std::string_view, 5> kStopping = {"pause", "freeze", "kill", "power-loss", "restart"};
  if (std::find(kStopping.begin(), kStopping.end(), fault.kind) == kStopping.end()) return std::nullopt;
  return read(fault).node;
}

}  // namespace picklock
