// The sessions of a server, by connection.
#pragma once

#include <vector>

#include "sim/core/network.hpp"
#include "sim/redis/database.hpp"

namespace picklock {

// A place is used again by the connection that has its index next, with the capacity of its buffers.
class RedisSessions {
 public:
  explicit RedisSessions(RedisDatabase& database) : database_(database) {}

  RedisSession& of(ConnectionId connection) { return place_of(connection).session; }  // valid until the next call
  void end(ConnectionId connection) {
    const std::size_t index = connection & kIndexBits;
    if (index < places_.size() && places_[index].connection == connection) forget(places_[index]);
  }
  void end_all() {
    for (Place& p : places_) forget(p);
  }
  // Not heard any more: what still arrives on it is nobody's.
  void shut(ConnectionId connection) {
    Place& p = place_of(connection);
    database_.disconnect(p.session);
    p.shut = true;
  }
  bool is_shut(ConnectionId connection) const {
    const std::size_t index = connection & kIndexBits;
    return index < places_.size() && places_[index].connection == connection && places_[index].shut;
  }
  // Where the replication stream stood after the last command of this connection.
  std::int64_t& written_up_to(ConnectionId connection) { return place_of(connection).written_up_to; }
  template <class Visit>
  void for_each(Visit&& visit) const {  // visit(ConnectionId, const RedisSession&), those that are open
    for (const Place& p : places_) {
      if (p.connection != kNoConnection && !p.shut) visit(p.connection, p.session);
    }
  }
  ConnectionId connection_of(std::uint32_t session_id) const { return places_[session_id - 1].connection; }

  // Nobody has begun anything that a later command would meet.
  bool all_plain() const {
    for (const Place& p : places_) {
      const RedisSession& s = p.session;
      if (s.in_transaction() || s.watched() != 0 || s.subscriptions() != 0) return false;
    }
    return true;
  }

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
    while (index >= places_.size()) {
      Place fresh;
      fresh.session = RedisSession(static_cast<std::uint32_t>(places_.size() + 1));
      places_.push_back(std::move(fresh));
    }
    Place& p = places_[index];
    if (p.connection != connection) {
      forget(p);
      p.connection = connection;
    }
    return p;
  }
  void forget(Place& p) {
    if (p.connection == kNoConnection) return;
    p.connection = kNoConnection;
    p.written_up_to = 0;
    p.shut = false;
    database_.disconnect(p.session);
  }

  RedisDatabase& database_;
  std::vector<Place> places_;
};

}  // namespace picklock
