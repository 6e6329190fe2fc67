// A greeting is a route's own question to a server, before the channel's users may send.
// It travels through the same connection, past their queue.
#pragma once

#include "sim/core/rpc_channel.hpp"

namespace picklock {

class Greeting final : public Channel {
 public:
  explicit Greeting(RpcChannel& channel) : channel_(channel) {}
  void submit(Exchange& exchange) override { channel_.submit_first(exchange); }
  void withdraw(Exchange& exchange) noexcept override { channel_.withdraw(exchange); }
  const Host& host() const override { return channel_.host(); }
  bool take_push(Payload&) override { return false; }
  void notify_pushes(Event*) override {}
  std::uint64_t connections_opened() const override { return channel_.connections_opened(); }
  bool connected() const override { return channel_.greeting(); }

 private:
  RpcChannel& channel_;
};

}  // namespace picklock
