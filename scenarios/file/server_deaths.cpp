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

bool is_of_clock(const Fault& fault) { return std::string_view(fault.kind).starts_with("clock-"); }

// Does it more than stop a client, or boot one?
bool is_of_service(const Scenario& scenario, const Fault& fault) {
  const auto node = node_stopped_by(fault);
  return !node || is_server(scenario, *node);
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

bool may_leave_unanswered(const Scenario& scenario) {
  return std::any_of(scenario.faults.begin(), scenario.faults.end(),
                     [&](const Fault& f) { return !is_of_clock(f) && is_of_service(scenario, f); });
}

bool may_disturb_service(const Scenario& scenario) {
  return std::any_of(scenario.faults.begin(), scenario.faults.end(),
                     [&](const Fault& f) { return is_of_service(scenario, f); });
}

}  // namespace picklock
