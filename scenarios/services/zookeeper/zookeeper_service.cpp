#include "scenarios/services/zookeeper/zookeeper_service.hpp"

#include <algorithm>

#include "scenarios/services/leaders.hpp"
#include "scenarios/services/zookeeper/zookeeper_changes.hpp"
#include "scenarios/services/zookeeper/zookeeper_disconnections.hpp"
#include "scenarios/services/zookeeper/zookeeper_grants.hpp"
#include "scenarios/services/zookeeper/zookeeper_messages.hpp"
#include "scenarios/services/zookeeper/zookeeper_spec.hpp"
#include "sim/zookeeper/connections.hpp"
#include "sim/zookeeper/inspect.hpp"
#include "sim/zookeeper/server.hpp"
#include "sim/zookeeper/sessions.hpp"

namespace picklock {

void ZooKeeperSpec::fields(FieldVisitor& v) {
  v.field({.name = "servers", .help = "number of voting servers: zookeeper1, …", .least = 1, .most = 9}, servers);
  v.field({.name = "observers", .help = "number of observers, numbered after the voters", .least = 0, .most = 9},
          observers);
  v.field({.name = "counter-starts-at",
           .help = "number of nodes already made in a lock's directory, which is a container; 0: no directory yet",
           .least = 0,
           .most = 2'147'483'647},
          counter_starts_at);
  server.fields(v);
  client.fields(v);
}

namespace {

// Directories that have been used so often that their next node gets the number which the scenario asks for.
std::vector<ZooDirectory> used_directories(std::int64_t creates, std::span<const std::string> locks) {
  std::vector<ZooDirectory> directories;
  for (const std::string& lock : locks) {
    if (creates == 0) break;
    const std::string path = lock.starts_with('/') ? lock : "/" + lock;
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      directories.push_back({path.substr(0, slash), 1, true});
    }
    directories.push_back({path, static_cast<std::int32_t>(creates), true});
  }
  return directories;
}

class ZooKeeperServiceClient final : public ServiceClient {
 public:
  ZooKeeperServiceClient(std::vector<NodeId> servers, const ZooClientOptions& options)
      : servers_(std::move(servers)), options_(options) {}

  void boot(World& world, NodeId node) override {
    client_.boot(world, node, servers_, options_);
    connections_.boot(world, node, servers_);
  }
  void give(Reach& reach) override {
    reach.put<ZooConnector>(client_);
    reach.put<ZooConnections>(connections_);
  }

 private:
  std::vector<NodeId> servers_;  // the library makes connections by itself
  ZooClientOptions options_;
  ZooClient client_;
  ZooConnections connections_;
};

// The changes that a server has applied tell whom it names.
class ZooKeeperViews final : public ReplicatedViews {
 public:
  using ReplicatedViews::ReplicatedViews;

 private:
  std::optional<std::int64_t> number_in(const TraceRecord& r) const override {
    if (r.kind != trace::zoo_applied && r.kind != trace::zoo_loaded) return std::nullopt;
    return static_cast<std::int64_t>(r.b);
  }
};

class ZooKeeperDeployment final : public Deployment {
 public:
  explicit ZooKeeperDeployment(const ServiceUse& use)
      : spec_(use.settings.of<ZooKeeperSpec>()),
        rule_(rule_of<ZnodeOwnership>(kZnodeOwnership, use.lock.ownership)),
        permits_(permits_of(use.lock, use.options)),
        lease_(use.lease),
        data_lease_(data_lease_of(use.lock, use.options)) {
    nodes_ = add_machines("zookeeper", spec_.servers + spec_.observers);
    for (std::size_t i = 0; i < nodes_.size(); ++i) servers_.push_back(std::make_unique<ZooServer>());
  }

  // A learner notices a lost leader within the sync limit, a leader a lost quorum within the same; then a history is
  // taken over, which takes no more than the other but seldom as much; sessions begin anew.
  Duration failover_bound() const override { return spec_.server.tick * (2 * spec_.server.sync_limit); }

  // A client pauses before an attempt to connect, and longer before it tries the first server again.
  Duration idle_bound() const override {
    return Duration{spec_.client.reconnect_delay.high()} + spec_.client.round_delay + spec_.client.clean_up;
  }
  std::size_t spare_machines() const override { return static_cast<std::size_t>(spec_.servers - 1) / 2; }

  std::unique_ptr<GrantJudge> judge_of(const std::string& key) const override {
    return std::make_unique<ZooKeeperGrants>(rule_, key, permits_, lease_, data_lease_);
  }
  std::unique_ptr<ServerViews> views_of(std::uint32_t lock, const std::string& key) const override {
    return std::make_unique<ZooKeeperViews>(lock, nodes_, judge_of(key));
  }
  std::vector<ServerRole> roles_in(std::span<const TraceRecord> journal) const override {
    return leaders_in(journal, trace::zoo_role);
  }

  std::unique_ptr<ChangeReader> change_reader() const override { return std::make_unique<ZooKeeperChanges>(); }

  void install(World& world, std::span<const std::string> keys) override {
    judge_.reset();
    const auto voters = nodes_.begin() + spec_.servers;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      servers_[i]->set_up({.options = spec_.server,
                           .servers = {nodes_.begin(), voters},
                           .observers = {voters, nodes_.end()},
                           .judge = &judge_,
                           .directories = used_directories(spec_.counter_starts_at, keys),
                           .reader = &reader_});
      world.install(nodes_[i], *servers_[i]);
    }
  }

  std::unique_ptr<ServiceClient> connect(World&, const ClientMachine&) override {
    return std::make_unique<ZooKeeperServiceClient>(nodes_, spec_.client);
  }

  void first_heard(std::vector<std::int64_t>& by_hold) const override { judge_.first_heard().merge_into(by_hold); }
  std::string broken_invariant() const override { return has_defect() ? std::string() : broken(); }
  std::string shown_defect() const override { return has_defect() ? broken() : std::string(); }

  void measure(const World& world, ExecutedFaults& faults) const override {
    faults.failovers += elections_after_first(world.trace.journal(), trace::zoo_role);
    faults.disconnection_ns = std::max(faults.disconnection_ns, longest_disconnection(world).ns);
    // Servers that keep their invariants forget nothing that they have acknowledged.
    faults.data_losses += broken().empty() ? 0 : 1;
  }

 private:
  bool has_defect() const { return spec_.server.defect != ZooDefect::none; }
  std::string broken() const {
    if (!judge_.content()) return judge_.complaints().front();
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      const std::string misplaced = servers_[i]->serves() ? judge_.misplaced(servers_[i]->tree()) : "";
      if (!misplaced.empty()) return machines()[i] + ": " + misplaced;
    }
    return {};
  }

  const ZooKeeperSpec spec_;
  const ZnodeOwnership rule_;
  const std::int64_t permits_;  // holds at a time, for a semaphore
  const std::optional<Duration> lease_;
  const DataLease data_lease_;
  std::vector<NodeId> nodes_;  // the observers last
  std::vector<std::unique_ptr<ZooServer>> servers_;
  ZooJudge judge_;
  ZooProposalReader reader_;
};

constexpr ServiceTable kZooKeeperTables[] = {
    service_table<ZooKeeperSpec>("The ensemble of a lock that asks ZooKeeper, and its clients."),
};

}  // namespace

constinit const ServiceKind kZooKeeperService = {
    .name = "zookeeper",
    .title = "ZooKeeper",
    .tables = kZooKeeperTables,
    .ownership_rules = kZnodeOwnership,
    .make = [](const ServiceUse& use) -> std::unique_ptr<Deployment> {
      return std::make_unique<ZooKeeperDeployment>(use);
    },
    .trace_kinds = trace::zookeeper_kinds,
    .notification = trace::zoo_watch_fired,
    .granted =
        [](const ServiceSettings& settings, const LockKind&, Duration asked) {
          return milliseconds(zoo_negotiated_timeout_ms(asked.ms(), settings.of<ZooKeeperSpec>().server.tick.ms()));
        },
    .message_words = zookeeper_message_words,
    .place = "znode",
};

}  // namespace picklock
