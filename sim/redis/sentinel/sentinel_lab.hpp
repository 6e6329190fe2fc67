// For the tests of this folder: a master, replicas, sentinels and a client in one world, and faults.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/redis/fault_lab.hpp"
#include "sim/redis/sentinel/master_route.hpp"
#include "sim/redis/sentinel/server.hpp"
#include "sim/redis/server.hpp"
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

class SentinelLab : public FaultLab {
 public:
  explicit SentinelLab(const SentinelLabOptions& options, std::uint64_t seed = 1);
  ~SentinelLab() { world.reset(0); }

  void begin(std::uint64_t seed);

  NodeId redis_node(std::size_t i) const { return static_cast<NodeId>(1 + i); }
  NodeId sentinel_node(std::size_t i) const { return static_cast<NodeId>(1 + redis.size() + i); }
  const Sentinel& sentinel(std::size_t i) const { return sentinels[i]->sentinel(); }

  // The answers to the client's writes.
  struct Writes {
    std::vector<std::pair<Duration, std::string>> done;  // answers, each with its time
    std::vector<NodeId> by;                              // the server that answered
  };
  void write_every(Duration period, Writes& writes);  // uses the client's channel

  std::vector<NodeId> masters() const;  // living servers that take themselves for masters now

  std::vector<std::unique_ptr<RedisServer>> redis;
  std::vector<std::unique_ptr<SentinelServer>> sentinels;
  std::unique_ptr<MasterRoute> route;
  RpcChannel* channel = nullptr;
  NodeId client = 0;

 private:
  static Task<void> write(Host host, SentinelLab* lab, Duration period, Writes* writes);

  SentinelLabOptions options_;
};

}  // namespace picklock
