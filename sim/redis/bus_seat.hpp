// RedisBusSeat keeps what a server does for the bus of its cluster: its file, its ticks, and whether it serves.
//
// From:      redis 7.0, server.c and cluster_legacy.c: clusterCron ten times a second; the configuration is stored
//            before a packet leaves.
#pragma once

#include <optional>
#include <utility>

#include "sim/core/disk.hpp"
#include "sim/redis/bus.hpp"
#include "sim/redis/config.hpp"
#include "sim/redis/process.hpp"
#include "sim/redis/session.hpp"

namespace picklock {

class RedisBusSeat {
 public:
  RedisBusSeat(RedisProcess& process, RedisConfig& config) : process_(process), config_(config) {}

  void take(RedisBus* bus) { bus_ = bus; }  // null: the server stands alone
  bool is_taken() const { return bus_ != nullptr; }

  void boot();  // reads the file; the server's configuration then names the master that it says
  Task<void> keep_time(Service service);  // the task "cluster": it wakes main ten times a second

  bool is_due() const { return due_; }
  bool take_due() { return std::exchange(due_, false); }
  void tick(const RedisBus::Replication& replication, Outbox& packets);
  void receive(const Message& message, Outbox& packets) { bus_->receive(message, packets); }

  NodeId master() const { return bus_->master(); }  // master that this server must follow
  void record_serving();                            // tells the judge of a change
  bool must_store() const { return bus_->must_store(); }
  Task<void> store(Service service);

  // The answer to a client's command that the server does not execute, and which spoils an open transaction; none: it
  // does.
  std::optional<RedisReply> answer(RedisSession& session, const RedisCommandView& command) const;

 private:
  RedisProcess& process_;
  RedisConfig& config_;
  RedisBus* bus_ = nullptr;
  FileId file_ = 0;
  std::uint32_t ticks_ = 0;
  bool due_ = false, serves_ = true;
};

}  // namespace picklock
