#include "scenarios/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/properties/sometimes.hpp"
#include "faults/armed.hpp"
#include "scenarios/grants/etcd_grants.hpp"
#include "scenarios/grants/redis_grants.hpp"
#include "scenarios/grants/zookeeper_grants.hpp"
#include "scenarios/run/deployment.hpp"
#include "scenarios/run/history.hpp"
#include "scenarios/run/measure.hpp"
#include "sim/core/mix.hpp"
#include "sim/core/rpc_channel.hpp"
#include "sim/redis/cluster/slot_route.hpp"
#include "sim/redis/sentinel/master_route.hpp"
#include "sim/storage/server.hpp"
#include "sim/task/check.hpp"
#include "sim/task/nearest.hpp"
#include "sim/task/text.hpp"

namespace picklock {
namespace {

constexpr std::string_view kProbe = "probe", kStorage = "storage";
constexpr std::string_view kServiceNames[] = {"Redis", "etcd", "ZooKeeper"};  // by LockService
// A grant without end promises nothing that one could wait for; the probe waits this long.
constexpr Duration kPatienceWithoutLease = seconds(10);
// For requests, retries and elections on top of what the definition asks of a probe.
constexpr Duration kProbeMargin = seconds(2);

}  // namespace

struct Runner::Impl {
  Scenario scenario;
  const LockKind* lock = nullptr;
  std::optional<Duration> lease;
  Duration longest_retry{}, longest_hold{}, probe_patience{};
  const WorkloadKind* workload_kind = nullptr;
  std::unique_ptr<Workload> workload;
  std::vector<std::string> node_names;
  std::vector<Assumption> assumptions;
  ResourceId resources = 1;

  LockTable locks;
  std::vector<LockPlan> plans;                  // by client
  std::vector<std::string> machine_names;       // of the clients, in the order of their NodeIds
  std::vector<std::size_t> machine_of_client;   // among them
  std::vector<std::uint32_t> thread_of_client;  // 1, 2, … on its machine
  std::vector<ThreadName> threads;              // clients that share a machine

  std::vector<std::unique_ptr<MasterRoute>> routes;  // of connections to the master; they outlive the world's run
  std::vector<std::unique_ptr<SlotRoute>> slot_routes;  // … to the owner of the lock's slot
  World world;
  std::optional<Deployment> deployment;
  StorageServer storage;
  std::vector<Machine> machines;
  std::vector<Client> clients;
  Probe probe;
  RunState state;
  ArmedPlan plan;
  Executed executed;
  std::optional<HistoryBuilder> builder;
  History history;
  std::vector<std::int64_t> received;  // by hold: when the service heard of it
  Scratch scratch;
  RunResult result;

  // Tasks refer to clients and locks, which would go first.
  ~Impl() { world.reset(0); }

  NodeId storage_node() const { return static_cast<NodeId>(1 + deployment->names().size()); }
  NodeId first_machine() const { return static_cast<NodeId>(storage_node() + 1); }
  NodeId probe_node() const { return static_cast<NodeId>(first_machine() + machine_names.size()); }

  void compile(std::vector<ScenarioProblem>& problems);
  void compile_clients(std::vector<ScenarioProblem>& problems);
  void check_cluster(std::vector<ScenarioProblem>& problems) const;
  void compile_locks(std::vector<ScenarioProblem>& problems);
  void compile_clocks_and_links(std::vector<ScenarioProblem>& problems);
  void compile_expectations(std::vector<ScenarioProblem>& problems);
  void set_up(std::uint64_t seed, const RecordOptions& record);
  MachineChannels channels(NodeId node, bool connected);
  std::vector<NodeId> etcd_endpoints(NodeId machine) const;
  Cast cast() const;
  std::unique_ptr<GrantJudge> make_judge(const std::string& name) const;
  void phase(Phase p) { world.record(trace::phase_begins, 0, static_cast<std::uint32_t>(p)); }
  bool run_until(TrueTime until);  // false: cut off
  void play();
  void judge_run();
};

// --- compiling -----------------------------------------------------------------------------------

namespace {

ScenarioProblem unknown(std::string where, std::string_view what, const std::string& found,
                        const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  return {std::move(where), fmt::format("'{}'", found), fmt::format("the name of a {}", what),
          std::string(nearest_name(found, views).value_or(""))};
}

}  // namespace

void Runner::Impl::compile(std::vector<ScenarioProblem>& problems) {
  lock = find_lock_kind(scenario.lock.kind);
  if (lock == nullptr) {
    std::vector<std::string> names;
    for (const LockKind& k : lock_kinds()) names.emplace_back(k.name);
    problems.push_back(unknown("lock.kind", "lock", scenario.lock.kind, names));
    return;
  }
  if (!scenario.lock.options) scenario.lock.options = AnyOptions(lock->default_options());
  lease = lock->lease(*scenario.lock.options);
  const WorkloadKind* const kind = workload_kind = find_workload_kind(scenario.workload.kind);
  if (kind == nullptr) {
    std::vector<std::string> names;
    for (const WorkloadKind& k : workload_kinds()) names.emplace_back(k.name);
    problems.push_back(unknown("workload.kind", "workload", scenario.workload.kind, names));
    return;
  }
  if (kind->kept_in && kind->kept_in->service != lock->service) {
    problems.push_back({"workload", fmt::format("'{}'", kind->name),
                        fmt::format("a workload that needs no {}, as {} asks none",
                                    kServiceNames[static_cast<std::size_t>(kind->kept_in->service)], lock->name), ""});
    return;
  }
  if (kind->kept_in && lock->several_names) {
    problems.push_back({"workload", fmt::format("'{}'", kind->name),
                        fmt::format("one that asks for no node of the lock, as {} has several", lock->name), ""});
    return;
  }
  if (!scenario.workload.options) scenario.workload.options = AnyOptions(kind->default_options());
  workload = kind->make(*scenario.workload.options);
  resources = static_cast<ResourceId>(option_named("seats", scenario.workload.options).value_or(1));

  deployment.emplace(scenario, *lock);
  if (deployment->groups() > 1 && scenario.topology.sentinels > 0) {
    problems.push_back({"redis.sentinels", fmt::format("{}", scenario.topology.sentinels),
                        fmt::format("none, as {} asks {} independent servers", lock->name, deployment->groups()), ""});
  }
  if (deployment->is_cluster()) check_cluster(problems);
  node_names.emplace_back("world");
  node_names.insert(node_names.end(), deployment->names().begin(), deployment->names().end());
  node_names.emplace_back(kStorage);
  compile_clients(problems);
  node_names.emplace_back(kProbe);
  if (node_names.size() > kMostNodes) problems.push_back({"clients", fmt::format("{} machines", node_names.size()), fmt::format("at most {}", kMostNodes), ""});
  if (!problems.empty()) return;
  compile_locks(problems);
  if (!problems.empty()) return;
  longest_retry = {option_named("retry", scenario.lock.options).value_or(0)};
  probe_patience = scenario.phases.probe_patience.value_or(
      (lease ? *lease : kPatienceWithoutLease) + longest_hold + kProbeMargin + deployment->failover_bound(scenario));
  compile_clocks_and_links(problems);
  compile_expectations(problems);
  if (const auto error = plan.compile(scenario.faults, std::span(node_names).subspan(1), threads)) {
    problems.push_back({fmt::format("fault[{}].{}", error->fault, error->field), error->found, error->expected, error->nearest});
  }
  if (const auto bad = world.draws.set_overrides(scenario.overrides)) {
    problems.push_back({"draw", fmt::format("'{}'", *bad), "the name of a draw, as in a>redis/latency@a#1.1", ""});
  }
  assumptions = assumptions_of(*lock, scenario.lock.options);
}

void Runner::Impl::check_cluster(std::vector<ScenarioProblem>& problems) const {
  const TopologySpec& t = scenario.topology;
  if (deployment->groups() > 1) {
    problems.push_back({"redis.cluster", fmt::format("{}", t.cluster),
                        fmt::format("none, as {} asks {} independent servers", lock->name, deployment->groups()), ""});
  }
  if (t.sentinels > 0) problems.push_back({"redis.sentinels", fmt::format("{}", t.sentinels), "none, as a cluster has none", ""});
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    for (const std::string& entry : scenario.clients[i].locks) {
      const auto parsed = parse_lock_entry(entry);
      for (const std::string& name : parsed ? parsed->names : std::vector<std::string>()) {
        if (deployment->shard_of(name) == deployment->shard_of(scenario.lock.name)) continue;
        problems.push_back({fmt::format("clients[{}].locks", i), fmt::format("'{}'", name),
                            fmt::format("a key of the same shard as '{0}', such as {{{0}}}{1}", scenario.lock.name, name), ""});
      }
    }
  }
}

void Runner::Impl::compile_clients(std::vector<ScenarioProblem>& problems) {
  const std::vector<std::string> services = node_names;
  const auto contains = [](const std::vector<std::string>& all, const std::string& name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  const auto check = [&](std::string where, const std::string& name, bool taken) {
    if (name.empty() || name.find_first_of(" >/@#.|") != std::string::npos) {
      problems.push_back({std::move(where), fmt::format("'{}'", name), "a name without spaces and without any of > / @ # . |", ""});
    } else if (taken || name == kProbe || contains(services, name)) {
      problems.push_back({std::move(where), fmt::format("'{}'", name), "a name that no other machine has", ""});
    }
  };
  std::vector<std::string> names;  // of all clients
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    const ClientSpec& c = scenario.clients[i];
    check(fmt::format("clients[{}].name", i), c.name, contains(names, c.name));
    names.push_back(c.name);
    longest_hold = std::max(longest_hold, Duration{c.hold.high()});
  }
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    const ClientSpec& c = scenario.clients[i];
    // A machine of threads is nobody's name but its own.
    if (!c.machine.empty()) check(fmt::format("clients[{}].machine", i), c.machine, contains(names, c.machine));
    const auto known = std::find(machine_names.begin(), machine_names.end(), c.machine_name());
    machine_of_client.push_back(static_cast<std::size_t>(known - machine_names.begin()));
    if (known == machine_names.end()) machine_names.push_back(c.machine_name());
    thread_of_client.push_back(static_cast<std::uint32_t>(
        std::count(machine_of_client.begin(), machine_of_client.end(), machine_of_client.back())));
    if (!c.machine.empty()) threads.push_back({c.name, c.machine});
  }
  node_names.insert(node_names.end(), machine_names.begin(), machine_names.end());
  if (scenario.clients.empty()) problems.push_back({"clients", "none", "at least one client", ""});
  clients = std::vector<Client>(scenario.clients.size());
  machines = std::vector<Machine>(machine_names.size());
}

void Runner::Impl::compile_locks(std::vector<ScenarioProblem>& problems) {
  std::vector<std::vector<LockEntry>> entries;  // by client
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    const ClientSpec& c = scenario.clients[i];
    std::vector<LockEntry>& own = entries.emplace_back();
    for (const std::string& text : c.locks) {
      const auto entry = parse_lock_entry(text);
      std::string expected;
      if (!entry) {
        expected = "a lock such as x, x:read or x+y";
      } else if (entry->sharing == Sharing::shared && !lock->claims.shared) {
        expected = fmt::format("an entry without :read, as {} has no read holds", lock->name);
      } else if (entry->names.size() > 1 && !lock->several_names) {
        expected = fmt::format("an entry without +, as {} takes one name at a time", lock->name);
      } else {
        own.push_back(*entry);
        continue;
      }
      problems.push_back({fmt::format("clients[{}].locks", i), fmt::format("'{}'", text), std::move(expected), ""});
    }
    if (c.locks.empty()) own.push_back({{scenario.lock.name}, Sharing::exclusive});
    add_locks(own, locks);
  }
  for (const auto& own : entries) plans.push_back(make_lock_plan(own, locks));
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    // Where a count at the service has an owner, the judge could not tell which hold it belongs to.
    const bool downgrades = scenario.clients[i].releases == ReleaseOrder::oldest_first &&
                            reads_within_writer(plans[i], lock->claims);
    if (!downgrades || lock->ownership == Ownership::znode_read_write) continue;
    problems.push_back({fmt::format("clients[{}].releases", i), "oldest-first, and a reader within a writer",
                        fmt::format("newest-first, as {} does not queue", lock->name), ""});
  }
}

void Runner::Impl::compile_clocks_and_links(std::vector<ScenarioProblem>& problems) {
  const auto check = [&](const std::string& name, std::string where) {
    if (std::find(node_names.begin() + 1, node_names.end(), name) == node_names.end()) {
      problems.push_back(unknown(std::move(where), "machine", name, node_names));
    }
  };
  for (std::size_t i = 0; i < scenario.clocks.size(); ++i) check(scenario.clocks[i].node, fmt::format("clock[{}].node", i));
  for (std::size_t i = 0; i < scenario.links.size(); ++i) {
    check(scenario.links[i].from, fmt::format("link[{}].from", i));
    check(scenario.links[i].to, fmt::format("link[{}].to", i));
  }
}

void Runner::Impl::compile_expectations(std::vector<ScenarioProblem>& problems) {
  JudgeOptions& o = result.judged_with;
  o.seats = workload_kind->sells_seats;
  o.patience_limited = std::all_of(scenario.clients.begin(), scenario.clients.end(),
                                   [](const ClientSpec& c) { return c.patience || c.abandon_after; });
  o.honours_deadlines = std::any_of(scenario.clients.begin(), scenario.clients.end(),
                                    [](const ClientSpec& c) { return c.honours_deadline; });
  o.probe_process = static_cast<std::int32_t>(scenario.clients.size());
  o.reentrant = lock->claims.reentrant;
  if (lock->permits != nullptr) o.permits = static_cast<std::uint32_t>(lock->permits(*scenario.lock.options));
  if (lock->claims.fair) o.overtaking_limit = 0;
  o.wake_up_bound = (longest_retry + scenario.request_timeout * 2).ns;
  if (lease) {
    const auto waiters = static_cast<std::int64_t>(scenario.clients.size());
    const Duration bound = deployment->failover_bound(scenario);
    o.starvation_bound = ((*lease + longest_hold + longest_retry + bound) * (waiters + 1)).ns;
  }
  for (const auto& [name, expectation] : scenario.expect) {
    if (find_property(name)) continue;
    std::vector<std::string> names;
    for (const PropertyInfo& p : properties()) names.emplace_back(p.name);
    problems.push_back(unknown(fmt::format("expect.{}", name), "property", name, names));
  }
  for (std::size_t i = 0; i < scenario.sometimes.size(); ++i) {
    const auto condition = find_sometimes(scenario.sometimes[i]);
    if (condition) {
      for (SometimesMask& mask : o.also_requires) mask |= bit(*condition);
      continue;
    }
    std::vector<std::string> names;
    for (const SometimesInfo& s : sometimes_conditions()) names.emplace_back(s.name);
    problems.push_back(unknown(fmt::format("sometimes[{}]", i), "condition", scenario.sometimes[i], names));
  }
}

// --- running -------------------------------------------------------------------------------------

std::vector<NodeId> Runner::Impl::etcd_endpoints(NodeId machine) const {
  if (lock->service != LockService::etcd) return {};
  const std::vector<NodeId>& members = deployment->members();
  if (scenario.etcd.endpoints == EtcdEndpoints::all || machine == probe_node()) return members;
  return {members[static_cast<std::size_t>(machine - first_machine()) % members.size()]};
}

MachineChannels Runner::Impl::channels(NodeId node, bool connected) {
  ChannelOptions options;
  options.request_timeout = options.connect_timeout = scenario.request_timeout;
  options.connected_at_start = connected;
  MachineChannels c;
  ChannelOptions on_demand = options;
  on_demand.connected_at_start = false;
  for (std::uint32_t g = 0; g < deployment->groups(); ++g) {
    const NodeId server = deployment->first_master(g);
    c.redis.push_back(&world.open_channel(node, server, options));
    if (!lock->subscribes) continue;
    c.subscriptions.push_back(&world.open_channel(node, server, on_demand));
  }
  if (deployment->sentinels() > 0) {
    std::vector<RpcChannel*> sentinels;
    for (std::size_t i = 0; i < deployment->sentinels(); ++i) {
      sentinels.push_back(&world.open_channel(node, deployment->sentinel_node(i), on_demand));
    }
    // Each connection finds the master by itself, and is asked for again when that changes.
    for (const auto* const channels_of : {&c.redis, &c.subscriptions}) {
      for (RpcChannel* const channel : *channels_of) {
        routes.push_back(std::make_unique<MasterRoute>(world, sentinels));
        channel->follow(*routes.back());
      }
    }
  }
  if (deployment->is_cluster()) {
    std::vector<NodeId> nodes;
    for (std::size_t i = 0; i < deployment->redis().size(); ++i) nodes.push_back(deployment->redis_node(i));
    for (const auto* const channels_of : {&c.redis, &c.subscriptions}) {
      for (RpcChannel* const channel : *channels_of) {
        slot_routes.push_back(std::make_unique<SlotRoute>(world, cluster_slot(scenario.lock.name), nodes));
        channel->follow(*slot_routes.back());
      }
    }
  }
  if (lock->service == LockService::zookeeper) c.zookeeper = deployment->members();
  c.zookeeper_options = scenario.zookeeper.client;
  c.etcd_options = scenario.etcd.client;
  for (const NodeId member : etcd_endpoints(node)) {
    ChannelOptions etcd = etcd_channel(scenario.etcd.client);
    etcd.connected_at_start = connected;
    c.etcd.push_back(&world.open_channel(node, member, etcd));
  }
  c.storage = &world.open_channel(node, storage_node(), options);
  return c;
}

Cast Runner::Impl::cast() const {
  Cast cast;
  for (const ClientSpec& c : scenario.clients) cast.clients.push_back(c.name);
  cast.clients.emplace_back(kProbe);
  cast.clients_of_node.resize(node_names.size());
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    cast.clients_of_node[first_machine() + machine_of_client[i]].push_back(static_cast<std::uint32_t>(i));
  }
  cast.clients_of_node[probe_node()].push_back(static_cast<std::uint32_t>(scenario.clients.size()));
  cast.locks = locks;
  for (const std::string& name : locks.names) {
    const std::string of = locks.names.size() == 1 ? "" : name + ":";
    for (ResourceId r = 0; r < resources; ++r) {
      cast.resources.push_back(of + (resources == 1 ? scenario.workload.kind : fmt::format("seat-{}", r + 1)));
    }
  }
  cast.kept_in = workload_kind->kept_in;
  for (std::size_t i = 0; i < node_names.size(); ++i) cast.clocks.push_back(world.clock(static_cast<NodeId>(i)));
  return cast;
}

std::unique_ptr<GrantJudge> Runner::Impl::make_judge(const std::string& name) const {
  const Ownership rule = lock->ownership;
  switch (lock->service) {
    case LockService::etcd: return std::make_unique<EtcdGrants>(rule, name, lease);
    case LockService::zookeeper: {
      const std::int64_t permits = lock->permits != nullptr ? lock->permits(*scenario.lock.options) : 1;
      return std::make_unique<ZooKeeperGrants>(rule, name, permits);
    }
    case LockService::redis: break;
  }
  return std::make_unique<RedisGrants>(rule, hash_of(name), lease, deployment->redis());
}

void Runner::Impl::set_up(std::uint64_t seed, const RecordOptions& record) {
  world.reset(seed);
  routes.clear();
  slot_routes.clear();
  world.trace.record_fully(record.full_trace);
  world.draws.log(record.draws);
  if (!scenario.overrides.empty()) (void)world.draws.set_overrides(scenario.overrides);
  for (std::size_t i = 1; i < node_names.size(); ++i) world.add_node(node_names[i]);
  for (const ClockSpec& c : scenario.clocks) {
    Clock& clock = world.initial_clock(*world.find_node(c.node));
    clock.step(c.offset);
    clock.set_rate({}, static_cast<std::int32_t>(c.drift_ppm));
  }
  world.network.set_latency(scenario.latency);
  for (const LinkSpec& l : scenario.links) {
    world.network.set_latency(*world.find_node(l.from), *world.find_node(l.to), l.latency);
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
  if (!builder) builder.emplace(cast(), [this](const std::string& name) { return make_judge(name); });
  deployment->install(world, scenario, locks.names);
  storage.set_options(scenario.storage);
  world.install(storage_node(), storage);
  for (std::size_t i = 0; i < machines.size(); ++i) {
    machines[i].clear();
    machines[i].prepare(state, channels(static_cast<NodeId>(first_machine() + i), true));
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const ClientSpec& spec = scenario.clients[i];
    Machine& machine = machines[machine_of_client[i]];
    clients[i].prepare(machine.process(), spec, plans[i], static_cast<std::int32_t>(i), thread_of_client[i]);
    machine.add(clients[i], spec.machine.empty() ? std::string_view("main") : std::string_view(spec.name));
    state.unfinished += spec.rounds > 0 || spec.role == ClientRole::operator_;
  }
  probe.prepare(state, static_cast<std::int32_t>(clients.size()), channels(probe_node(), false), probe_patience);
  plan.arm(world);
  if (scenario.reseed) {
    world.at(TrueTime{} + scenario.reseed->at,
             {[](World& w, void*, std::uint64_t s) { w.draws.reseed(s); }, nullptr,
              static_cast<std::uint64_t>(scenario.reseed->seed)});
  }
}

bool Runner::Impl::run_until(TrueTime until) {
  const auto budget = static_cast<std::uint64_t>(scenario.event_budget);
  switch (world.run({until, budget})) {
    case RunEnd::budget: result.cut_off = true; return false;
    case RunEnd::livelock:
      result.cut_off = true;
      result.error = fmt::format("a million events at {} without time advancing", to_readable(world.now() - TrueTime{}));
      return false;
    default: return true;
  }
}

void Runner::Impl::play() {
  const auto after = [&](Duration d) { return world.now() + d; };
  phase(Phase::load);
  for (std::size_t i = 0; i < machines.size(); ++i) {
    world.install(static_cast<NodeId>(first_machine() + i), machines[i]);
  }
  if (!run_until(after(scenario.phases.load))) return;
  phase(Phase::heal);
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
  const bool finished = run_until(end);
  if (finished) phase(Phase::end);
}

void Runner::Impl::judge_run() {
  builder->build(world.trace.journal(), history);
  if (result.error.empty()) result.error = deployment->broken_invariant();
  result.defect_shown = deployment->shown_defect();
  result.history = &history;
  result.length = world.now() - TrueTime{};
  result.events = world.events();
  result.digest = world.trace.digest();
  assess_run(world, history, executed, result.executed);
  result.judged_with.budget_exhausted = result.cut_off;
  result.judged_with.fault_struck =
      std::any_of(executed.struck.begin(), executed.struck.end(), [](std::int64_t n) { return n > 0; });
  static_assert(FirstHeard::kNever == kNoTime);
  received.assign(history.holds.size(), FirstHeard::kNever);
  deployment->first_heard(received);
  builder->first_heard(received);
  builder->spread_to_parts(received);
  result.judged_with.received = received;
  result.verdicts = judge(history, result.judged_with, scratch);
  result.happened = scratch.happened;
  result.assumptions.clear();
  for (const Assumption& a : assumptions) result.assumptions.push_back(assess(a, result.executed));
}

const RunResult& Runner::run(std::uint64_t seed, const RecordOptions& record) {
  Impl& i = *impl_;
  i.result.seed = seed;
  i.result.cut_off = false;
  i.result.error.clear();
  i.set_up(seed, record);
  i.play();
  i.judge_run();
  return i.result;
}

std::variant<std::unique_ptr<Runner>, std::vector<ScenarioProblem>> Runner::compile(const Scenario& scenario) {
  auto impl = std::make_unique<Impl>();
  impl->scenario = scenario;
  std::vector<ScenarioProblem> problems;
  impl->compile(problems);
  if (!problems.empty()) return problems;
  return std::unique_ptr<Runner>(new Runner(std::move(impl)));
}

Runner::Runner(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Runner::~Runner() = default;
const Scenario& Runner::scenario() const { return impl_->scenario; }
World& Runner::world() { return impl_->world; }
const std::vector<std::string>& Runner::node_names() const { return impl_->node_names; }
const std::vector<std::uint32_t>& Runner::sources_of_history() const { return impl_->builder->sources(); }

}  // namespace picklock
