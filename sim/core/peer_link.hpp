// One connection between two servers, as the process at one end keeps it.
//
//   PeerLink link;
//   link.open(service, other);                  // begins to open one; or link.accept(connection)
//   if (link.is_of(message)) link.hear(message);   // news change its state: opened, closed, reset
//   if (!link.send(service, bytes)) …           // false: not open; nothing was sent
//   link.close(service);
//
// The link keeps neither queue nor clock: each protocol decides whether bytes wait for the connection and when a
// silent one is given up.  A table of links is a vector of structs with a member `link`, and link_of() finds a message's place.
#pragma once

#include <algorithm>

#include "sim/core/service.hpp"

namespace picklock {

class PeerLink {
 public:
  enum class State : std::uint8_t { closed, opening, open };

  State state() const { return state_; }
  bool is_open() const { return state_ == State::open; }
  bool is_closed() const { return state_ == State::closed; }
  const ConnectionEnd& end() const { return end_; }
  ConnectionId connection() const { return end_.connection; }

  // The link must be closed.
  void open(const Service& service, NodeId to) {
    World& world = service.world();
    const SegmentName name = next_segment_name(world);
    end_ = {world.network.open(service.node(), to, name.operation, name.n), 0};
    state_ = State::opening;
  }
  // Takes over a connection that is open already, by default one that the other process opened.
  void accept(ConnectionId connection, std::uint8_t side = 1) {
    end_ = {connection, side};
    state_ = State::open;
  }
  // Has no effect on a closed link.
  void close(const Service& service) {
    if (state_ != State::closed) service.world().network.close(end_.connection, end_.side);
    forget();
  }
  void forget() {
    end_ = {};
    state_ = State::closed;
  }

  // Whether the message came on this link: on its connection, from the other end.
  bool is_of(const Message& message) const {
    return state_ != State::closed && message.connection == end_.connection && message.direction != end_.side;
  }
  // A message of this link: data changes nothing.
  void hear(const Message& message) {
    if (message.kind == SegmentKind::opened) state_ = State::open;
    if (message.kind == SegmentKind::close || message.kind == SegmentKind::reset) forget();
  }

  // True: sent, which does not say that it arrives.
  bool send(const Service& service, std::string_view bytes, std::uint64_t call = 0) const {
    if (state_ != State::open) return false;
    picklock::send(service.world(), end_, bytes, call);
    return true;
  }
  bool send(const Service& service, Payload&& body, std::uint64_t call = 0) const {
    if (state_ != State::open) return false;
    picklock::send(service.world(), end_, std::move(body), call);
    return true;
  }

 private:
  ConnectionEnd end_;
  State state_ = State::closed;
};

// The place in `links` whose link the message came on; links.end(): none.
template <class Links>
auto link_of(Links& links, const Message& message) {
  return std::find_if(links.begin(), links.end(), [&message](const auto& l) { return l.link.is_of(message); });
}

}  // namespace picklock
