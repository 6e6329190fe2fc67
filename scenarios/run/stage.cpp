#include "scenarios/run/stage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "faults/names.hpp"
#include "faults/trigger.hpp"
#include "sim/core/pace.hpp"
#include "sim/core/rpc_channel.hpp"

namespace picklock {

Stage::Stage(CompiledScenario& compiled) : compiled_(compiled) {
  clients_ = std::vector<Client>(compiled.scenario.clients.size());
  machines_ = std::vector<Machine>(compiled.clients.names.size());
  probe_.look_at(compiled.lock.table);
}

// Tasks refer to clients and locks, which would go first.
Stage::~Stage() { world_.reset(0); }

const Played& Stage::play(std::uint64_t seed, const RecordOptions& options, const DrawChanges& changes) {
  set_up(seed, options, changes);
  run_phases();
  if (Pace* const real = pace()) {
    real->end();
    played_.lateness = real->lateness();
  }
  return played_;
}

Connections Stage::connect(const ClientMachine& machine) {
  ChannelOptions options;
  options.request_timeout = options.connect_timeout = machine.request_timeout;
  options.connected_at_start = !machine.probes;
  auto to_service = compiled_.deployment->connect(world_, machine);
  return {std::move(to_service), &world_.channels.open(machine.node, compiled_.storage_node(), options)};
}

void Stage::set_up(std::uint64_t seed, const RecordOptions& options, const DrawChanges& changes) {
  world_.reset(seed);
  world_.trace.record_fully(options.full_trace);
  world_.trace.read_leases(compiled_.lock.data_lease ? &*compiled_.lock.data_lease : nullptr);
  world_.draws.log(options.draws);
  world_.network.keep_bodies(options.bodies);
  if (Pace* const real = pace()) {
    real->begin();
    world_.trace.keep_keys(true);  // such a run is not played again for the names of keys
  }
  change_draws(changes);
  const std::vector<std::string>& names = compiled_.cast->machines;
  for (std::size_t i = 1; i < names.size(); ++i) world_.nodes.add(names[i]);
  set_clocks_and_links();
  compiled_.deployment->install(world_, compiled_.lock.keys);
  storage_.set_options(compiled_.scenario.storage);
  world_.install(compiled_.storage_node(), storage_);
  prepare_clients();
  compiled_.plan.arm(world_);
  initial_clocks_.clear();
  for (std::size_t i = 0; i < names.size(); ++i) initial_clocks_.push_back(world_.nodes.clock(static_cast<NodeId>(i)));
  played_ = {};
  checkpoints_ = options.checkpoints;
  if (checkpoints_ != nullptr) watch(*checkpoints_);
}

void Stage::set_clocks_and_links() {
  for (const ClockSpec& c : compiled_.scenario.clocks) {
    Clock& clock = world_.nodes.initial_clock(*world_.nodes.find(c.node));
    clock.step(c.offset);
    clock.set_rate({}, static_cast<std::int32_t>(c.drift_ppm));
  }
  world_.network.set_latency(compiled_.scenario.latency);
  for (const LinkSpec& l : compiled_.scenario.links) {
    world_.network.set_latency(*world_.nodes.find(l.from), *world_.nodes.find(l.to), l.latency);
  }
}

void Stage::prepare_clients() {
  state_ = {};
  state_.world = &world_;
  state_.lock_kind = compiled_.lock.kind;
  state_.lock_options = &*compiled_.scenario.lock.options;
  state_.locks = &compiled_.lock.table;
  state_.resources = compiled_.workload.resources;
  state_.workload = compiled_.workload.body.get();
  state_.workload_kind = compiled_.workload.kind;
  state_.concurrency = static_cast<std::int32_t>(clients_.size()) + 1;
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    machines_[i].prepare(state_, connect({.node = static_cast<NodeId>(compiled_.first_machine() + i),
                                          .number = i,
                                          .request_timeout = compiled_.scenario.request_timeout}));
  }
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const ClientSpec& spec = compiled_.scenario.clients[i];
    Machine& machine = machines_[compiled_.clients.of_client[i]];
    clients_[i].prepare(machine.process(), spec, compiled_.lock.plans[i], static_cast<std::int32_t>(i),
                        compiled_.clients.thread[i]);
    machine.add(clients_[i], spec.machine.empty() ? std::string_view("main") : std::string_view(spec.name));
    state_.unfinished += spec.rounds > 0 || spec.role == ClientRole::operator_;
  }
  const ClientMachine probes{compiled_.probe_node(), machines_.size(), true, compiled_.scenario.request_timeout};
  probe_.prepare(state_, static_cast<std::int32_t>(clients_.size()), connect(probes), compiled_.longest.probe_patience);
}

void Stage::watch(const Checkpoints& watched) {
  world_.lives.keep(true);
  played_.checked.fired.assign(watched.triggers.size(), Checked::kNeverFired);
  played_.checked.fingerprints.assign(watched.instants.size(), 0);
  const auto note = [](World& w, void* run, std::uint64_t i) {
    static_cast<Stage*>(run)->played_.checked.fired[i] = w.now().ns;
  };
  const std::span<const std::string> named = std::span(compiled_.cast->machines).subspan(1);
  PlanNames names(named, compiled_.clients.shared);
  for (std::size_t i = 0; i < watched.triggers.size(); ++i) {
    const CompiledTrigger trigger = compile_trigger(watched.triggers[i], names);
    if (trigger.point) world_.actions.on(*trigger.point, {note, this, i});
  }
}

// 0 where the past of the faults may still matter.
std::uint64_t Stage::fingerprint() const {
  if (!compiled_.plan.over()) return 0;
  for (std::size_t n = 1; n < compiled_.cast->machines.size(); ++n) {
    if (!world_.nodes.alive(static_cast<NodeId>(n)) || !world_.nodes.powered(static_cast<NodeId>(n))) return 0;
  }
  return world_.fingerprint();
}

// Runs before anything is scheduled: a reseed comes before all else that happens at its instant.
void Stage::change_draws(const DrawChanges& changes) {
  if (!compiled_.scenario.overrides.empty() || !changes.overrides.empty()) {
    std::vector<DrawOverride> overrides = compiled_.scenario.overrides;
    overrides.insert(overrides.end(), changes.overrides.begin(), changes.overrides.end());
    (void)world_.draws.set_overrides(overrides);
  }
  std::vector<Reseed> reseeds = compiled_.scenario.reseeds;
  reseeds.insert(reseeds.end(), changes.reseeds.begin(), changes.reseeds.end());
  redraws_lengths_ = changes.redraws_lengths && !reseeds.empty();
  world_.drawn_waits.reveal_lengths(redraws_lengths_);
  for (const Reseed& r : reseeds) {
    const auto branch_off = [](World& w, void* run, std::uint64_t s) {
      w.reseed(s);
      auto& self = *static_cast<Stage*>(run);
      if (self.redraws_lengths_) self.compiled_.plan.redraw(w);
    };
    world_.actions.at(TrueTime{} + r.at, {branch_off, this, static_cast<std::uint64_t>(r.seed)});
  }
}

bool Stage::run_until(TrueTime until) {
  const auto budget = static_cast<std::uint64_t>(compiled_.scenario.event_budget);
  const RunLimits limits{until, budget};
  switch (Pace* const real = pace(); real == nullptr ? world_.run(limits) : run_paced(world_, limits, *real)) {
    case RunEnd::budget:
      played_.cut_off = true;
      return false;
    case RunEnd::livelock:
      played_.cut_off = true;
      played_.error = fmt::format("error of the simulation: a million events at {} without time advancing",
                                  to_readable(world_.now() - TrueTime{}));
      return false;
    case RunEnd::exhausted:
      played_.cut_off = true;
      played_.error =
          fmt::format("error of the simulation: it has no room for more {} at {}: far too many are open at once",
                      world_.exhausted(), to_readable(world_.now() - TrueTime{}));
      return false;
    default:
      return true;
  }
}

bool Stage::run_load(TrueTime until, std::size_t& checkpoint) {
  if (checkpoints_ == nullptr) return run_until(until);
  const std::vector<std::int64_t>& instants = checkpoints_->instants;
  for (; checkpoint < instants.size() && instants[checkpoint] < until.ns; ++checkpoint) {
    const TrueTime instant{instants[checkpoint]};
    if (!run_until(instant)) return false;
    if (world_.now() != instant) return true;  // the last client has finished
    played_.checked.fingerprints[checkpoint] = fingerprint();
  }
  return run_until(until);
}

bool Stage::has_endless_clients() const {
  return std::any_of(compiled_.scenario.clients.begin(), compiled_.scenario.clients.end(),
                     [](const ClientSpec& c) { return c.rounds == 0 && c.role != ClientRole::operator_; });
}

// A load without a length goes on behind each fault that it would cut off, as long as it lasts by default.
bool Stage::run_load() {
  std::size_t checkpoint = 0;
  for (TrueTime until = world_.now() + compiled_.scenario.phases.least_load();;) {
    if (!run_load(until, checkpoint)) return false;
    if (compiled_.scenario.phases.load || world_.now() < until) return true;
    const auto scripted = compiled_.plan.scripted_until();
    if (!scripted) return true;
    until = std::max(*scripted, until) + PhaseSpec::kUsualLoad;
  }
}

void Stage::run_phases() {
  const auto after = [&](Duration d) { return world_.now() + d; };
  phase(Phase::load);
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    world_.install(static_cast<NodeId>(compiled_.first_machine() + i), machines_[i]);
  }
  if (!run_load()) return;
  phase(Phase::heal);
  played_.load_ran_out = state_.unfinished > 0 || has_endless_clients();
  played_.healed = world_.now();
  state_.load_over = true;
  compiled_.plan.heal(world_);
  phase(Phase::settle);
  const TrueTime settled = after(compiled_.scenario.phases.settle);
  while (world_.now() < settled) {  // a client that finishes now stops the world, and it goes on
    if (!run_until(settled)) return;
  }
  phase(Phase::probe);
  world_.install(compiled_.probe_node(), probe_);
  // Its acquire ends with its patience; each of its requests with a timeout of its own.
  const Duration requests =
      compiled_.scenario.request_timeout * static_cast<std::int64_t>(2 * compiled_.workload.resources + 6);
  const TrueTime end = after((compiled_.longest.probe_patience + requests) *
                             static_cast<std::int64_t>(compiled_.lock.table.names.size()));
  while (!probe_.done() && world_.now() < end) {  // a client that finishes now stops the world, and it goes on
    if (!run_until(end)) return;
  }
  phase(Phase::end);
}

}  // namespace picklock
