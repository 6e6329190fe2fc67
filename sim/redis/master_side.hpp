// RedisMasterSide keeps what a server has as a master: its replication stream and its replicas.
//
// A replica has a stream, too: it follows its master's, and may have replicas of its own.
//
// From:      redis 7.0, src/replication.c.  A unit of the stream is one message, so it arrives, is applied and is
//            acknowledged as a whole.
// Left out:  repl-diskless-load, replica-announce-*; after a snapshot the stream follows at once, in order, without
//            waiting for the replica's first acknowledgement.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/redis/config.hpp"
#include "sim/redis/cron.hpp"
#include "sim/redis/database.hpp"
#include "sim/redis/replication.hpp"
#include "sim/redis/replication_stream.hpp"
#include "sim/redis/sessions.hpp"

namespace picklock {

class RedisMasterSide {
 public:
  RedisMasterSide(RedisProcess& process, const RedisConfig& config, RedisCron& cron, RedisDatabase& database,
                  RedisSessions& sessions)
      : process_(process), config_(config), cron_(cron), database_(database), sessions_(sessions) {}

  void boot();
  void follow_config();  // its options have changed

  // --- the stream
  void feed(const RedisOutputs& out, std::uint32_t hold) {  // the effects of an execution on behalf of a hold
    if (stream_.has_backlog() && out.has_effects()) feed_effects(out, hold);
  }
  void feed_units(const RedisOutputs& out, std::uint32_t hold);
  void feed_unit(std::string_view unit);
  void feed_word(const RedisCommand& command);  // unit of the link alone: PING, GETACK
  ReplicationId new_id() { return {process_.draw_id(++ids_drawn_) | 1}; }
  ReplicationStream& stream() { return stream_; }
  const ReplicationStream& stream() const { return stream_; }

  // --- replicas
  // PSYNC: an error, or none if the answer is the stream.  A replica whose link is down has no data to pass on.
  std::optional<RedisReply> attach(const RedisCall& call, ConnectionId connection, bool has_data);
  void acknowledged(ConnectionId connection, std::int64_t offset);
  void forget(ConnectionId connection) {  // it has ended
    if (replicas_.remove(connection)) count_good_replicas();
  }
  void forget_killed(ConnectionId connection) { replicas_.remove(connection); }  // the good ones are not counted anew
  void end_replicas();
  void count_good_replicas();
  std::int64_t good_replicas() const { return good_; }  // number that min-replicas-to-write is compared with
  const RedisReplicas& replicas() const { return replicas_; }

  void tick(bool is_master);  // call it each second, after the replica's side

 private:
  void feed_effects(const RedisOutputs& out, std::uint32_t hold);
  void send_unit(const RedisReplica& to, std::int64_t start, std::string_view unit);
  void send_snapshots();
  void end_replica(ConnectionId connection);

  RedisProcess& process_;
  const RedisConfig& config_;
  RedisCron& cron_;
  RedisDatabase& database_;
  RedisSessions& sessions_;
  ReplicationStream stream_;
  RedisReplicas replicas_;
  std::int64_t good_ = 0, seconds_ = 0;
  std::uint32_t ids_drawn_ = 0;
  std::string unit_;  // kept for its capacity
};

}  // namespace picklock
