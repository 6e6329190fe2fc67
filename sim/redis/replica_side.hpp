// RedisReplicaSide keeps what a server has as a replica: the role itself, its link to a master, and what has come on
// the link and waits.
//
// From:      redis 7.0, src/replication.c: the handshake, PSYNC, timeouts in whole seconds.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "sim/redis/config.hpp"
#include "sim/redis/cron.hpp"
#include "sim/redis/link_messages.hpp"
#include "sim/redis/master_side.hpp"
#include "sim/redis/replication.hpp"
#include "sim/redis/sessions.hpp"
#include "sim/redis/store.hpp"

namespace picklock {

class RedisReplicaSide {
 public:
  RedisReplicaSide(RedisProcess& process, const RedisConfig& config, RedisCron& cron, RedisStore& store,
                   RedisSessions& sessions, RedisMasterSide& master_side)
      : process_(process),
        config_(config),
        cron_(cron),
        store_(store),
        sessions_(sessions),
        master_side_(master_side) {}

  void begin_run() { had_a_role_ = false; }
  void boot();
  void connect();  // opens the link

  NodeId master() const { return link_.master; }  // 0: this server is a master
  bool is_master() const { return link_.master == 0; }
  const MasterLink& link() const { return link_; }

  void follow(NodeId master);  // becomes the replica of this one, or of another than before
  void promote();              // becomes a master
  void lose_link(bool reconnect);

  bool is_of_link(const Message& message) const { return link_.peer.is_of(message); }
  void hear_news(const Message& message);  // the link was opened or has ended
  void hear(const Message& message);       // data on it
  void tick();                             // call it each second

 private:
  void announce_role();  // tells the database, the judge and the cron
  void say(const RedisCommand& command, std::uint64_t call);
  void acknowledge(std::int64_t offset) { say(RedisCommand("REPLCONF", "ACK", offset), 0); }
  void hear_reply(const RedisReply& reply);  // reply of the handshake
  void load_snapshot(const RedisLinkMessage& snapshot);
  void take_unit(const RedisLinkMessage& unit);
  void apply(std::string_view unit);
  void apply_received();

  RedisProcess& process_;
  const RedisConfig& config_;
  RedisCron& cron_;
  RedisStore& store_;
  RedisSessions& sessions_;
  RedisMasterSide& master_side_;
  MasterLink link_;
  std::deque<std::string> unapplied_;  // acknowledged, with the flaw acks_before_applying
  bool had_a_role_ = false;            // the judge has been told of one in this run
};

}  // namespace picklock
