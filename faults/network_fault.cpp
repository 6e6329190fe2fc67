#include "faults/network_fault.hpp"

#include <algorithm>

namespace picklock {

int NetworkFault::weakness() const {
  const NetworkRule& rule = rules.front();
  switch (rule.fate) {
    case Fate::drop:
      return rule.out_of_million < 1'000'000 ? 2 : 0;
    case Fate::hold:
      return 1;
    case Fate::delay:
    case Fate::pass:
      break;
  }
  return 3;
}

void NetworkFault::install(World& world) {
  ids_.clear();
  for (const NetworkRule& rule : rules) ids_.push_back(world.network.install(rule));
}

void NetworkFault::uninstall(World& world) {
  for (const std::uint32_t id : ids_) world.network.uninstall(id);
}

// The network asks its rules in the order in which they were installed: the weaker ones are taken
// out and put in again behind the new one.
Injection NetworkFault::begin(World& world, FaultRun& run) {
  std::vector<NetworkFault*>& all = run.network;
  const auto place =
      std::find_if(all.begin(), all.end(), [&](const NetworkFault* other) { return other->weakness() > weakness(); });
  for (auto weaker = place; weaker != all.end(); ++weaker) (*weaker)->uninstall(world);
  for (auto each = all.insert(place, this); each != all.end(); ++each) (*each)->install(world);
  return Injection::lasting;
}

void NetworkFault::end(World& world, FaultRun& run) {
  std::erase(run.network, this);
  uninstall(world);
}

std::unique_ptr<NetworkFault> arm_rule(NetworkRule rule, std::string_view from, std::string_view to,
                                       std::optional<Law> lasts, PlanNames& names) {
  auto fault = std::make_unique<NetworkFault>();
  rule.from = names.nodes("from", from);
  rule.to = names.nodes("to", to);
  fault->rules.push_back(std::move(rule));
  fault->lasts = lasts;
  return fault;
}

}  // namespace picklock
