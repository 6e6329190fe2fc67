// A client's side of a connection: exchanges in flight, timeouts, and connecting again.
//
// Behaves like the common client libraries: connects on demand; a request that times out breaks its
// connection, because its late answer would be taken for that of the next request; whatever else
// was in flight on it ends as `disconnected`.  A request that a server has already received is
// executed all the same.
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

class RpcChannel final : public Channel {
 public:
  RpcChannel(World& world, std::size_t index) : world_(world), host_(world.host(0)), index_(index) {}

  void submit(Exchange& exchange) override;
  void withdraw(Exchange& exchange) noexcept override;
  const Host& host() const override { return host_; }

  bool take_push(Bytes& message) override;
  void notify_pushes(Event* event) override { pushed_ = event; }
  void disconnect();  // by the client: closes the connection; exchanges in flight end
  bool connected() const override { return state_ == State::open; }
  std::uint64_t connections_opened() const override { return opened_; }

 private:
  friend class World;
  friend class Network;
  enum class State : std::uint8_t { closed, opening, open };

  void reset(NodeId from, NodeId to, const ChannelOptions& options);
  void process_died();
  void fired(Exchange& exchange);  // its slot has come due, or goes on after a stop
  void begin(Exchange& exchange);
  void transmit(Exchange& exchange);
  void complete(Exchange& exchange, Exchange::State how);
  void finish(Exchange& exchange);
  void on_message(Message&& message);
  void on_opened(ConnectionId id);
  void on_closed(ConnectionId id);
  void end_all();
  std::uint64_t fingerprint() const;
  void remember(Exchange& exchange) { in_flight_.push_back(&exchange); }
  void forget(Exchange& exchange) noexcept;

  World& world_;
  Host host_;
  std::size_t index_;  // among the world's channels
  NodeId to_ = 0;
  ChannelOptions options_;
  State state_ = State::closed;
  ConnectionId connection_ = kNoConnection;
  std::vector<Exchange*> in_flight_;  // sent, or waiting for the connection
  Ring<Message> pushes_;
  Event* pushed_ = nullptr;
  std::uint64_t opened_ = 0;
};

}  // namespace picklock
