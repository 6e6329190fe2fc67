#include "scenarios/file/server_deaths.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace picklock {
namespace {

bool is_server(const Scenario& scenario, std::string_view node) {
  const bool client = std::any_of(scenario.clients.begin(), scenario.clients.end(),
                                  [&](const ClientSpec& c) { return node == c.name || node == c.machine_name(); });
  return !client && node != "storage";
}

}  // namespace

std::vector<PlannedDeath> server_deaths(const Scenario& scenario) {
  std::vector<PlannedDeath> all = planned_deaths(scenario.faults);
  std::erase_if(all, [&](const PlannedDeath& d) { return !is_server(scenario, d.node); });
  return all;
}

std::size_t servers_that_stay_dead(const Scenario& scenario) {
  std::set<std::string> dead;
  for (const PlannedDeath& d : server_deaths(scenario)) {
    if (d.stays) dead.insert(d.node);
  }
  return dead.size();
}

}  // namespace picklock
