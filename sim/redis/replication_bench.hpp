// For the tests of this folder: a world with several Redis servers in it, driven step by step.
//
//   ReplicationBench b;
//   b.add("m");
//   b.add("r", "m");                                 // a replica, synchronized from the start
//   b.pass(seconds(1));
//   EXPECT_EQ(b.ask("m", "SET", "k", "1"), "OK");    // by the client "c", on a connection of its own
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/rpc_channel.hpp"
#include "sim/redis/append_only_file.hpp"
#include "sim/redis/command_issuer.hpp"
#include "sim/redis/server.hpp"
#include "sim/redis/test_scripts.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

// Segments take 100 us, unless a test says otherwise.
class ReplicationBench {
 public:
  explicit ReplicationBench(std::uint64_t seed = 1) { begin(seed); }
  ~ReplicationBench() { world.reset(0); }  // no frame outlives the servers

  void begin(std::uint64_t seed) {
    world.reset(seed);
    world.network.set_latency(Law::constant(microseconds(100)));
    servers_.clear();
    channels_.clear();
    issuer_.begin();
  }
  RedisServer& add(const std::string& name, std::string_view master = {}, const RedisOptions& options = {},
                   bool in_place = true) {
    auto server = std::make_unique<RedisServer>(redis_test_scripts(), options);
    const NodeId node = world.add_node(name);
    server->set_master(master.empty() ? NodeId{0} : *world.find_node(master), in_place);
    RedisServer& added = *server;
    servers_.emplace(name, std::move(server));
    world.install(node, added);
    return added;
  }
  NodeId node(std::string_view name) const { return *world.find_node(name); }
  RedisServer& server(const std::string& name) { return *servers_.at(name); }
  void pass(Duration d) { world.run({.until = world.now() + d}); }

  // The connection of a client to a server; both come into being when first named.
  RpcChannel& channel(const std::string& client, const std::string& server) {
    RpcChannel*& c = channels_[client + ">" + server];
    if (c == nullptr) {
      const std::optional<NodeId> known = world.find_node(client);
      ChannelOptions options;
      options.request_timeout = seconds(3);
      c = &world.open_channel(known ? *known : world.add_node(client), node(server), options);
    }
    return *c;
  }

  void send(RpcChannel& from, RedisCommand command, std::string& answer, std::uint32_t hold = 0) {
    issuer_.send(from, std::move(command), answer, hold);
  }
  std::string run(RpcChannel& from, RedisCommand command, std::uint32_t hold = 0) {
    return issuer_.run(from, std::move(command), hold);
  }
  template <RedisArgument... Args>
  std::string ask(const std::string& server, std::string_view name, const Args&... args) {
    return run(channel("c", server), RedisCommand(name, args...));
  }
  template <RedisArgument... Args>
  std::string ask_as(const std::string& client, const std::string& server, std::string_view name, const Args&... args) {
    return run(channel(client, server), RedisCommand(name, args...));
  }

  // The value of one line of INFO.
  std::string info(const std::string& server, const std::string& key) {
    const std::string text = ask(server, "INFO");
    const std::size_t at = text.find("\\x0a" + key + ":");  // line ends are escaped
    if (at == std::string::npos) return "";
    const std::size_t from = at + key.size() + 5;
    return text.substr(from, text.find('\\', from) - from);
  }
  // All data, deadlines included, as a log.
  std::string data(const std::string& server) {
    std::string log;
    const RedisInspect inspect = servers_.at(server)->inspect(world, node(server));
    if (inspect.keys() != nullptr) rewrite_log(*inspect.keys(), log);
    return log;
  }

  std::uint32_t cut(std::string_view a, std::string_view b) {  // both ways; returns the first of two rules
    NetworkRule there, back;
    there.from.set(node(a));
    there.to.set(node(b));
    back.from.set(node(b));
    back.to.set(node(a));
    const std::uint32_t first = world.network.install(there);
    world.network.install(back);
    return first;
  }
  void heal(std::uint32_t first) {
    world.network.uninstall(first);
    world.network.uninstall(first + 1);
  }

  World world;

 private:
  std::map<std::string, std::unique_ptr<RedisServer>> servers_;
  std::map<std::string, RpcChannel*> channels_;
  CommandIssuer issuer_{world};
};

}  // namespace picklock
