// The table of services, and what they have in common.

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/services/etcd/etcd_service.hpp"
#include "scenarios/services/redis/redis_service.hpp"
#include "scenarios/services/service.hpp"
#include "scenarios/services/zookeeper/zookeeper_service.hpp"

namespace picklock {
namespace {

std::vector<const ServiceKind*>& table() {
  static std::vector<const ServiceKind*> kinds = {
      &kRedisService,
      &kEtcdService,
      &kZooKeeperService,
  };
  return kinds;
}

}  // namespace

std::span<const ServiceKind* const> services() { return table(); }

const ServiceKind* find_service(std::string_view name) {
  const auto found = std::find_if(table().begin(), table().end(), [&](const auto* k) { return k->name == name; });
  return found == table().end() ? nullptr : *found;
}

const OwnershipRule* ownership_rule_of(const LockKind& kind) {
  const ServiceKind* const service = find_service(kind.service);
  return service == nullptr ? nullptr : find_rule(service->ownership_rules, kind.ownership);
}

const ServiceTable* find_service_table(std::string_view name) {
  for (const ServiceKind* const kind : table()) {
    for (const ServiceTable& t : kind->tables) {
      if (t.name == name) return &t;
    }
  }
  return nullptr;
}

bool add_service(const ServiceKind& kind) {
  const bool taken = find_service(kind.name) != nullptr ||
                     std::any_of(kind.tables.begin(), kind.tables.end(),
                                 [](const ServiceTable& t) { return find_service_table(t.name) != nullptr; });
  if (!taken) table().push_back(&kind);
  return !taken;
}

void Deployment::check(std::span<const NamedLock>, std::vector<ScenarioProblem>&) const {}
void Deployment::first_heard(std::vector<std::int64_t>&) const {}
std::unique_ptr<ServerViews> Deployment::views_of(std::uint32_t, const std::string&) const { return nullptr; }
void Deployment::measure(const World&, ExecutedFaults&) const {}

std::vector<NodeId> Deployment::add_machines(std::string_view name, std::int64_t count) {
  std::vector<NodeId> nodes;
  for (std::int64_t i = 1; i <= count; ++i) nodes.push_back(add_machine(fmt::format("{}{}", name, i)));
  return nodes;
}

}  // namespace picklock
