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

  RedisSession& of(ConnectionId connection) {  // valid until the next call
    const std::size_t index = connection & kIndexBits;
    while (index >= places_.size()) {
      places_.push_back({kNoConnection, RedisSession(static_cast<std::uint32_t>(places_.size() + 1))});
    }
    Place& p = places_[index];
    if (p.connection != connection) {
      forget(p);
      p.connection = connection;
    }
    return p.session;
  }
  void end(ConnectionId connection) {
    const std::size_t index = connection & kIndexBits;
    if (index < places_.size() && places_[index].connection == connection) forget(places_[index]);
  }
  void end_all() {
    for (Place& p : places_) forget(p);
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
  };
  void forget(Place& p) {
    if (p.connection == kNoConnection) return;
    p.connection = kNoConnection;
    database_.disconnect(p.session);
  }

  RedisDatabase& database_;
  std::vector<Place> places_;
};

}  // namespace picklock
