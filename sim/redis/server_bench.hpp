// For the tests of this folder: a world with one Redis server in it, driven step by step.
#pragma once

#include <string>
#include <string_view>

#include "sim/core/rpc_channel.hpp"
#include "sim/redis/server.hpp"
#include "sim/redis/test_scripts.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

// Segments take no time, unless a test says otherwise: then commands run at the instant they are sent.
class RedisBench {
 public:
  explicit RedisBench(const RedisOptions& options = {}, std::uint64_t seed = 1)
      : server(redis_test_scripts(), options) {
    begin(seed);
  }
  ~RedisBench() { world.reset(0); }  // no frame outlives the server

  void begin(std::uint64_t seed) {
    world.reset(seed);
    commands_ = 0;
    world.network.set_latency(Law());
    redis = world.add_node("redis");
    world.install(redis, server);
    world.run({.until = world.now()});
  }
  RpcChannel& client(std::string_view name, const ChannelOptions& options = {}) {
    return world.open_channel(world.add_node(name), redis, options);
  }

  // Starts a command; its reply, as text, is in `answer` once it has come.  hold: its provenance.
  void send(RpcChannel& from, RedisCommand command, std::string& answer, std::uint32_t hold = 0,
            bool stops = false) {
    answer.clear();
    world.start(from.host().node(), "command", issue(from.host(), &world, &from, std::move(command), ++commands_, hold, &answer, stops));
  }
  // Waits for the reply, and for nothing else.
  template <RedisArgument... Args>
  std::string ask(RpcChannel& from, std::string_view name, const Args&... args) {
    return ask_for(0, from, name, args...);
  }
  template <RedisArgument... Args>
  std::string ask_for(std::uint32_t hold, RpcChannel& from, std::string_view name, const Args&... args) {
    std::string answer;
    send(from, RedisCommand(name, args...), answer, hold, true);
    world.run();
    return answer;
  }
  void pass(Duration d) { world.run({.until = world.now() + d}); }

  bool has(std::string_view key) const {  // in memory, expired or not
    RedisInspect::Key found;
    return server.inspect(world, redis).find(key, found);
  }
  void reboot() {
    world.restart(redis);
    world.run({.until = world.now()});
  }

  RedisServer server;
  World world;
  NodeId redis = 0;

 private:
  static Task<void> issue(Host host, World* world, RpcChannel* channel, RedisCommand command,
                          std::uint32_t ordinal, std::uint32_t hold, std::string* answer, bool stops) {
    world->begin_operation(host.node(), ordinal, hold);
    Redis redis(*channel);
    const Outcome<RedisReply> outcome = co_await redis.command(command);
    *answer = outcome.yes()                                  ? outcome.value().to_string()
              : outcome.why() == Why::error                ? "!" + outcome.error()
              : outcome.why() == Why::timed_out            ? "timed out"
              : outcome.why() == Why::disconnected         ? "disconnected"
                                                           : "not connected";
    if (stops) world->stop();
  }

  std::uint32_t commands_ = 0;
};

}  // namespace picklock
