#include "scenarios/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "faults/trigger.hpp"
#include "scenarios/run/compiled_scenario.hpp"
#include "scenarios/run/measure.hpp"
#include "scenarios/workloads/client.hpp"
#include "scenarios/workloads/probe.hpp"
#include "sim/core/first_heard.hpp"
#include "sim/core/pace.hpp"
#include "sim/core/rpc_channel.hpp"
#include "sim/storage/server.hpp"
#include "sim/storage/words.hpp"

namespace picklock {

struct Runner::Impl : CompiledScenario {
  using CompiledScenario::CompiledScenario;

  World world;
  StorageServer storage;
  std::vector<Machine> machines;
  std::vector<Client> clients;
  Probe probe;
  RunState state;
  Executed executed;
  std::optional<HistoryBuilder> builder;
  std::vector<Clock> initial_clocks;   // of this run, by NodeId
  std::vector<std::uint32_t> sources;  // of that history, once they have been asked for
  std::vector<std::int64_t> received;  // by hold: when the service heard of it
  Scratch scratch;
  RunResult result;
  bool redraws_lengths = true;  // in this run
  const Checkpoints* checkpoints = nullptr;

  // Tasks refer to clients and locks, which would go first.
  ~Impl() { world.reset(0); }

  void make_room();
  void set_up(std::uint64_t seed, const RecordOptions& record, const DrawChanges& changes);
  void change_draws(const DrawChanges& changes);
  Connections connect(const ClientMachine& machine);
  void watch(const Checkpoints& checkpoints);
  std::uint64_t fingerprint() const;
  void phase(Phase p) { world.record(trace::phase_begins, 0, static_cast<std::uint32_t>(p)); }
  bool run_until(TrueTime until);                          // false: cut off
  bool run_load();                                         // false: cut off
  bool run_load(TrueTime until, std::size_t& checkpoint);  // with stops at the checkpoints, from this one on
  bool has_endless_clients() const;
  void play();
  void judge_run();
  std::int64_t first_election() const;
  void end_in_real_time();
  void leave_open_what_is_too_close();
  void find_unseen_locks();
  // Plays the run once more, to learn the names of the keys that clients write; all else is left as it was.
  void find_written_keys(std::uint64_t seed, const RecordOptions& record, const DrawChanges& changes);
};

void Runner::Impl::make_room() {
  clients = std::vector<Client>(scenario.clients.size());
  machines = std::vector<Machine>(machine_names.size());
  probe.look_at(locks);
  result.judged_with = judged_with;
}

Connections Runner::Impl::connect(const ClientMachine& machine) {
  ChannelOptions options;
  options.request_timeout = options.connect_timeout = machine.request_timeout;
  options.connected_at_start = !machine.probes;
  auto to_service = deployment->connect(world, machine);
  return {std::move(to_service), &world.channels.open(machine.node, storage_node(), options)};
}

void Runner::Impl::set_up(std::uint64_t seed, const RecordOptions& record, const DrawChanges& changes) {
  world.reset(seed);
  world.trace.record_fully(record.full_trace);
  world.trace.read_leases(data_lease ? &*data_lease : nullptr);
  world.draws.log(record.draws);
  world.network.keep_bodies(record.bodies);
  if (pace() != nullptr) {
    pace()->begin();
    world.trace.keep_keys(true);  // such a run is not played once more for the names of keys
  }
  change_draws(changes);
  for (std::size_t i = 1; i < node_names.size(); ++i) world.nodes.add(node_names[i]);
  for (const ClockSpec& c : scenario.clocks) {
    Clock& clock = world.nodes.initial_clock(*world.nodes.find(c.node));
    clock.step(c.offset);
    clock.set_rate({}, static_cast<std::int32_t>(c.drift_ppm));
  }
  world.network.set_latency(scenario.latency);
  for (const LinkSpec& l : scenario.links) {
    world.network.set_latency(*world.nodes.find(l.from), *world.nodes.find(l.to), l.latency);
  }
  state = {};
  state.world = &world;
  state.lock_kind = lock;
  state.lock_options = &*scenario.lock.options;
  state.locks = &locks;
  state.resources = resources;
  state.workload = workload.get();
  state.workload_kind = workload_kind;
  state.concurrency = static_cast<std::int32_t>(clients.size()) + 1;
  if (!builder) {
    builder.emplace(
        roster(), [this](const std::string& name) { return deployment->judge_of(service_key(*lock, name)); },
        workload_kind->kept_in ? deployment->change_reader() : nullptr);
  }
  deployment->install(world, lock_keys);
  storage.set_options(scenario.storage);
  world.install(storage_node(), storage);
  for (std::size_t i = 0; i < machines.size(); ++i) {
    machines[i].prepare(state, connect({.node = static_cast<NodeId>(first_machine() + i),
                                        .number = i,
                                        .request_timeout = scenario.request_timeout}));
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const ClientSpec& spec = scenario.clients[i];
    Machine& machine = machines[machine_of_client[i]];
    clients[i].prepare(machine.process(), spec, plans[i], static_cast<std::int32_t>(i), thread_of_client[i]);
    machine.add(clients[i], spec.machine.empty() ? std::string_view("main") : std::string_view(spec.name));
    state.unfinished += spec.rounds > 0 || spec.role == ClientRole::operator_;
  }
  const ClientMachine probes{probe_node(), machines.size(), true, scenario.request_timeout};
  probe.prepare(state, static_cast<std::int32_t>(clients.size()), connect(probes), probe_patience);
  plan.arm(world);
  initial_clocks.clear();
  for (std::size_t i = 0; i < node_names.size(); ++i)
    initial_clocks.push_back(world.nodes.clock(static_cast<NodeId>(i)));
  builder->begin_with(initial_clocks);
  result.checked = {};
  checkpoints = record.checkpoints;
  if (checkpoints != nullptr) watch(*checkpoints);
}

void Runner::Impl::watch(const Checkpoints& watched) {
  world.lives.keep(true);
  result.checked.fired.assign(watched.triggers.size(), Checked::kNeverFired);
  result.checked.fingerprints.assign(watched.instants.size(), 0);
  const auto note = [](World& w, void* run, std::uint64_t i) {
    static_cast<Impl*>(run)->result.checked.fired[i] = w.now().ns;
  };
  const std::span<const std::string> named = std::span(node_names).subspan(1);
  PlanNames names(named, threads);
  for (std::size_t i = 0; i < watched.triggers.size(); ++i) {
    const CompiledTrigger trigger = compile_trigger(watched.triggers[i], names);
    if (trigger.point) world.actions.on(*trigger.point, {note, this, i});
  }
}

// 0 where the past of the faults may still matter.
std::uint64_t Runner::Impl::fingerprint() const {
  if (!plan.over()) return 0;
  for (std::size_t n = 1; n < node_names.size(); ++n) {
    if (!world.nodes.alive(static_cast<NodeId>(n)) || !world.nodes.powered(static_cast<NodeId>(n))) return 0;
  }
  return world.fingerprint();
}

// Before anything is scheduled: a reseed comes before all else that happens at its instant.
void Runner::Impl::change_draws(const DrawChanges& changes) {
  if (!scenario.overrides.empty() || !changes.overrides.empty()) {
    std::vector<DrawOverride> overrides = scenario.overrides;
    overrides.insert(overrides.end(), changes.overrides.begin(), changes.overrides.end());
    (void)world.draws.set_overrides(overrides);
  }
  std::vector<Reseed> reseeds = scenario.reseeds;
  reseeds.insert(reseeds.end(), changes.reseeds.begin(), changes.reseeds.end());
  redraws_lengths = changes.redraws_lengths && !reseeds.empty();
  world.drawn_waits.reveal_lengths(redraws_lengths);
  for (const Reseed& r : reseeds) {
    const auto branch_off = [](World& w, void* run, std::uint64_t s) {
      w.reseed(s);
      auto& self = *static_cast<Impl*>(run);
      if (self.redraws_lengths) self.plan.redraw(w);
    };
    world.actions.at(TrueTime{} + r.at, {branch_off, this, static_cast<std::uint64_t>(r.seed)});
  }
}

bool Runner::Impl::run_until(TrueTime until) {
  const auto budget = static_cast<std::uint64_t>(scenario.event_budget);
  const RunLimits limits{until, budget};
  switch (Pace* const real = pace(); real == nullptr ? world.run(limits) : run_paced(world, limits, *real)) {
    case RunEnd::budget:
      result.cut_off = true;
      return false;
    case RunEnd::livelock:
      result.cut_off = true;
      result.error = fmt::format("error of the simulation: a million events at {} without time advancing",
                                 to_readable(world.now() - TrueTime{}));
      return false;
    case RunEnd::exhausted:
      result.cut_off = true;
      result.error =
          fmt::format("error of the simulation: it has no room for more {} at {}: far too many are open at once",
                      world.exhausted(), to_readable(world.now() - TrueTime{}));
      return false;
    default:
      return true;
  }
}

bool Runner::Impl::run_load(TrueTime until, std::size_t& checkpoint) {
  if (checkpoints == nullptr) return run_until(until);
  const std::vector<std::int64_t>& instants = checkpoints->instants;
  for (; checkpoint < instants.size() && instants[checkpoint] < until.ns; ++checkpoint) {
    const TrueTime instant{instants[checkpoint]};
    if (!run_until(instant)) return false;
    if (world.now() != instant) return true;  // the last client has finished
    result.checked.fingerprints[checkpoint] = fingerprint();
  }
  return run_until(until);
}

bool Runner::Impl::has_endless_clients() const {
  return std::any_of(scenario.clients.begin(), scenario.clients.end(),
                     [](const ClientSpec& c) { return c.rounds == 0 && c.role != ClientRole::operator_; });
}

// Without a length of its own the load goes on behind each fault that it would cut off, as long as it lasts by default.
bool Runner::Impl::run_load() {
  std::size_t checkpoint = 0;
  for (TrueTime until = world.now() + scenario.phases.least_load();;) {
    if (!run_load(until, checkpoint)) return false;
    if (scenario.phases.load || world.now() < until) return true;
    const auto scripted = plan.scripted_until();
    if (!scripted) return true;
    until = std::max(*scripted, until) + PhaseSpec::kUsualLoad;
  }
}

void Runner::Impl::play() {
  const auto after = [&](Duration d) { return world.now() + d; };
  phase(Phase::load);
  for (std::size_t i = 0; i < machines.size(); ++i) {
    world.install(static_cast<NodeId>(first_machine() + i), machines[i]);
  }
  if (!run_load()) return;
  phase(Phase::heal);
  result.faults.load_ran_out = state.unfinished > 0 || has_endless_clients();
  result.faults.healed = world.now();
  state.load_over = true;
  plan.heal(world);
  phase(Phase::settle);
  const TrueTime settled = after(scenario.phases.settle);
  while (world.now() < settled) {  // a client that finishes now stops the world, and it goes on
    if (!run_until(settled)) return;
  }
  phase(Phase::probe);
  world.install(probe_node(), probe);
  // Its acquire ends with its patience; each of its requests with a timeout of its own.
  const Duration requests = scenario.request_timeout * static_cast<std::int64_t>(2 * resources + 6);
  const TrueTime end = after((probe_patience + requests) * static_cast<std::int64_t>(locks.names.size()));
  while (!probe.done() && world.now() < end) {
    if (!run_until(end)) return;
  }
  phase(Phase::end);
}

void Runner::Impl::end_in_real_time() {
  pace()->end();
  result.lateness = pace()->lateness();
}

// A violation that is no longer than the machine's own delays may be their work.
void Runner::Impl::leave_open_what_is_too_close() {
  for (Finding& f : result.findings) {
    const bool lasts = info(f.property).unit == Unit::nanoseconds;
    if (f.verdict != Verdict::violated || !lasts || f.measure >= 3 * result.lateness->ns) continue;
    f.verdict = Verdict::undecided;
    f.reason = Reason::too_close_in_real_time;
  }
}

void Runner::Impl::judge_run() {
  const History& history = builder->build(world.trace.journal());
  if (result.error.empty() && !state.lock_failure.empty()) {
    result.error = fmt::format("lock {} failed: {}", scenario.lock.name, state.lock_failure);
  }
  const std::string broken = result.error.empty() ? deployment->broken_invariant() : "";
  if (!broken.empty()) result.error = "error of the simulation: " + broken;
  result.defect_shown = deployment->shown_defect();
  result.history = &history;
  result.length = world.now() - TrueTime{};
  result.events = world.events();
  result.digest = world.trace.digest();
  measure(world, builder->incidents(), executed);
  for (std::size_t i = 0; i < plan.size(); ++i) result.faults.courses.push_back(plan.course(i));
  result.faults.last_shared = last_shared(history);
  result.judged_with.budget_exhausted = result.cut_off;
  assess_run(world, history, *deployment, executed, state.deeds, scratch, result.executed);
  result.judged_with.too_few_servers = result.executed.servers_missing > 0;
  result.judged_with.fault_struck =
      std::any_of(executed.injected.begin(), executed.injected.end(), [](std::int64_t n) { return n > 0; });
  builder->first_heard(received, [this](std::vector<std::int64_t>& by_hold) { deployment->first_heard(by_hold); });
  result.judged_with.received = received;
  // Until its servers have a leader the service answers nobody; in a run with faults their election is allowed for anyway.
  result.judged_with.unserved_bound = judged_with.unserved_bound + (scenario.faults.empty() ? first_election() : 0);
  result.findings = judge(history, result.judged_with, scratch);
  if (result.lateness) leave_open_what_is_too_close();
  result.happened = scratch.happened;
  find_unseen_locks();
  count_unseen(history, scratch, result.executed);
  const bool bounded = all_beliefs_are_bounded(history, executed, state.all_heed_deadlines);
  result.assumptions.resize(assumptions.size());
  std::transform(assumptions.begin(), assumptions.end(), result.assumptions.begin(),
                 [&](const Assumption& a) { return assess(a, result.executed, bounded); });
}

// When the servers elected their first leader; 0: they need none, or never did.
std::int64_t Runner::Impl::first_election() const {
  if (deployment->failover_bound() == Duration{}) return 0;
  const std::vector<ServerRole> roles = deployment->roles_in(world.trace.journal());
  const auto first = std::find_if(roles.begin(), roles.end(), [](const ServerRole& r) { return r.leads; });
  return first == roles.end() ? 0 : first->time;
}

void Runner::Impl::find_unseen_locks() {
  result.unseen = {};
  const Names& names = result.history->names;
  for (std::size_t i = 1; i < scratch.unseen.size(); ++i) {
    if (scratch.unseen[i]) result.unseen.locks.emplace_back(names.view(static_cast<NameId>(i - 1)));
  }
  if (result.unseen.locks.empty()) return;
  result.unseen.runs = 1;
  result.unseen.seed = result.seed;
}

void Runner::Impl::find_written_keys(std::uint64_t seed, const RecordOptions& record, const DrawChanges& changes) {
  world.trace.keep_keys(true);
  const bool cut_off = result.cut_off;
  std::string error = std::move(result.error);
  set_up(seed, record, changes);
  play();
  result.cut_off = cut_off;
  result.error = std::move(error);
  result.unseen.keys = world.trace.keys_written();
  world.trace.keep_keys(false);
}

const RunResult& Runner::run(std::uint64_t seed, const RecordOptions& record, const DrawChanges& changes) {
  Impl& i = *impl_;
  i.result.seed = seed;
  i.result.cut_off = false;
  i.result.faults.courses.clear();
  i.result.faults.load_ran_out = false;
  i.result.faults.healed = {};
  i.result.error.clear();
  i.set_up(seed, record, changes);
  i.play();
  if (pace() != nullptr) i.end_in_real_time();
  i.judge_run();
  if (i.result.unseen.runs == 0) return i.result;
  if (pace() == nullptr) {
    i.find_written_keys(seed, record, changes);
  } else {
    i.result.unseen.keys = i.world.trace.keys_written();
  }
  return i.result;
}

std::variant<std::unique_ptr<Runner>, std::vector<ScenarioProblem>> Runner::compile(const Scenario& scenario) {
  auto impl = std::make_unique<Impl>(scenario);
  std::vector<ScenarioProblem> problems;
  impl->compile(problems);
  if (!problems.empty()) return problems;
  impl->make_room();
  return std::unique_ptr<Runner>(new Runner(std::move(impl)));
}

Runner::Runner(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Runner::~Runner() = default;
const Scenario& Runner::scenario() const { return impl_->scenario; }
const ServiceKind& Runner::service() const { return *impl_->service_kind; }
World& Runner::world() { return impl_->world; }
std::size_t Runner::service_machines() const { return impl_->deployment->machines().size(); }
const std::vector<Clock>& Runner::initial_clocks() const { return impl_->initial_clocks; }

ServersSeen Runner::servers_seen() {
  Impl& i = *impl_;
  ServersSeen seen;
  seen.roles = i.deployment->roles_in(i.world.trace.journal());
  seen.vote = i.deployment->independent_machines() > 1;
  std::vector<const ServerViews*> views;
  Roster roster = i.roster();
  roster.clocks = i.initial_clocks;
  std::uint32_t lock = 0;
  HistoryBuilder again(
      std::move(roster),
      [&](const std::string& name) -> std::unique_ptr<GrantJudge> {
        const std::string key = service_key(*i.lock, name);
        auto made = i.deployment->views_of(lock++, key);
        if (made == nullptr) return i.deployment->judge_of(key);
        views.push_back(made.get());
        return made;
      },
      nullptr);
  again.build(i.world.trace.journal());
  for (const ServerViews* const v : views) {
    seen.owners.insert(seen.owners.end(), v->changes().begin(), v->changes().end());
    for (const NodeId server : v->servers()) {
      if (std::find(seen.servers.begin(), seen.servers.end(), server) == seen.servers.end())
        seen.servers.push_back(server);
    }
  }
  std::stable_sort(seen.owners.begin(), seen.owners.end(),
                   [](const OwnersSeen& a, const OwnersSeen& b) { return a.time < b.time; });
  return seen;
}

const std::vector<std::string>& Runner::node_names() const { return impl_->node_names; }
std::string Runner::words_of_message(NodeId from, NodeId to, std::string_view body, bool answers) const {
  const NodeId storage = impl_->storage_node();
  if (from == storage || to == storage) return words_of_storage_message(body, from == storage);
  const auto is_server = [&](NodeId node) { return node <= service_machines(); };
  const auto words = service().message_words;
  if (words == nullptr) return "";
  const bool among_servers = is_server(from) && is_server(to);
  return words({body, among_servers ? answers : is_server(from), among_servers});
}

// Few ask for them: the history is made once more, and is the same.
const std::vector<std::uint32_t>& Runner::sources_of_history() const {
  impl_->builder->build(impl_->world.trace.journal(), &impl_->sources);
  return impl_->sources;
}

}  // namespace picklock
