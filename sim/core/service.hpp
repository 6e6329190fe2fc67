// A server's side: requests in the order in which they arrived, one at a time.
//
//   Task<void> serve(Service service) {
//     for (;;) {
//       const Message request = co_await service.receive();
//       …
//       service.reply(request, bytes);
//     }
//   }
#pragma once

#include "sim/core/world.hpp"

namespace picklock {

class Service {
 public:
  Service(World& world, NodeId node) : world_(&world), host_(world.host(node)) {}

  class [[nodiscard]] Receive;
  // The next message: data, or the news that a connection was closed or reset.
  Receive receive() const;
  // Works off the node's CPU cost of one step.
  Host::Work compute() const;

  void reply(const Message& request, std::string_view bytes) const;
  // Sends on a connection without being asked.
  void push(ConnectionId connection, std::string_view bytes) const;
  void close(ConnectionId connection) const { world_->network.close(connection, 1); }

  const Host& host() const { return host_; }
  World& world() const { return *world_; }
  NodeId node() const { return host_.node(); }

 private:
  World* world_;
  Host host_;
};

class Service::Receive {
 public:
  explicit Receive(const Service& service) : service_(service) {}
  ~Receive() {
    if (wait_.id() != 0) service_.world().set_receiver(service_.node(), 0);
  }
  bool await_ready() const { return !inbox().empty(); }
  void await_suspend(std::coroutine_handle<> me) {
    World& world = service_.world();
    wait_.set(world, world.wait(service_.node(), me, "requests"));
    world.set_receiver(service_.node(), wait_.id());
  }
  Message await_resume() {
    Message message = inbox().pop();
    service_.world().serve(message);
    return message;
  }

 private:
  Ring<Message>& inbox() const { return service_.world().inbox(service_.node()); }
  Service service_;
  OwnedWait wait_;
};

inline Service::Receive Service::receive() const { return Receive(*this); }

inline Host::Work Service::compute() const {
  const Law& cost = world_->cpu_cost(host_.node());
  const bool free_of_charge = cost.kind() == Law::Kind::constant && cost.low() == 0;
  return host_.work(free_of_charge ? Duration{} : host_.draw_duration(Purpose::cpu, cost));
}

inline void Service::reply(const Message& request, std::string_view bytes) const {
  Message m;
  m.body = Bytes(world_->arena(), bytes);
  m.call = request.call;
  m.operation = request.operation;
  m.n = world_->next_segment();
  m.connection = request.connection;
  m.direction = 1;
  world_->network.send(std::move(m));
}

inline void Service::push(ConnectionId connection, std::string_view bytes) const {
  Message m;
  m.body = Bytes(world_->arena(), bytes);
  m.operation = world_->current_operation();
  m.n = world_->next_segment();
  m.connection = connection;
  m.direction = 1;
  world_->network.send(std::move(m));
}

}  // namespace picklock
