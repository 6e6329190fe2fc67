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
#include "recording/history_builder.hpp"
#include "recording/ownership.hpp"
#include "scenarios/file/scenario.hpp"
#include "scenarios/workloads/lock_plan.hpp"
#include "scenarios/workloads/workload.hpp"
#include "services/service.hpp"

namespace picklock {

struct CompiledScenario {
  explicit CompiledScenario(const Scenario& s) : scenario(s) {}
  // Before anything else.  What is wrong is added; the rest may be used only if nothing is.
  void compile(std::vector<ScenarioProblem>& problems);

  Scenario scenario;
  const LockKind* lock = nullptr;
  const OwnershipRule* ownership = nullptr;  // of the lock
  std::optional<Duration> lease;
  std::optional<LeaseText> data_lease;  // servers record what data of this form say
  Duration longest_retry{}, longest_hold{}, probe_patience{};
  const WorkloadKind* workload_kind = nullptr;
  std::unique_ptr<Workload> workload;
  ResourceId resources = 1;             // that each lock protects
  std::vector<Assumption> assumptions;  // of the lock
  std::vector<std::int64_t> patience;   // by client, of JudgeOptions
  JudgeOptions judged_with;             // before it is known what a run has shown
  const ServiceKind* service_kind = nullptr;
  std::unique_ptr<Deployment> deployment;
  ArmedPlan plan;
  LockTable locks;
  std::vector<std::string> lock_keys;  // at the service, of LockTable::names
  std::vector<LockPlan> plans;         // by client

  // Machines, by NodeId: the world itself, the service, the storage, the clients' machines, the probe's.
  std::vector<std::string> node_names;
  std::vector<std::string> machine_names;       // of the clients, in the order of their NodeIds
  std::vector<std::size_t> machine_of_client;   // among them
  std::vector<std::uint32_t> thread_of_client;  // 1, 2, … on its machine
  std::vector<ThreadName> threads;              // clients that share a machine

  NodeId storage_node() const { return static_cast<NodeId>(1 + deployment->machines().size()); }
  NodeId first_machine() const { return static_cast<NodeId>(storage_node() + 1); }
  NodeId probe_node() const { return static_cast<NodeId>(first_machine() + machine_names.size()); }

  Roster roster() const;  // but for the clocks

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
