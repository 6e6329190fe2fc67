// A client's side of a connection: exchanges in flight, timeouts, and connecting again.
//
// The channel behaves like the common client libraries.  It connects on demand.  A request that times out
// breaks its connection, because its late answer would be taken for that of the next request; every other
// request in flight on it ends as `disconnected`.  The server still executes a request that it has received.
#pragma once

#include <vector>

#include "sim/core/world.hpp"
#include "sim/task/combinators.hpp"
#include "sim/task/exchange.hpp"

namespace picklock {

struct ChannelOptions {
  Duration request_timeout = seconds(1);
  Duration connect_timeout = seconds(1);
  bool connected_at_start = true;
  bool timeout_breaks_connection = true;
};

class RpcChannel;

// A route finds the server of a channel that has no fixed one: the current master, the owner of a key.
// Requests wait while it looks, no longer than the connect timeout.
class Route {
 public:
  virtual void wanted(RpcChannel&) = 0;  // find a server, then connect_to() it
  virtual void opened(RpcChannel&) = 0;  // greet it, then admit() the requests, or drop() it
  virtual void lost(RpcChannel&) = 0;    // the connection is gone, or no request needs it any more

  enum class Reaction : std::uint8_t {
    deliver,
    leave,  // deliver it, and find a server anew for the next request
    again   // find a server anew for this very request: this one has not executed it
  };
  virtual Reaction heard(const Payload&) { return Reaction::deliver; }  // a reply

 protected:
  ~Route() = default;
};

class RpcChannel final : public Channel {
 public:
  RpcChannel(World& world, std::size_t index) : world_(world), host_(world.host(0)), index_(index) {}

  void submit(Exchange& exchange) override;
  void withdraw(Exchange& exchange) noexcept override;
  const Host& host() const override { return host_; }

  bool take_push(Payload& message) override;
  void notify_pushes(Event* event) override { pushed_ = event; }
  void
  open();  // begins to connect before any request, on behalf of the running task; the event of pushes tells the end
  void disconnect();  // the client closes the connection; exchanges in flight end
  bool connected() const override { return state_ == State::open; }
  std::uint64_t connections_opened() const override { return opened_; }

  bool seeking() const { return state_ == State::opening || state_ == State::greeting; }

  // Takes effect with the next connection; the route must outlive the world's run, and the next reset of it.
  void follow(Route& route) { route_ = &route; }
  // --- for routes
  bool greeting() const { return state_ == State::greeting; }
  void connect_to(NodeId server);  // call it while seeking
  void submit_first(Exchange&);    // submits a request of the route itself, while greeting
  void admit();
  void drop();
  NodeId server() const { return to_; }

 private:
  friend class Channels;
  friend class Network;
  enum class State : std::uint8_t { closed, opening, greeting, open };

  void reset(NodeId from, NodeId to, const ChannelOptions& options);
  void process_died();
  void fired(Exchange& exchange);  // its slot is due, or goes on after a stop
  void begin(Exchange& exchange);
  void begin_to_connect(Exchange& exchange);
  void seek(std::uint32_t root);
  void submit_otherwise(Exchange& exchange);
  void transmit(Exchange& exchange);
  inline void transmit(Exchange& exchange, Payload&& request);
  void complete(Exchange& exchange, Exchange::State how);
  inline void resume(Exchange& exchange, std::uint32_t root);
  void on_message(ConnectionId connection, std::uint64_t call, Payload& body);
  void on_other_message(ConnectionId connection, std::uint64_t call, Payload& body);
  void on_opened(ConnectionId id);
  void on_closed(ConnectionId id);
  void end_all();
  bool nobody_waits() const;
  void give_up_seeking();
  std::uint64_t fingerprint() const;
  inline void remember(Exchange& exchange);
  void note_unanswered(const Exchange& e, bool sent);
  void forget(Exchange& e) noexcept {
    if (!in_flight_.empty() && in_flight_.back() == &e) {
      in_flight_.pop_back();
    } else {
      forget_earlier(e);
    }
  }
  void forget_earlier(Exchange& exchange) noexcept;

  World& world_;
  Host host_;
  std::size_t index_;  // index among the world's channels
  NodeId to_ = 0;
  ChannelOptions options_;
  State state_ = State::closed;
  ConnectionId connection_ = kNoConnection;
  Route* route_ = nullptr;
  std::vector<Exchange*> in_flight_;  // sent, or waiting for the connection
  Ring<Payload> pushes_;
  Event* pushed_ = nullptr;
  std::uint64_t opened_ = 0;
};

}  // namespace picklock
