// RedisWaits keeps the clients that wait for replicas (WAIT), and what has arrived on their connections meanwhile.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "sim/redis/call.hpp"
#include "sim/redis/master_side.hpp"
#include "sim/redis/process.hpp"
#include "sim/redis/sessions.hpp"

namespace picklock {

class RedisWaits {
 public:
  RedisWaits(RedisProcess& process, RedisSessions& sessions, RedisMasterSide& master_side)
      : process_(process), sessions_(sessions), master_side_(master_side) {}

  // Messages on connections that wait or have waited. They belong to the process: they live in its task, and
  // end with it.
  struct Kept {
    std::vector<Message> waiting;  // ordered by arrival
    Ring<Message> released;        // messages of connections that wait no longer
  };

  void boot();
  void keep_in(Kept& kept) { kept_ = &kept; }

  // WAIT of a client of a master: the reply, or none yet.
  std::optional<RedisReply> wait(const RedisCall& call, const Message& request);
  bool any() const { return !waits_.empty(); }
  std::optional<MonoTime> next_deadline(const Host& host) const;
  void end_turn() {  // ends those that are over, and asks replicas for the others
    if (any()) end_what_is_over();
  }
  void end_all(const RedisReply& reply);  // closes their connections, too
  void forget(ConnectionId connection);   // it has ended
  bool keep_if_waiting(Message& message) { return any() && keep_if_one_waits(message); }  // true: taken, for later

  std::size_t released() const { return kept_->released.size(); }
  Message take_released() { return kept_->released.pop(); }

 private:
  struct Waiting {
    ConnectionId connection = kNoConnection;
    std::uint64_t call = 0;
    SegmentName reply_name;
    std::int64_t offset = 0;
    std::int64_t replicas = 0;
    std::optional<std::int64_t> until_ms;
  };
  void end_what_is_over();
  bool keep_if_one_waits(Message& message);
  void end(std::size_t index, const RedisReply& reply);
  void drop_kept(ConnectionId connection);

  RedisProcess& process_;
  RedisSessions& sessions_;
  RedisMasterSide& master_side_;
  std::vector<Waiting> waits_;
  Kept* kept_ = nullptr;
  bool asks_for_acks_ = false;  // this turn ends with REPLCONF GETACK
};

}  // namespace picklock
