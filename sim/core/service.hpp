// A server's side: its mailbox, its CPU, its connections.
//
//   Task<void> serve(Service service) {
//     for (;;) {
//       const Message request = co_await service.receive();
//       …
//       service.reply(request, bytes);
//     }
//   }
//
// Requests come one at a time, in the order of their arrival.  A server that waits for more than requests says so, and
// takes its messages itself:
//
//   co_await service.wait({.until = due, .bell = &bell_});
//   if (std::optional<Message> message = service.take_message()) …
#pragma once

#include <optional>

#include "sim/core/send.hpp"
#include "sim/core/wait.hpp"
#include "sim/core/world.hpp"

namespace picklock {

class Service {
 public:
  Service(World& world, NodeId node) : world_(&world), host_(world.host(node)) {}

  class [[nodiscard]] Receive;
  // The next message: data, or the news that a connection was opened, closed or reset.  The task then acts on behalf
  // of that message.
  Receive receive() const;
  // Waits until a message has come, or another event that `what` names.
  Wait wait(const WaitFor& what) const { return Wait(*world_, node(), what); }
  StandingWait standing_wait(const WaitFor& what) const { return StandingWait(*world_, node(), what); }
  // The oldest message in the mailbox, if there is one.  Its taker calls world().tasks.serve(message) to act on its behalf.
  std::optional<Message> take_message() const {
    Ring<Message>& inbox = world_->nodes.inbox(node());
    return inbox.empty() ? std::nullopt : std::optional<Message>(inbox.pop());
  }
  // The oldest message in a mailbox that has one.  The task now acts on its behalf.
  Message serve_next() const {
    Message message = world_->nodes.inbox(node()).pop();
    world_->tasks.serve(message);
    return message;
  }
  // Works off the node's CPU cost of one step.
  Host::Work compute() const;

  // Answers on behalf of the request's operation.
  void reply(const Message& request, std::string_view bytes) const {
    send({request.connection, 1}, bytes, request.call, {request.operation, world_->tasks.next_segment()});
  }
  void reply(const Message& request, Payload&& bytes) const {
    world_->network.send(request.connection, 1, std::move(bytes), request.call, request.operation,
                         world_->tasks.next_segment());
  }
  // Sends to a client without being asked.
  void push(ConnectionId connection, std::string_view text) const { send({connection, 1}, text); }
  void push(ConnectionId connection, Payload&& payload) const {
    picklock::send(*world_, {connection, 1}, std::move(payload));
  }
  void send(const ConnectionEnd& from, std::string_view bytes, std::uint64_t call = 0) const {
    picklock::send(*world_, from, bytes, call);
  }
  void send(const ConnectionEnd& from, std::string_view bytes, std::uint64_t call, const SegmentName& name) const {
    picklock::send(*world_, from, bytes, call, name);
  }
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
  explicit Receive(const Service& service)
      : service_(service), wait_(service.world(), service.node(), {.what = "requests"}) {}
  bool await_ready() const { return wait_.await_ready(); }
  void await_suspend(std::coroutine_handle<> me) { wait_.await_suspend(me); }
  Message await_resume() {
    wait_.await_resume();
    return service_.serve_next();
  }

 private:
  Service service_;
  Wait wait_;
};

inline Service::Receive Service::receive() const { return Receive(*this); }

// Receives for a server that does only that: its wait stands.
class Inbox {
 public:
  class [[nodiscard]] Receive {
   public:
    explicit Receive(Inbox& inbox) : inbox_(inbox), next_(inbox.wait_.next()) {}
    bool await_ready() const { return next_.await_ready(); }
    void await_suspend(std::coroutine_handle<> me) { next_.await_suspend(me); }
    Message await_resume() {
      next_.await_resume();
      return inbox_.service_.serve_next();
    }

   private:
    Inbox& inbox_;
    StandingWait::Next next_;
  };

  explicit Inbox(const Service& service)
      : service_(service), wait_(service.world(), service.node(), {.what = "requests"}) {}
  Receive receive() { return Receive(*this); }

 private:
  Service service_;
  StandingWait wait_;
};

inline Host::Work Service::compute() const {
  const Law& cost = world_->nodes.cpu_cost(host_.node());
  const bool free_of_charge = cost.kind() == Law::Kind::constant && cost.low() == 0;
  return host_.work(free_of_charge ? Duration{} : host_.draw_duration(Purpose::cpu, cost));
}

}  // namespace picklock
