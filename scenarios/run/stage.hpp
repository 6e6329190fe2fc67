// The stage of a compiled scenario: its world with servers, clients and faults, in which run after run is played.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/run/checkpoints.hpp"
#include "scenarios/run/compiled_scenario.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/workloads/client.hpp"
#include "scenarios/workloads/probe.hpp"
#include "sim/core/world.hpp"
#include "sim/storage/server.hpp"

namespace picklock {

// Result of a run on the stage.
struct Played {
  bool cut_off = false;       // true: ended early
  std::string error;          // error of the simulation itself; empty: none
  bool load_ran_out = false;  // healing came while some client had rounds to do
  TrueTime healed{};          // the instant at which the load was over
  Checked checked{};
  std::optional<Duration> lateness{};  // lateness of the machine in a run in real time, at worst
};

class Stage {
 public:
  // The scenario has compiled without a problem, and outlives the stage.
  explicit Stage(CompiledScenario& compiled);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // One run, from boot to probe; told until the next one.
  const Played& play(std::uint64_t seed, const RecordOptions& options, const DrawChanges& changes);

  World& world() { return world_; }
  const RunState& state() const { return state_; }
  const std::vector<Clock>& initial_clocks() const { return initial_clocks_; }  // index: NodeId; clocks of the last run

 private:
  void set_up(std::uint64_t seed, const RecordOptions& options, const DrawChanges& changes);
  void set_clocks_and_links();
  void change_draws(const DrawChanges& changes);
  void prepare_clients();
  Connections connect(const ClientMachine& machine);
  void watch(const Checkpoints& checkpoints);
  std::uint64_t fingerprint() const;
  void phase(Phase p) { world_.record(trace::phase_begins, 0, static_cast<std::uint32_t>(p)); }
  bool run_until(TrueTime until);                          // false: cut off
  bool run_load();                                         // false: cut off
  bool run_load(TrueTime until, std::size_t& checkpoint);  // stops at the checkpoints, beginning with this one
  bool has_endless_clients() const;
  void run_phases();

  CompiledScenario& compiled_;
  World world_;
  StorageServer storage_;
  std::vector<Machine> machines_;
  std::vector<Client> clients_;
  Probe probe_;
  RunState state_;
  std::vector<Clock> initial_clocks_;
  bool redraws_lengths_ = true;               // true: redraws lengths in this run
  const Checkpoints* checkpoints_ = nullptr;  // checkpoints of this run
  Played played_;
};

}  // namespace picklock
