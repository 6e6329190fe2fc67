#include "scenarios/services/redis/redis_service.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/redis/redis_scripts.hpp"
#include "base/hash.hpp"
#include "scenarios/services/redis/redis_client.hpp"
#include "scenarios/services/redis/redis_grants.hpp"
#include "scenarios/services/redis/redis_losses.hpp"
#include "scenarios/services/redis/redis_messages.hpp"
#include "scenarios/services/redis/redis_spec.hpp"
#include "scenarios/services/redis/redis_views.hpp"
#include "sim/redis/cluster/cluster_bus.hpp"
#include "sim/redis/inspect.hpp"
#include "sim/redis/sentinel/server.hpp"
#include "sim/redis/server.hpp"

namespace picklock {

void TopologySpec::fields(FieldVisitor& v) {
  v.field({.name = "replicas", .help = "number of replicas of each master: redis-replica1, …", .least = 0, .most = 16},
          replicas);
  v.field({.name = "sentinels",
           .help = "number of sentinels, which watch the master and tell clients who it is: sentinel1, …",
           .least = 0,
           .most = 16},
          sentinels);
  v.field({.name = "cluster",
           .help = "masters of a Redis cluster: redis1, …; replicas of each: redis1-replica1, …; 0: no cluster",
           .least = 0,
           .most = 16},
          cluster);
}

void RedisSpec::fields(FieldVisitor& v) {
  topology.fields(v);
  server.fields(v);
  cluster.fields(v);
}

namespace {

std::uint32_t independent_servers(const LockKind& lock, const Options& options) {
  return lock.servers != nullptr ? lock.servers(options) : lock.independent_servers;
}

class RedisDeployment final : public Deployment {
 public:
  explicit RedisDeployment(const ServiceUse& use);

  std::size_t independent_machines() const override { return groups_; }
  // A minority of independent servers is spare; whether a replica takes over is not asked.
  std::size_t spare_machines() const override { return groups_ > 1 ? (groups_ - 1) / 2 : 0; }
  void check(std::span<const NamedLock> asked, std::vector<ScenarioProblem>& problems) const override;
  // The time that sentinels take is part of the scenario's settling time.
  Duration failover_bound() const override { return {}; }
  std::unique_ptr<GrantJudge> judge_of(const std::string& key) const override {
    return std::make_unique<RedisGrants>(rule_, hash_of(key), lease_, places_, data_lease_);
  }
  std::unique_ptr<ServerViews> views_of(std::uint32_t lock, const std::string& key) const override {
    return std::make_unique<RedisViews>(lock, rule_, hash_of(key), lease_, places_, data_lease_);
  }
  std::vector<ServerRole> roles_in(std::span<const TraceRecord> journal) const override {
    return redis_roles(journal, places_);
  }

  void install(World& world, std::span<const std::string> lock_names) override;
  std::unique_ptr<ServiceClient> connect(World& world, const ClientMachine& machine) override;

  void first_heard(std::vector<std::int64_t>& by_hold) const override {
    for (const auto& server : servers_) server->first_heard().merge_into(by_hold);
  }
  void measure(const World& world, ExecutedFaults& faults) const override {
    // A dead master is missed no more where a replica was promoted.
    const bool replicated = servers_.size() > groups_;
    if (replicated && faults.servers_missing > 0) faults.servers_missing = groups_missing(world);
    const bool alone = servers_.size() == 1;  // a lone server loses data only by a restart
    if (!alone || faults.restarts > 0) measure_redis(world, faults);
  }

 private:
  bool is_cluster() const { return spec_.topology.cluster > 0; }
  // Groups of servers without a living master, beyond those that the lock can spare.
  std::int64_t groups_missing(const World& world) const;
  std::uint32_t shard_of(std::string_view key) const { return cluster_shard(key, masters_); }
  // The first server that a client asks, unless something tells it of another.  Of a cluster: the first owner of the
  // lock's slot.
  NodeId first_master(std::uint32_t group) const { return nodes_[group + home_]; }
  void add_server(std::string name, RedisPlace place);
  void lead_connections(RedisServiceClient& client, World& world, NodeId from) const;

  const RedisSpec spec_;
  const SentinelOptions sentinel_;
  const std::string key_, lock_kind_;
  const RedisOwnership rule_;
  const std::optional<Duration> lease_;
  const DataLease data_lease_;
  const bool subscribes_;
  std::uint32_t groups_ = 0;   // groups of servers that replicate the same data
  std::uint32_t masters_ = 0;  // one a group, or all of a cluster
  std::uint32_t home_ = 0;     // the master of a cluster that owns the lock's slot at the start
  std::vector<RedisPlace> places_;
  std::vector<NodeId> nodes_;                          // index: place; the masters, then the replicas
  std::vector<std::unique_ptr<RedisServer>> servers_;  // index: place
  std::vector<std::unique_ptr<ClusterBus>> buses_;     // index: place; only in a cluster
  std::vector<NodeId> sentinel_nodes_;
  std::vector<std::unique_ptr<SentinelServer>> sentinels_;
};

RedisDeployment::RedisDeployment(const ServiceUse& use)
    : spec_(use.settings.of<RedisSpec>()),
      sentinel_(use.settings.of<SentinelOptions>()),
      key_(use.key),
      lock_kind_(use.lock.name),
      rule_(rule_of<RedisOwnership>(kRedisOwnership, use.lock.ownership)),
      lease_(use.lease),
      data_lease_(data_lease_of(use.lock, use.options)),
      subscribes_(use.lock.subscribes),
      groups_(independent_servers(use.lock, use.options)) {
  const TopologySpec& t = spec_.topology;
  masters_ = is_cluster() ? static_cast<std::uint32_t>(t.cluster) : groups_;
  if (is_cluster()) home_ = shard_of(key_);
  const auto master = [&](std::uint32_t m) {
    return masters_ == 1 && !is_cluster() ? std::string("redis") : fmt::format("redis{}", m + 1);
  };
  const auto place = [&](std::uint32_t m, bool replica) {
    return is_cluster() ? RedisPlace{0, replica, m != home_} : RedisPlace{m, replica};
  };
  for (std::uint32_t m = 0; m < masters_; ++m) add_server(master(m), place(m, false));
  for (std::uint32_t m = 0; m < masters_; ++m) {
    for (std::int64_t i = 1; i <= t.replicas; ++i) {
      add_server(fmt::format("{}-replica{}", master(m), i), place(m, true));
    }
  }
  for (std::size_t i = 0; is_cluster() && i < servers_.size(); ++i) {
    buses_.push_back(std::make_unique<ClusterBus>());
    servers_[i]->set_bus(buses_.back().get());
  }
  sentinel_nodes_ = add_machines("sentinel", t.sentinels);
  for (std::size_t i = 0; i < sentinel_nodes_.size(); ++i) sentinels_.push_back(std::make_unique<SentinelServer>());
}

void RedisDeployment::add_server(std::string name, RedisPlace place) {
  nodes_.push_back(add_machine(std::move(name)));
  places_.push_back(place);
  servers_.push_back(std::make_unique<RedisServer>(redis_scripts()));
}

std::int64_t RedisDeployment::groups_missing(const World& world) const {
  std::vector<bool> leads(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) leads[i] = !places_[i].replica;
  for (const ServerRole& r : redis_roles(world.trace.journal(), places_)) leads[r.node - std::size_t{1}] = r.leads;
  std::vector<bool> served(groups_);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const bool serves = leads[i] && !places_[i].elsewhere && world.nodes.alive(nodes_[i]);
    if (serves) served[places_[i].group] = true;
  }
  const std::int64_t missing = std::count(served.begin(), served.end(), false);
  return std::max(missing - static_cast<std::int64_t>(spare_machines()), std::int64_t{0});
}

void RedisDeployment::check(std::span<const NamedLock> asked, std::vector<ScenarioProblem>& problems) const {
  const TopologySpec& t = spec_.topology;
  const auto add = [&](std::string where, std::int64_t found, std::string expected) {
    problems.push_back({std::move(where), fmt::format("{}", found), std::move(expected), ""});
  };
  const std::string none = fmt::format("none, as {} asks {} independent servers", lock_kind_, groups_);
  if (groups_ > 1 && t.sentinels > 0) add("redis.sentinels", t.sentinels, none);
  if (!is_cluster()) return;
  if (groups_ > 1) add("redis.cluster", t.cluster, none);
  if (t.sentinels > 0) add("redis.sentinels", t.sentinels, "none, as a cluster has none");
  for (const NamedLock& lock : asked) {
    if (shard_of(lock.key) == shard_of(key_)) continue;
    problems.push_back({lock.where, fmt::format("'{}'", lock.name),
                        fmt::format("a key of the same shard as '{0}', such as {{{0}}}{1}", key_, lock.name), ""});
  }
}

void RedisDeployment::install(World& world, std::span<const std::string>) {
  const auto replicas = static_cast<std::uint32_t>(spec_.topology.replicas);
  for (std::size_t i = 0; i < buses_.size(); ++i) {
    buses_[i]->set_up(even_cluster(masters_, replicas), nodes_, static_cast<ClusterIndex>(i), spec_.cluster);
  }
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    servers_[i]->set_options(spec_.server);
    const std::size_t of = i < masters_ ? i : (i - masters_) / replicas;  // its master's place
    servers_[i]->set_master(places_[i].replica ? nodes_[of] : NodeId{0});
    world.install(nodes_[i], *servers_[i]);
  }
  const auto after_masters = machines().begin() + masters_;
  const auto after_servers = machines().begin() + static_cast<std::ptrdiff_t>(servers_.size());
  const SentinelSetup setup{.options = sentinel_,
                            .master = machines().front(),
                            .replicas = {after_masters, after_servers},
                            .sentinels = {after_servers, machines().end()}};
  for (std::size_t i = 0; i < sentinels_.size(); ++i) {
    sentinels_[i]->set_up(setup);
    world.install(sentinel_nodes_[i], *sentinels_[i]);
  }
}

std::unique_ptr<ServiceClient> RedisDeployment::connect(World& world, const ClientMachine& machine) {
  ChannelOptions options;
  options.request_timeout = options.connect_timeout = machine.request_timeout;
  options.connected_at_start = !machine.probes;
  ChannelOptions on_demand = options;
  on_demand.connected_at_start = false;
  auto client = std::make_unique<RedisServiceClient>();
  lead_connections(*client, world, machine.node);
  std::vector<RpcChannel*> routed;  // channels that something tells of another server
  const auto open = [&](std::uint32_t group, const ChannelOptions& how) {
    RpcChannel* const channel = &world.channels.open(machine.node, first_master(group), how);
    if (!sentinels_.empty() || is_cluster()) routed.push_back(channel);
    return channel;
  };
  for (std::uint32_t g = 0; g < groups_; ++g) {
    RpcChannel* const commands = open(g, options);
    client->add(*commands, subscribes_ ? open(g, on_demand) : nullptr);
  }
  std::vector<RpcChannel*> to_sentinels;
  for (const NodeId sentinel : sentinel_nodes_) {
    to_sentinels.push_back(&world.channels.open(machine.node, sentinel, on_demand));
  }
  for (RpcChannel* const channel : routed) {
    if (!sentinels_.empty()) client->follow_master(world, *channel, to_sentinels);
    if (is_cluster()) client->follow_slot(world, *channel, cluster_slot(key_), nodes_);
  }
  return client;
}

// The first master of each group, then the other machines.
void RedisDeployment::lead_connections(RedisServiceClient& client, World& world, NodeId from) const {
  using Role = RedisAddress::Role;
  std::vector<NodeId> machines;
  RedisAddresses addresses;
  const auto add = [&](NodeId node, Role role) {
    if (std::find(machines.begin(), machines.end(), node) != machines.end()) return;
    machines.push_back(node);
    addresses.all.push_back({world.nodes.name(node), role});
  };
  for (std::uint32_t g = 0; g < groups_; ++g) add(first_master(g), is_cluster() ? Role::node : Role::master);
  addresses.servers = machines.size();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    add(nodes_[i], is_cluster() ? Role::node : places_[i].replica ? Role::replica : Role::master);
  }
  for (const NodeId sentinel : sentinel_nodes_) add(sentinel, Role::sentinel);
  client.lead_to(world, from, std::move(machines), std::move(addresses));
}

constexpr ServiceTable kRedisTables[] = {
    service_table<RedisSpec>("Redis servers, and the settings of each."),
    service_table<SentinelOptions>("Settings of every sentinel."),
};

// Replicas in one of three scenarios, and sentinels in half of those with a single master.
void draw_machines(ServiceSettings& settings, const LockKind& lock, const Options& options, ServiceDice& dice) {
  TopologySpec& topology = settings.of<RedisSpec>().topology;
  SentinelOptions& sentinel = settings.of<SentinelOptions>();
  topology = {};
  sentinel = {};
  if (!dice.one_in(3)) return;
  topology.replicas = dice.number(1, 2);
  if (independent_servers(lock, options) > 1 || dice.one_in(2)) return;
  topology.sentinels = dice.number(1, 2) * 2 - 1;
  sentinel.quorum = dice.number(1, topology.sentinels);
  sentinel.down_after = dice.duration(milliseconds(50), seconds(2));
  sentinel.failover_timeout = sentinel.down_after * dice.number(2, 6);
  settings.of<RedisSpec>().server.repl_diskless_sync_delay = seconds(0);
}

constexpr ServiceVariety kRedisVariety = {
    .options = [](ServiceSettings& settings, FieldVisitor& v) { settings.of<RedisSpec>().server.fields(v); },
    .machines = draw_machines,
};

}  // namespace

constinit const ServiceKind kRedisService = {
    .name = "redis",
    .title = "Redis",
    .tables = kRedisTables,
    .ownership_rules = kRedisOwnership,
    .make = [](const ServiceUse& use) -> std::unique_ptr<Deployment> { return std::make_unique<RedisDeployment>(use); },
    .trace_kinds =
        [] {
          const auto servers = trace::redis_kinds(), sentinels = trace::sentinel_kinds();
          std::vector<TraceKindInfo> all(servers.begin(), servers.end());
          all.insert(all.end(), sentinels.begin(), sentinels.end());
          return all;
        },
    .variety = kRedisVariety,
    .message_words = redis_message_words,
};

}  // namespace picklock
