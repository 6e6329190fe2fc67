// A scenario with its names made numbers, and all that is the same in each of its runs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/properties/assumptions.hpp"
#include "checker/properties/options.hpp"
#include "faults/armed.hpp"
#include "scenarios/recording/history_builder.hpp"
#include "scenarios/recording/ownership.hpp"
#include "scenarios/run/record.hpp"
#include "scenarios/services/service.hpp"
#include "scenarios/workloads/lock_plan.hpp"
#include "scenarios/workloads/workload.hpp"

namespace picklock {

// The lock under test.
struct CompiledLock {
  const LockKind* kind = nullptr;
  const OwnershipRule* ownership = nullptr;
  std::optional<Duration> lease;
  std::optional<LeaseText> data_lease;  // form of the data from which servers record leases
  LockTable table;
  std::vector<std::string> keys;  // keys at the service, one for each of LockTable::names
  std::vector<LockPlan> plans;    // index: client
};

// Work of clients in their sections.
struct CompiledWorkload {
  const WorkloadKind* kind = nullptr;
  std::unique_ptr<Workload> body;
  ResourceId resources = 1;  // number of resources that each lock protects
};

// The machines of the clients.
struct ClientMachines {
  std::vector<std::string> names;      // names in the order of their NodeIds
  std::vector<std::size_t> of_client;  // index: client; its place among the names
  std::vector<std::uint32_t> thread;   // index: client; 1, 2, … on its machine
  std::vector<ThreadName> shared;      // clients that share a machine
};

// The longest that clients let others wait.
struct LongestWaits {
  Duration retry{}, hold{}, probe_patience{};
};

struct CompiledScenario {
  explicit CompiledScenario(const Scenario& s) : cast(std::make_shared<RunCast>()), scenario(cast->scenario) {
    scenario = s;
  }
  // Compiles before anything else.  Problems are added; the rest may be used only if there are none.
  void compile(std::vector<ScenarioProblem>& problems);

  // Its machines by NodeId: the world itself, the service, the storage, the clients' machines, the probe's.
  std::shared_ptr<RunCast> cast;
  Scenario& scenario;  // the scenario of the cast
  CompiledLock lock;
  CompiledWorkload workload;
  ClientMachines clients;
  LongestWaits longest;
  std::vector<Assumption> assumptions;  // assumptions of the lock
  JudgeOptions judged_with;             // options as known before a run
  std::unique_ptr<Deployment> deployment;
  ArmedPlan plan;

  NodeId storage_node() const { return static_cast<NodeId>(1 + cast->servers); }
  NodeId first_machine() const { return static_cast<NodeId>(storage_node() + 1); }
  NodeId probe_node() const { return static_cast<NodeId>(first_machine() + clients.names.size()); }

  Roster roster() const;  // all of the roster but the clocks

 private:
  void compile_ownership(std::vector<ScenarioProblem>& problems);
  void compile_workload(std::vector<ScenarioProblem>& problems);
  void compile_service(std::vector<ScenarioProblem>& problems);
  void compile_clients(std::vector<ScenarioProblem>& problems);
  void compile_locks(std::vector<ScenarioProblem>& problems);
  void check_clocks_and_links(std::vector<ScenarioProblem>& problems) const;
  void compile_expectations(std::vector<ScenarioProblem>& problems);
  void assume_of_clients();
  void compile_bounds();
};

}  // namespace picklock
