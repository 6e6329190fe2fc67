#include "scenarios/services/etcd/etcd_service.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "scenarios/services/etcd/etcd_changes.hpp"
#include "scenarios/services/etcd/etcd_grants.hpp"
#include "scenarios/services/etcd/etcd_late_renewals.hpp"
#include "scenarios/services/etcd/etcd_messages.hpp"
#include "scenarios/services/etcd/etcd_spec.hpp"
#include "scenarios/services/leaders.hpp"
#include "sim/etcd/inspect.hpp"
#include "sim/etcd/member.hpp"

namespace picklock {

void EtcdSpec::fields(FieldVisitor& v) {
  v.field({.name = "members", .help = "number of members: etcd1, etcd2, …", .least = 1, .most = 9}, members);
  v.field({.name = "endpoints", .help = "members that a client knows: all, or one, the first client the first"},
          endpoints);
  server.fields(v);
  client.fields(v);
}

namespace {

class EtcdServiceClient final : public ServiceClient {
 public:
  EtcdServiceClient(std::vector<RpcChannel*> channels, const EtcdClientOptions& options)
      : channels_(channels.begin(), channels.end()), options_(options) {}

  void boot(World& world, NodeId node) override {
    client_.reset();
    client_ = std::make_unique<EtcdClient>(world.host(node), channels_, options_);
  }
  void give(Reach& reach) override { reach.put<Etcd>(*client_); }

 private:
  std::vector<Channel*> channels_;
  EtcdClientOptions options_;
  std::unique_ptr<EtcdClient> client_;  // client of the current process
};

// The changes that a member has applied tell whom it names.
class EtcdViews final : public ReplicatedViews {
 public:
  using ReplicatedViews::ReplicatedViews;

 private:
  std::optional<std::int64_t> number_in(const TraceRecord& r) const override {
    if (r.kind != trace::etcd_at) return std::nullopt;
    return static_cast<std::int64_t>(r.c);
  }
};

class EtcdDeployment final : public Deployment {
 public:
  explicit EtcdDeployment(const ServiceUse& use)
      : spec_(use.settings.of<EtcdSpec>()),
        rule_(rule_of<EtcdOwnership>(kEtcdOwnership, use.lock.ownership)),
        lease_(use.lease),
        permits_(permits_of(use.lock, use.options)),
        data_lease_(data_lease_of(use.lock, use.options)) {
    nodes_ = add_machines("etcd", spec_.members);
    for (std::size_t i = 0; i < nodes_.size(); ++i) members_.push_back(std::make_unique<EtcdMember>());
  }

  // Silence, a campaign, another one after a split vote; then leases last an election longer.
  Duration failover_bound() const override { return spec_.server.election * 6 + until_pinged(); }

  Duration idle_bound() const override {
    return spec_.client.request_timeout + EtcdClient::kReconnect + until_pinged();
  }
  std::size_t spare_machines() const override { return (nodes_.size() - 1) / 2; }

  // Raft counts elections in heartbeats.
  void check(std::span<const NamedLock>, std::vector<ScenarioProblem>& problems) const override {
    const EtcdOptions& o = spec_.server;
    if (o.election_ticks() >= 2) return;
    problems.push_back({"etcd.election", to_text(o.election),
                        fmt::format("two heartbeats or more, as etcd.heartbeat is {}", to_text(o.heartbeat)), ""});
  }

  std::unique_ptr<GrantJudge> judge_of(const std::string& key) const override {
    return std::make_unique<EtcdGrants>(rule_, key, lease_, permits_, data_lease_);
  }
  std::unique_ptr<ServerViews> views_of(std::uint32_t lock, const std::string& key) const override {
    return std::make_unique<EtcdViews>(lock, nodes_, judge_of(key));
  }
  std::vector<ServerRole> roles_in(std::span<const TraceRecord> journal) const override {
    return leaders_in(journal, trace::etcd_role);
  }

  std::unique_ptr<ChangeReader> change_reader() const override { return std::make_unique<EtcdChanges>(); }

  void install(World& world, std::span<const std::string>) override {
    invariants_.reset();
    for (std::size_t i = 0; i < members_.size(); ++i) {
      members_[i]->set_up(
          {.options = spec_.server, .members = nodes_, .invariants = &invariants_, .versions = &versions_});
      world.install(nodes_[i], *members_[i]);
    }
  }

  std::unique_ptr<ServiceClient> connect(World& world, const ClientMachine& machine) override {
    std::vector<RpcChannel*> channels;
    for (const NodeId member : endpoints_of(machine)) {
      ChannelOptions options = etcd_channel(spec_.client);
      options.connected_at_start = !machine.probes;
      channels.push_back(&world.channels.open(machine.node, member, options));
    }
    return std::make_unique<EtcdServiceClient>(std::move(channels), spec_.client);
  }

  std::string broken_invariant() const override { return invariants_.broken(); }

  void measure(const World& world, ExecutedFaults& faults) const override {
    faults.failovers += elections_after_first(world.trace.journal(), trace::etcd_role);
    faults.disconnection_ns = std::max(faults.disconnection_ns, latest_renewal(world, nodes_).ns);
    // Members that keep their invariants forget nothing that they have acknowledged.
    faults.data_losses += invariants_.broken().empty() ? 0 : 1;
  }

 private:
  // Time until a client that pings ends its connection to a machine that fell silent.
  Duration until_pinged() const {
    const EtcdClientOptions& client = spec_.client;
    return client.dial_keep_alive_time ? *client.dial_keep_alive_time + client.dial_keep_alive_timeout : Duration{};
  }

  std::vector<NodeId> endpoints_of(const ClientMachine& machine) const {
    if (spec_.endpoints == EtcdEndpoints::all || machine.probes) return nodes_;
    return {nodes_[machine.number % nodes_.size()]};
  }

  const EtcdSpec spec_;
  const EtcdOwnership rule_;
  const std::optional<Duration> lease_;
  const std::int64_t permits_;  // holds at a time
  const DataLease data_lease_;
  std::vector<NodeId> nodes_;
  std::vector<std::unique_ptr<EtcdMember>> members_;
  EtcdInvariants invariants_;
  EtcdVersions versions_;
};

constexpr ServiceTable kEtcdTables[] = {
    service_table<EtcdSpec>("The cluster of a lock that asks etcd, and its clients.")};

}  // namespace

constinit const ServiceKind kEtcdService = {
    .name = "etcd",
    .title = "etcd",
    .tables = kEtcdTables,
    .ownership_rules = kEtcdOwnership,
    .make = [](const ServiceUse& use) -> std::unique_ptr<Deployment> { return std::make_unique<EtcdDeployment>(use); },
    .trace_kinds =
        [] {
          const auto kinds = trace::etcd_kinds();
          return std::vector<TraceKindInfo>(kinds.begin(), kinds.end());
        },
    // The lock's own record is no lease of etcd's.
    .granted =
        [](const ServiceSettings& settings, const LockKind& lock, Duration asked) {
          if (rule_of<EtcdOwnership>(kEtcdOwnership, lock.ownership) == EtcdOwnership::record) return asked;
          const std::int64_t least_s = etcd_least_ttl_s(settings.of<EtcdSpec>().server.election);
          return std::max(asked, seconds(least_s));
        },
    .message_words = etcd_message_words,
};

}  // namespace picklock
