// For the tests of this folder: a world with several Redis servers in it, driven step by step.
//
//   ReplicationLab lab;
//   lab.add("m");
//   lab.add("r", "m");                                 // a replica, synchronized from the start
//   lab.pass(seconds(1));
//   EXPECT_EQ(lab.ask("m", "SET", "k", "1"), "OK");    // the client "c" asks, on its own connection
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "sim/core/rpc_channel.hpp"
#include "sim/redis/command_issuer.hpp"
#include "sim/redis/server.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

// Segments take 100 us, unless a test says otherwise.
class ReplicationLab {
 public:
  explicit ReplicationLab(std::uint64_t seed = 1) { begin(seed); }
  ~ReplicationLab() { world.reset(0); }  // no frame outlives the servers

  void begin(std::uint64_t seed);
  RedisServer& add(const std::string& name, std::string_view master = {}, const RedisOptions& options = {},
                   bool in_place = true);
  // A master "m" and its replicas "r1", "r2", …, 10 ms after they were started.
  void start(const RedisOptions& options = {}, int replicas = 1);
  NodeId node(std::string_view name) const { return *world.nodes.find(name); }
  RedisServer& server(const std::string& name) { return *servers_.at(name); }
  void pass(Duration d) { world.run({.until = world.now() + d}); }

  // The connection of a client to a server; both come into being when first named.
  RpcChannel& channel(const std::string& client, const std::string& server);

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

  std::string info(const std::string& server, const std::string& key);  // the value of one line of INFO
  std::string data(const std::string& server);                          // all data, deadlines included, as a log
  std::size_t count(TraceKind kind, NodeId node) const;                 // records of the journal
  std::size_t resyncs(std::string_view server) const { return count(trace::redis_resynced, node(server)); }
  std::int64_t offset(const std::string& name) { return server(name).stream().offset(); }

  std::uint32_t cut(std::string_view a, std::string_view b);  // both ways; returns the first of two rules
  void heal(std::uint32_t first);

  World world;

 private:
  std::map<std::string, std::unique_ptr<RedisServer>> servers_;
  std::map<std::string, RpcChannel*> channels_;
  CommandIssuer issuer_{world};
};

}  // namespace picklock
