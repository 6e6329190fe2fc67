// For the tests of this folder: a cluster of servers and a client in one world, and mishaps.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/cluster/cluster_bus.hpp"
#include "sim/redis/cluster/slot_route.hpp"
#include "sim/redis/server.hpp"
#include "sim/redis/test_lab.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

struct ClusterLabOptions {
  std::uint32_t masters = 3, replicas = 1;
  ClusterOptions cluster = {.node_timeout = seconds(2)};
  RedisOptions redis = {};
  ClusterFlaw flaw = ClusterFlaw::none;
};

// Nodes 1 to masters are the masters, the others their replicas, in order; the client is the last.
class ClusterLab : public RedisLab {
 public:
  static constexpr std::string_view kKey = "{0}k";  // slot 13907: of the last of three shards

  explicit ClusterLab(const ClusterLabOptions& options = {}, std::uint64_t seed = 1) : options_(options) {
    begin_world(seed);
    const std::uint32_t n = options.masters * (1 + options.replicas);
    std::vector<NodeId> nodes;
    for (std::uint32_t i = 0; i < n; ++i) nodes.push_back(world.add_node("n" + std::to_string(i)));
    client = world.add_node("client");
    for (std::uint32_t i = 0; i < n; ++i) {
      buses.push_back(std::make_unique<ClusterBus>());
      buses[i]->set_up(even_cluster(options.masters, options.replicas), nodes, i, options.cluster, options.flaw);
      servers.push_back(std::make_unique<RedisServer>());
      servers[i]->set_options(options.redis);
      servers[i]->set_master(i < options.masters ? NodeId{0} : nodes[(i - options.masters) / options.replicas]);
      servers[i]->set_bus(buses[i].get());
      world.install(nodes[i], *servers[i]);
    }
    route = std::make_unique<SlotRoute>(world, cluster_slot(kKey), nodes);
    channel = &world.open_channel(client, nodes[0],
                                  {.request_timeout = milliseconds(500), .connect_timeout = milliseconds(500)});
    channel->follow(*route);
    for (const NodeId node : nodes) direct.push_back(&world.open_channel(client, node, {.connected_at_start = false}));
  }
  ~ClusterLab() { world.reset(0); }

  static NodeId node(std::uint32_t i) { return static_cast<NodeId>(1 + i); }
  std::uint32_t owner() const { return cluster_shard(kKey, options_.masters); }  // at the start
  std::uint32_t replica() const { return options_.masters + owner() * options_.replicas; }

  // One command, straight to one node.
  std::string ask(std::uint32_t to, RedisCommand command) {
    std::string answer;
    world.start(client, "command",
                issue(world.host(client), this, direct[to], std::move(command), ++commands_, &answer, true));
    world.run({.until = world.now() + seconds(3)});
    return answer;
  }
  // Writes the key every `every` through the channel that follows the slot.
  struct Write {
    Duration when;  // it was answered
    std::string what;
    NodeId by;
  };
  void write_every(Duration every) { world.start(client, "main", write(world.host(client), this, every)); }
  std::vector<Write> writes;
  std::size_t count(std::string_view what, NodeId by, Duration from, Duration to) const {
    std::size_t n = 0;
    for (const Write& w : writes)
      n += w.what.substr(0, what.size()) == what && w.by == by && w.when >= from && w.when < to;
    return n;
  }
  // Who would execute a command for the key now.
  std::vector<std::uint32_t> serving() const {
    std::vector<std::uint32_t> all;
    const std::uint32_t shard = owner();
    for (std::uint32_t i = 0; i < servers.size(); ++i) {
      const bool yes = world.alive(node(i)) && buses[i]->node().answer(shard) == ClusterNode::Answer::serve;
      if (yes && servers[i]->master() == 0) all.push_back(i);
    }
    return all;
  }

  std::vector<std::unique_ptr<ClusterBus>> buses;
  std::vector<std::unique_ptr<RedisServer>> servers;
  std::unique_ptr<SlotRoute> route;
  RpcChannel* channel = nullptr;
  std::vector<RpcChannel*> direct;
  NodeId client = 0;

 private:
  static Task<void> issue(Host host, ClusterLab* lab, RpcChannel* to, RedisCommand command, std::uint32_t ordinal,
                          std::string* answer, bool stops) {
    lab->world.begin_operation(host.node(), ordinal, 0);
    const Redis redis(*to);
    const Outcome<RedisReply> outcome = co_await redis.command(command);
    *answer = outcome.yes() ? outcome.value().to_string() : outcome.why() == Why::error ? outcome.error() : "none";
    if (stops) lab->world.stop();
  }
  static Task<void> write(Host host, ClusterLab* lab, Duration every) {
    const Redis redis(*lab->channel);
    for (;;) {
      lab->world.begin_operation(host.node(), ++lab->commands_, 0);
      const RedisCommand set("SET", kKey, lab->commands_);
      const Outcome<RedisReply> answer = co_await redis.command(set);
      const std::string what = answer.yes() ? "OK" : answer.why() == Why::error ? answer.error() : "none";
      lab->writes.push_back({lab->now(), what, lab->channel->server()});
      co_await host.sleep(every);
    }
  }

  ClusterLabOptions options_;
  std::uint32_t commands_ = 0;
};

}  // namespace picklock
