#include "sim/redis/sentinel/sentinel_lab.hpp"

#include <utility>

#include "sim/core/rpc_channel.hpp"
#include "sim/redis/wire.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

SentinelLab::SentinelLab(const SentinelLabOptions& options, std::uint64_t seed) : options_(options) {
  for (std::size_t i = 0; i <= options.replicas; ++i) redis.push_back(std::make_unique<RedisServer>());
  for (std::size_t i = 0; i < options.sentinels; ++i) sentinels.push_back(std::make_unique<SentinelServer>());
  begin(seed);
}

void SentinelLab::begin(std::uint64_t seed) {
  begin_world(seed);
  for (std::size_t i = 0; i < redis.size(); ++i) world.nodes.add(i == 0 ? "redis" : "replica" + std::to_string(i));
  for (std::size_t i = 0; i < sentinels.size(); ++i) world.nodes.add("sentinel" + std::to_string(i + 1));
  client = world.nodes.add("client");
  for (std::size_t i = 0; i < redis.size(); ++i) {
    redis[i]->set_options(options_.redis);
    redis[i]->set_master(i == 0 ? NodeId{0} : redis_node(0));
    world.install(redis_node(i), *redis[i]);
  }
  SentinelSetup setup{.options = options_.sentinel, .master = "redis", .flaw = options_.flaw};
  for (NodeId n = redis_node(1); options_.acquainted && n < client; ++n) {
    (n < sentinel_node(0) ? setup.replicas : setup.sentinels).push_back(std::string(world.nodes.name(n)));
  }
  for (std::size_t i = 0; i < sentinels.size(); ++i) {
    sentinels[i]->set_up(setup);
    world.install(sentinel_node(i), *sentinels[i]);
  }
  std::vector<RpcChannel*> ways;
  for (std::size_t i = 0; i < sentinels.size(); ++i) {
    ways.push_back(
        &world.channels.open(client, sentinel_node(i),
                             {.request_timeout = ms(200), .connect_timeout = ms(200), .connected_at_start = false}));
  }
  route = std::make_unique<MasterRoute>(world, ways);
  channel = &world.channels.open(client, redis_node(0), {});
  channel->follow(*route);
}

void SentinelLab::write_every(Duration period, Writes& writes) {
  world.tasks.start(client, "main", write(world.host(client), this, period, &writes));
}

std::vector<NodeId> SentinelLab::masters() const {
  std::vector<NodeId> all;
  for (std::size_t i = 0; i < redis.size(); ++i) {
    if (world.nodes.alive(redis_node(i)) && redis[i]->master() == 0) all.push_back(redis_node(i));
  }
  return all;
}

Task<void> SentinelLab::write(Host host, SentinelLab* lab, Duration period, Writes* writes) {
  const Redis redis(*lab->channel);
  for (std::uint32_t i = 1;; ++i) {
    lab->world.tasks.begin_operation(i, 0);
    const RedisCommand set("SET", "k", i);
    const Outcome<RedisReply> answer = co_await redis.command(set);
    const std::string what = answer.yes() ? "OK" : answer.why() == Why::error ? answer.error() : "none";
    writes->done.emplace_back(lab->world.now() - TrueTime{}, what);
    writes->by.push_back(lab->channel->server());
    co_await host.sleep(period);
  }
}

}  // namespace picklock
