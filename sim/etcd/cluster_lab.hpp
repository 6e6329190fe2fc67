// For tests and benchmarks: a cluster of members and clients of it in one world, and mishaps.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/etcd/client.hpp"
#include "sim/etcd/member.hpp"

namespace picklock::testing {

struct EtcdClusterOptions {
  std::size_t members = 3, clients = 1;
  EtcdOptions etcd = {};
  RaftFlaw flaw = RaftFlaw::none;
  EtcdClientOptions client = {};
  bool pinned = false;  // client i speaks to member i only, and not to all
};

class EtcdCluster {
 public:
  explicit EtcdCluster(const EtcdClusterOptions& o = {}, std::uint64_t seed = 1) { begin(o, seed); }
  ~EtcdCluster() { end(); }
  EtcdCluster(const EtcdCluster&) = delete;
  EtcdCluster& operator=(const EtcdCluster&) = delete;

  void begin(const EtcdClusterOptions& o, std::uint64_t seed) {
    end();
    options = o;
    world.reset(seed);
    invariants.reset();
    acts_.clear();
    rules_.clear();
    member_node.clear();
    client_node.clear();
    for (std::size_t i = 0; i < o.members; ++i) member_node.push_back(world.nodes.add("etcd" + std::to_string(i + 1)));
    for (std::size_t i = 0; i < o.clients; ++i)
      client_node.push_back(world.nodes.add("client" + std::to_string(i + 1)));
    while (members.size() < o.members) members.push_back(std::make_unique<EtcdMember>());
    for (std::size_t i = 0; i < o.members; ++i) {
      members[i]->set_up({.options = o.etcd,
                          .members = member_node,
                          .flaw = o.flaw,
                          .invariants = &invariants,
                          .versions = &versions});
      world.install(member_node[i], *members[i]);
    }
    for (std::size_t c = 0; c < o.clients; ++c) {
      std::vector<Channel*> channels;
      for (std::size_t i = 0; i < o.members; ++i) {
        if (o.pinned && i != c % o.members) continue;
        channels.push_back(&world.channels.open(client_node[c], member_node[i], etcd_channel(o.client)));
      }
      clients.push_back(std::make_unique<EtcdClient>(world.host(client_node[c]), std::move(channels), o.client));
    }
  }
  void end() {
    world.reset(0);
    clients.clear();
  }

  using Act = std::function<void(World&)>;
  Action action(Act act) {
    acts_.push_back(std::move(act));
    return {[](World& w, void* f, std::uint64_t) { (*static_cast<Act*>(f))(w); }, &acts_.back(), 0};
  }
  void at(Duration when, Act act) { world.actions.at(TrueTime{} + when, action(std::move(act))); }
  void run_until(Duration when) { world.run({.until = TrueTime{} + when}); }

  // Nothing passes between these nodes and all others, in either direction or only outwards.
  void cut(const std::vector<NodeId>& island, bool one_way = false) {
    NetworkRule out, in;
    for (NodeId n = 1; n <= world.nodes.count(); ++n) {
      (std::find(island.begin(), island.end(), n) != island.end() ? out.from : out.to).set(n);
    }
    in.from = out.to;
    in.to = out.from;
    out.fate = in.fate = Fate::drop;
    rules_.push_back(world.network.install(out));
    if (!one_way) rules_.push_back(world.network.install(in));
  }
  void heal() {
    for (const std::uint32_t id : std::exchange(rules_, {})) world.network.uninstall(id);
  }

  // The living member that leads by its Raft, in the newest term; members.size(): none.
  std::size_t leader() const {
    std::size_t best = options.members;
    for (std::size_t i = 0; i < options.members; ++i) {
      if (!world.nodes.alive(member_node[i]) || !members[i]->raft().leads()) continue;
      if (best == options.members || members[i]->raft().term() > members[best]->raft().term()) best = i;
    }
    return best;
  }
  std::size_t follower() const { return leader() == 0 ? 1 : 0; }

  EtcdClusterOptions options;
  World world;
  EtcdInvariants invariants;
  EtcdVersions versions;
  std::vector<std::unique_ptr<EtcdMember>> members;
  std::vector<NodeId> member_node, client_node;
  std::vector<std::unique_ptr<EtcdClient>> clients;

 private:
  std::deque<Act> acts_;
  std::vector<std::uint32_t> rules_;
};

}  // namespace picklock::testing
