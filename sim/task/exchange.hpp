// An exchange is one request and its answer; a channel carries it.
//
// The verbs of a service (Redis, Storage, …) are written once, over a Channel.  The simulator puts its
// network behind the channel; a real connection can stand there as well.
#pragma once

#include <coroutine>
#include <string_view>

#include "sim/task/host.hpp"
#include "sim/task/outcome.hpp"
#include "sim/task/payload.hpp"

namespace picklock {

class Event;

// Lives inside the awaiter that sends it: destroying the awaiter withdraws it.
struct Exchange {
  enum class State : std::uint8_t {
    idle,
    held,  // stopped at the preemption point before it: nothing has been sent
    connecting,
    waiting,
    replied,
    timed_out,
    disconnected,
    not_connected
  };
  Payload request;  // the channel takes it when it sends it
  Payload reply;
  std::coroutine_handle<> waiter;
  Duration timeout{};  // limit for connecting, and again for the answer; zero: the channel's own
  WaitId wait = 0;
  Mark mark{};
  State state = State::idle;
  bool passed = false;     // the preemption point after it
  bool breaks = false;     // its timeout ends the connection, whatever the channel does otherwise
  std::uint64_t call = 0;  // the channel's own number
};

class Channel {
 public:
  // Sends the request and resumes `exchange.waiter` once it has ended: replied, timed out, …
  virtual void submit(Exchange& exchange) = 0;
  virtual void withdraw(Exchange& exchange) noexcept = 0;
  virtual const Host& host() const = 0;

  // Takes the oldest message that the service sent unasked (Redis: publish/subscribe).
  // False, and `message` is untouched, if none has come.
  virtual bool take_push(Payload& message) = 0;
  // Notifies `event` at each arrival and at each end of the connection; null: no event.
  virtual void notify_pushes(Event* event) = 0;
  // Counts the connections opened so far: if it has grown, subscriptions made before are gone.
  virtual std::uint64_t connections_opened() const = 0;
  virtual bool connected() const = 0;

 protected:
  ~Channel() = default;
};

// Awaits one exchange: a derived class puts the request in before, and reads the reply after.
class ExchangeAwaiter {
 public:
  // `timeout` zero: the channel's own.
  ExchangeAwaiter(Channel& channel, Mark m, Duration timeout = {}) : channel_(channel) {
    exchange_.mark = m;
    exchange_.timeout = timeout;
  }
  ExchangeAwaiter(const ExchangeAwaiter&) = delete;
  ExchangeAwaiter& operator=(const ExchangeAwaiter&) = delete;
  ~ExchangeAwaiter() {
    if (exchange_.wait != 0) channel_.withdraw(exchange_);
  }
  bool await_ready() const { return false; }

 protected:
  Arena& arena() const { return channel_.host().arena(); }
  // Sends the request, which it gives away.
  void send(std::coroutine_handle<> me) {
    exchange_.waiter = me;
    channel_.submit(exchange_);
  }
  void send(std::string_view request, std::coroutine_handle<> me) {
    exchange_.request = Payload(arena(), request);
    send(me);
  }
  bool replied() const { return exchange_.state == Exchange::State::replied; }
  std::string_view reply() const { return exchange_.reply.view(); }
  Why why_not() const {
    switch (exchange_.state) {
      case Exchange::State::timed_out:
        return Why::timed_out;
      case Exchange::State::not_connected:
        return Why::not_connected;
      default:
        return Why::disconnected;
    }
  }
  Exchange exchange_;

 private:
  Channel& channel_;
};

}  // namespace picklock
