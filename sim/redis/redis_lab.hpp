// For the tests of this folder: a world with one Redis server in it, driven step by step.
#pragma once

#include <string>
#include <string_view>

#include "sim/core/rpc_channel.hpp"
#include "sim/redis/command_issuer.hpp"
#include "sim/redis/scripts_lab.hpp"
#include "sim/redis/server.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

// Segments take no time, unless a test says otherwise: then commands run at the instant they are sent.
class RedisLab {
 public:
  explicit RedisLab(const RedisOptions& options = {}, std::uint64_t seed = 1) : server(redis_lab_scripts(), options) {
    begin(seed);
  }
  ~RedisLab() { world.reset(0); }  // no frame outlives the server

  void begin(std::uint64_t seed) {
    world.reset(seed);
    issuer_.begin();
    world.network.set_latency(Law());
    redis = world.nodes.add("redis");
    world.install(redis, server);
    world.run({.until = world.now()});
  }
  RpcChannel& client(std::string_view name, const ChannelOptions& options = {}) {
    return world.channels.open(world.nodes.add(name), redis, options);
  }

  void send(RpcChannel& from, RedisCommand command, std::string& answer, std::uint32_t hold = 0) {
    issuer_.send(from, std::move(command), answer, hold);
  }
  // Waits for the reply alone.
  template <RedisArgument... Args>
  std::string ask(RpcChannel& from, std::string_view name, const Args&... args) {
    return ask_for(0, from, name, args...);
  }
  template <RedisArgument... Args>
  std::string ask_for(std::uint32_t hold, RpcChannel& from, std::string_view name, const Args&... args) {
    return issuer_.run(from, RedisCommand(name, args...), hold);
  }
  void pass(Duration d) { world.run({.until = world.now() + d}); }

  bool has(std::string_view key) const {  // true for an expired key that is still in memory
    RedisInspect::Key found;
    return server.inspect(world, redis).find(key, found);
  }
  void reboot() {
    world.faults.restart(redis);
    world.run({.until = world.now()});
  }

  RedisServer server;
  World world;
  NodeId redis = 0;

 private:
  CommandIssuer issuer_{world};
};

}  // namespace picklock
