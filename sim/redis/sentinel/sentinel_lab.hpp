// For the tests of this folder: a master, replicas, sentinels and a client in one world, and mishaps.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/sentinel/master_route.hpp"
#include "sim/redis/sentinel/server.hpp"
#include "sim/redis/server.hpp"
#include "sim/redis/test_lab.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

constexpr Duration ms(std::int64_t n) { return milliseconds(n); }

struct SentinelLabOptions {
  SentinelOptions sentinel;
  std::size_t replicas = 2, sentinels = 3;
  SentinelFlaw flaw = SentinelFlaw::none;
  RedisOptions redis = {};
  bool acquainted = false;  // the sentinels' first files name the replicas and each other
};

class SentinelLab : public RedisLab {
 public:
  explicit SentinelLab(const SentinelLabOptions& options, std::uint64_t seed = 1) : options_(options) {
    for (std::size_t i = 0; i <= options.replicas; ++i) redis.push_back(std::make_unique<RedisServer>());
    for (std::size_t i = 0; i < options.sentinels; ++i) sentinels.push_back(std::make_unique<SentinelServer>());
    begin(seed);
  }
  ~SentinelLab() { world.reset(0); }

  void begin(std::uint64_t seed) {
    begin_world(seed);
    for (std::size_t i = 0; i < redis.size(); ++i) world.add_node(i == 0 ? "redis" : "replica" + std::to_string(i));
    for (std::size_t i = 0; i < sentinels.size(); ++i) world.add_node("sentinel" + std::to_string(i + 1));
    client = world.add_node("client");
    for (std::size_t i = 0; i < redis.size(); ++i) {
      redis[i]->set_options(options_.redis);
      redis[i]->set_master(i == 0 ? NodeId{0} : redis_node(0));
      world.install(redis_node(i), *redis[i]);
    }
    SentinelSetup setup{.options = options_.sentinel, .master = "redis", .flaw = options_.flaw};
    for (NodeId n = redis_node(1); options_.acquainted && n < client; ++n) {
      (n < sentinel_node(0) ? setup.replicas : setup.sentinels).push_back(std::string(world.node_name(n)));
    }
    for (std::size_t i = 0; i < sentinels.size(); ++i) {
      sentinels[i]->set_up(setup);
      world.install(sentinel_node(i), *sentinels[i]);
    }
    std::vector<RpcChannel*> ways;
    for (std::size_t i = 0; i < sentinels.size(); ++i) {
      ways.push_back(
          &world.open_channel(client, sentinel_node(i),
                              {.request_timeout = ms(200), .connect_timeout = ms(200), .connected_at_start = false}));
    }
    route = std::make_unique<MasterRoute>(world, ways);
    channel = &world.open_channel(client, redis_node(0), {});
    channel->follow(*route);
  }

  NodeId redis_node(std::size_t i) const { return static_cast<NodeId>(1 + i); }
  NodeId sentinel_node(std::size_t i) const { return static_cast<NodeId>(1 + redis.size() + i); }
  const Sentinel& sentinel(std::size_t i) const { return sentinels[i]->sentinel(); }

  // Writes every `every` through the client's channel; first and last success, by true time.
  struct Writes {
    std::vector<std::pair<Duration, std::string>> done;  // when it was answered, and what
    std::vector<NodeId> by;                              // the server that answered
  };
  void write_every(Duration every, Writes& writes) {
    world.start(client, "main", write(world.host(client), this, every, &writes));
  }

  // The servers that take themselves for masters now.
  std::vector<NodeId> masters() const {
    std::vector<NodeId> all;
    for (std::size_t i = 0; i < redis.size(); ++i) {
      if (world.alive(redis_node(i)) && redis[i]->master() == 0) all.push_back(redis_node(i));
    }
    return all;
  }

  std::vector<std::unique_ptr<RedisServer>> redis;
  std::vector<std::unique_ptr<SentinelServer>> sentinels;
  std::unique_ptr<MasterRoute> route;
  RpcChannel* channel = nullptr;
  NodeId client = 0;

 private:
  static Task<void> write(Host host, SentinelLab* lab, Duration every, Writes* writes) {
    const Redis redis(*lab->channel);
    for (std::uint32_t i = 1;; ++i) {
      lab->world.begin_operation(host.node(), i, 0);
      const RedisCommand set("SET", "k", i);
      const Outcome<RedisReply> answer = co_await redis.command(set);
      const std::string what = answer.yes() ? "OK" : answer.why() == Why::error ? answer.error() : "none";
      writes->done.emplace_back(lab->world.now() - TrueTime{}, what);
      writes->by.push_back(lab->channel->server());
      co_await host.sleep(every);
    }
  }

  SentinelLabOptions options_;
};

}  // namespace picklock
