// RedisSessions keeps the clients of a server: the session of each connection, and whether it was closed from here.
#pragma once

#include <vector>

#include "sim/redis/database.hpp"
#include "sim/redis/process.hpp"

namespace picklock {

// A place is used again by the connection that has its index next, with the capacity of its buffers.
class RedisSessions {
 public:
  RedisSessions(RedisProcess& process, RedisDatabase& database) : process_(process), database_(database) {}

  RedisSession& of(ConnectionId connection) { return place_of(connection).session; }  // valid until the next call
  void end(ConnectionId connection) {
    const std::size_t index = connection & kIndexBits;
    if (index < places_.size() && places_[index].connection == connection) forget(places_[index]);
  }
  void end_all() {
    for (Place& p : places_) forget(p);
  }
  // Closes this end.  Later requests on the connection are not served.
  void close(ConnectionId connection);
  bool is_shut(ConnectionId connection) const {
    if (shut_ == 0) return false;
    const std::size_t index = connection & kIndexBits;
    return index < places_.size() && places_[index].connection == connection && places_[index].shut;
  }
  // Sends published messages to their subscribers.
  void deliver(const RedisOutputs& out) {
    if (out.delivery_count() != 0) deliver_all(out);
  }

  // Offset of the replication stream after the last command of this connection.
  std::int64_t& written_up_to(ConnectionId connection) { return place_of(connection).written_up_to; }
  template <class Visit>
  void for_each(Visit&& visit) const {  // visit(ConnectionId, const RedisSession&), those that are open
    for (const Place& p : places_) {
      if (p.connection != kNoConnection && !p.shut) visit(p.connection, p.session);
    }
  }
  // No session has begun anything that a later command would meet.
  bool all_plain() const;

 private:
  static constexpr ConnectionId kIndexBits = 0xffff;
  struct Place {
    ConnectionId connection = kNoConnection;
    RedisSession session;
    std::int64_t written_up_to = 0;
    bool shut = false;
  };
  Place& place_of(ConnectionId connection) {
    const std::size_t index = connection & kIndexBits;
    return index < places_.size() && places_[index].connection == connection ? places_[index] : place_anew(connection);
  }
  Place& place_anew(ConnectionId connection);
  void deliver_all(const RedisOutputs& out);
  void forget(Place& p);

  RedisProcess& process_;
  RedisDatabase& database_;
  std::vector<Place> places_;
  std::size_t shut_ = 0;  // number of places that are shut
};

}  // namespace picklock
