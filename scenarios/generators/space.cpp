#include "scenarios/generators/space.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/hash.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/services/service.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

constexpr std::size_t kMostDeadlines = 8;

void add_deadline(FaultSpace& space, DeadlineKind kind, Duration length) {
  const FaultSpace::Deadline deadline{kind, length};
  const bool known = std::find(space.deadlines.begin(), space.deadlines.end(), deadline) != space.deadlines.end();
  if (length.ns > 0 && !known && space.deadlines.size() < kMostDeadlines) {
    space.deadlines.push_back(deadline);
  }
}

// The lease comes first: it is the deadline that matters most.
void set_lease(FaultSpace& space, const LockKind& kind, const Options& options) {
  std::vector<FaultSpace::Deadline> others = std::move(space.deadlines);
  space.deadlines.clear();
  if (const auto lease = kind.lease(options)) add_deadline(space, DeadlineKind::lease, *lease);
  for (const FaultSpace::Deadline& d : others) {
    if (d.kind != DeadlineKind::lease) add_deadline(space, d.kind, d.length);
  }
  std::erase(space.tasks, "renewal");
  if (kind.claims.renewing) space.tasks.emplace_back("renewal");
}

// Tasks that clients ran, by name: those of client machines whose start the trace records, and that are called as some task
// that has drawn something.
void add_tasks(FaultSpace& space, const RunRecord& record) {
  const std::vector<std::string>& machines = record.machines();
  std::set<std::pair<NodeId, std::uint64_t>> started;
  for (const TraceRecord& r : record.full_trace()) {
    if (r.kind == trace::task_started) started.insert({r.node, r.b});
  }
  std::set<std::string> names;
  for (const FaultSpace::Node& n : space.nodes) {
    const auto found = std::find(machines.begin(), machines.end(), n.name);
    if (n.role != NodeRole::client || found == machines.end()) continue;
    const auto node = static_cast<NodeId>(found - machines.begin());
    for (const std::string& task : record.tasks) {
      if (started.contains({node, hash_of(task)})) names.insert(task);
    }
  }
  for (const std::string& name : names) {
    if (std::find(space.tasks.begin(), space.tasks.end(), name) == space.tasks.end()) space.tasks.push_back(name);
  }
}

void set_servers(FaultSpace& space, const Scenario& scenario, const LockKind& kind) {
  const ServiceKind* const service_kind = find_service(kind.service);
  if (service_kind == nullptr) return;
  const Options& options = *scenario.lock.options;
  const auto deployment =
      service_kind->make({scenario.services, kind, options, service_key(kind, scenario.lock.key), kind.lease(options)});
  const std::vector<std::string>& names = deployment->machines();
  space.nodes.clear();
  for (const std::string& name : names) space.nodes.push_back({name, NodeRole::server});
  space.nodes.push_back({"storage", NodeRole::storage});
  // Replicas and sentinels talk to masters and to each other.
  for (std::size_t i = deployment->independent_machines(); i < names.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) space.links.push_back({names[i], names[j]});
  }
}

void set_clients(FaultSpace& space, const std::vector<ClientSpec>& clients) {
  const std::vector<FaultSpace::Node> servers = space.nodes;
  space.threads.clear();
  for (const ClientSpec& c : clients) {
    const FaultSpace::Node machine{c.machine_name(), NodeRole::client};
    if (!c.machine.empty()) space.threads.push_back(c.name);
    if (std::find(space.nodes.begin(), space.nodes.end(), machine) != space.nodes.end()) continue;
    space.nodes.push_back(machine);
    for (const FaultSpace::Node& server : servers) space.links.push_back({machine.name, server.name});
  }
}

}  // namespace

void adapt(FaultSpace& space, const Scenario& scenario) {
  const LockKind* const kind = find_lock_kind(scenario.lock.name);
  space.run_length = scenario.phases.least_load();
  space.nodes.clear();
  space.links.clear();
  if (kind != nullptr) {
    Scenario complete = scenario;
    if (!complete.lock.options) complete.lock.options = AnyOptions(kind->default_options());
    set_lease(space, *kind, *complete.lock.options);
    set_servers(space, complete, *kind);
  }
  set_clients(space, scenario.clients);
}

FaultSpace fault_space_of(const Scenario& scenario) {
  FaultSpace space;
  Scenario calm = scenario;
  calm.faults.clear();
  auto compiled = Runner::compile(calm);
  if (auto* const runner = std::get_if<std::unique_ptr<Runner>>(&compiled)) {
    (*runner)->run(1, {.full_trace = true, .draws = true});
    std::set<Mark> marks;
    for (const TraceRecord& r : (*runner)->record().full_trace()) {
      if (r.kind == trace::mark_passed) marks.insert(Mark{static_cast<std::uint16_t>(r.a)});
      if (r.kind == trace::deadline_announced) {
        const auto kind = static_cast<DeadlineKind>(r.a);
        const Duration length{static_cast<std::int64_t>(r.b) - r.time};
        if (kind != DeadlineKind::lease) add_deadline(space, kind, length);
      }
    }
    for (const Mark m : marks) {
      if (!name_of(m).empty()) space.marks.emplace_back(name_of(m));
    }
  }
  adapt(space, scenario);
  if (auto* const runner = std::get_if<std::unique_ptr<Runner>>(&compiled)) add_tasks(space, (*runner)->record());
  return space;
}

}  // namespace picklock
