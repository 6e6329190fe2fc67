#include "sim/redis/sessions.hpp"

#include <algorithm>
#include <utility>

namespace picklock {

void RedisSessions::close(ConnectionId connection) {
  Place& p = place_of(connection);
  database_.disconnect(p.session);
  shut_ += !p.shut;
  p.shut = true;
  process_.world().network.close(connection, 1);
}

void RedisSessions::deliver_all(const RedisOutputs& out) {
  for (std::size_t i = 0; i < out.delivery_count(); ++i) {
    const RedisOutputs::Delivery d = out.delivery(i);
    process_.push(places_[d.session - 1].connection, redis_push(d));
  }
}

bool RedisSessions::all_plain() const {
  return std::all_of(places_.begin(), places_.end(), [](const Place& p) { return p.session.is_plain(); });
}

RedisSessions::Place& RedisSessions::place_anew(ConnectionId connection) {
  const std::size_t index = connection & kIndexBits;
  while (index >= places_.size()) {
    Place fresh;
    fresh.session = RedisSession(static_cast<std::uint32_t>(places_.size() + 1));
    places_.push_back(std::move(fresh));
  }
  Place& p = places_[index];
  forget(p);
  p.connection = connection;
  return p;
}

void RedisSessions::forget(Place& p) {
  if (p.connection == kNoConnection) return;
  p.connection = kNoConnection;
  p.written_up_to = 0;
  shut_ -= p.shut;
  p.shut = false;
  database_.disconnect(p.session);
}

}  // namespace picklock
