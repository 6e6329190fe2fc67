#include "sim/redis/cluster/cluster_lab.hpp"

#include <utility>

#include "sim/core/rpc_channel.hpp"
#include "sim/redis/wire.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

ClusterLab::ClusterLab(const ClusterLabOptions& options, std::uint64_t seed) : options_(options) {
  begin_world(seed);
  const std::uint32_t n = options.masters * (1 + options.replicas);
  std::vector<NodeId> nodes;
  for (std::uint32_t i = 0; i < n; ++i) nodes.push_back(world.nodes.add("n" + std::to_string(i)));
  client = world.nodes.add("client");
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
  channel = &world.channels.open(client, nodes[0],
                                 {.request_timeout = milliseconds(500), .connect_timeout = milliseconds(500)});
  channel->follow(*route);
  for (const NodeId node : nodes) direct.push_back(&world.channels.open(client, node, {.connected_at_start = false}));
}

std::string ClusterLab::ask(std::uint32_t to, RedisCommand command) {
  std::string answer;
  world.tasks.start(client, "command",
                    issue(world.host(client), this, direct[to], std::move(command), ++commands_, &answer));
  world.run({.until = world.now() + seconds(3)});
  return answer;
}

void ClusterLab::write_every(Duration period) {
  world.tasks.start(client, "main", write(world.host(client), this, period));
}

std::size_t ClusterLab::count(std::string_view what, NodeId by, Duration from, Duration to) const {
  std::size_t n = 0;
  for (const Write& w : writes) n += w.what.starts_with(what) && w.by == by && w.when >= from && w.when < to;
  return n;
}

std::vector<std::uint32_t> ClusterLab::serving() const {
  std::vector<std::uint32_t> all;
  const std::uint32_t shard = owner();
  for (std::uint32_t i = 0; i < servers.size(); ++i) {
    const bool yes = world.nodes.alive(node(i)) && buses[i]->node().answer(shard) == ClusterNode::Answer::serve;
    if (yes && servers[i]->master() == 0) all.push_back(i);
  }
  return all;
}

Task<void> ClusterLab::issue(Host, ClusterLab* lab, RpcChannel* to, RedisCommand command, std::uint32_t ordinal,
                             std::string* answer) {
  lab->world.tasks.begin_operation(ordinal, 0);
  const Redis redis(*to);
  const Outcome<RedisReply> outcome = co_await redis.command(command);
  *answer = outcome.yes() ? outcome.value().to_string() : outcome.why() == Why::error ? outcome.error() : "none";
  lab->world.stop();
}

Task<void> ClusterLab::write(Host host, ClusterLab* lab, Duration period) {
  const Redis redis(*lab->channel);
  for (;;) {
    lab->world.tasks.begin_operation(++lab->commands_, 0);
    const RedisCommand set("SET", kKey, lab->commands_);
    const Outcome<RedisReply> answer = co_await redis.command(set);
    const std::string what = answer.yes() ? "OK" : answer.why() == Why::error ? answer.error() : "none";
    lab->writes.push_back({lab->now(), what, lab->channel->server()});
    co_await host.sleep(period);
  }
}

}  // namespace picklock
