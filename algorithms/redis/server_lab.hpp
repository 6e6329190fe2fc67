// A lab: a Redis server for tests, with scripted mishaps, and connections to it.
//
// Requests take 1 ms to the server and 1 ms back.  A test can set the fate of a request in advance
// (`server.next(...)`).  The server is the real model's database.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/lock.hpp"
#include "algorithms/redis/redis_scripts.hpp"
#include "algorithms/runtime_lab.hpp"
#include "sim/redis/database.hpp"
#include "sim/redis/wire.hpp"
#include "sim/task/redis.hpp"

namespace picklock::testing {

// Fate of one request.
enum class Fate {
  answered,
  slow,           // reaches the server late, but in time for an answer
  request_lost,   // the request never reaches the server; the client's timeout passes
  reply_lost,     // takes effect; the client's timeout passes
  late,           // the client's timeout passes first, the request takes effect afterwards
  not_connected,  // the request never leaves
  cut             // takes effect; the connection ends before the reply
};

class LabServer {
 public:
  static constexpr Duration kWay = milliseconds(1);
  static constexpr Duration kTimeout = milliseconds(20);
  static constexpr Duration kSlow = milliseconds(10);
  static constexpr Duration kLate = milliseconds(30);

  explicit LabServer(LabRuntime& r) : runtime(r), database(redis_scripts()) {}

  // Runs one command at once, like another client's.
  std::string command(const RedisCommand& any) { return execute(any).to_string(); }
  template <class... Args>
  std::string ask(const Args&... args) {
    return command(RedisCommand(args...));
  }
  // The fates of the next requests of `node`, in their order; afterwards all are answered.
  void next(NodeId node, std::deque<Fate> fates) { fates_[node] = std::move(fates); }
  Fate fate_of_next(NodeId node) {
    auto& fates = fates_[node];
    if (fates.empty()) return Fate::answered;
    const Fate fate = fates.front();
    fates.pop_front();
    return fate;
  }
  // A connection: what is published to it goes to `receive`.
  using Receive = std::function<void(const RedisReply& push)>;
  RedisSession& connect(Receive receive) {
    const auto id = static_cast<std::uint32_t>(connections_.size() + 2);
    return connections_.emplace_back(Connection{RedisSession(id), std::move(receive)}).session;
  }
  RedisReply execute(const RedisCommand& command) { return execute(session_, command); }
  RedisReply execute(RedisSession& session, const RedisCommand& command) {
    log.push_back(command.to_string());
    RedisOutputs out;
    const std::int64_t now_ms = (LabRuntime::kEpochNs + runtime.now) / milliseconds(1).ns;
    RedisReply reply = database.execute(session, command, now_ms, out);
    for (std::size_t i = 0; i < out.delivery_count(); ++i) {
      const RedisOutputs::Delivery d = out.delivery(i);
      const RedisReply push =
          RedisReply::array({RedisReply::bulk("message"), RedisReply::bulk(d.channel), RedisReply::bulk(d.message)});
      runtime.at(runtime.now + kWay.ns, [this, to = d.session, push] { connections_[to - 2].receive(push); });
    }
    return reply;
  }

  LabRuntime& runtime;
  RedisDatabase database;
  std::vector<std::string> log;  // every command, in the order of execution

 private:
  struct Connection {
    RedisSession session;
    Receive receive;
  };
  RedisSession session_{1};
  std::deque<Connection> connections_;
  std::map<NodeId, std::deque<Fate>> fates_;
};

class LabChannel final : public Channel {
 public:
  LabChannel(LabServer& server, NodeId node)
      : server_(server), host_(server.runtime, node), session_(server.connect([this](const RedisReply& push) {
          pushes_.push_back(push);
          if (pushed_ != nullptr) pushed_->notify();
        })) {}
  const Host& host() const override { return host_; }

  bool take_push(Payload& message) override {
    if (pushes_.empty()) return false;
    message = Payload::of(host_.arena(), std::move(pushes_.front()));
    pushes_.pop_front();
    return true;
  }
  void notify_pushes(Event* event) override { pushed_ = event; }
  std::uint64_t connections_opened() const override { return 1; }
  bool connected() const override { return true; }

  void submit(Exchange& e) override {
    LabRuntime& runtime = server_.runtime;
    e.call = ++calls_;
    pending_[e.call] = &e;
    if (!runtime.pass(host_.node(), MarkSide::before, e.mark)) {
      e.state = Exchange::State::held;  // lasts: tests kill or abandon it
      e.wait = runtime.wait(host_.node(), e.waiter, "stopped");
      return;
    }
    e.state = Exchange::State::waiting;
    e.wait = runtime.wait(host_.node(), e.waiter, "reply");
    send(e, server_.fate_of_next(host_.node()));
  }
  void withdraw(Exchange& e) noexcept override {
    pending_.erase(e.call);
    server_.runtime.release(std::exchange(e.wait, 0));
  }

 private:
  // All timeouts are the server's; a client that asks to wait for years waits for ever.
  static constexpr Duration kForEver = seconds(100'000'000);

  void send(const Exchange& exchange, Fate fate) {
    LabRuntime& runtime = server_.runtime;
    const std::uint64_t call = exchange.call;
    RedisCommand request = *exchange.request.get<RedisCommand>();
    const std::int64_t now = runtime.now;
    using enum Fate;
    const bool arrives = fate != request_lost && fate != not_connected;
    const bool replies = fate == answered || fate == slow;
    const Duration way = fate == late ? LabServer::kLate : fate == slow ? LabServer::kSlow : LabServer::kWay;
    if (arrives) {
      runtime.at(now + way.ns, [this, call, replies, request = std::move(request)] {
        const RedisReply reply = server_.execute(session_, request);
        if (!replies) return;
        server_.runtime.at(server_.runtime.now + LabServer::kWay.ns,
                           [this, call, reply] { finish(call, Exchange::State::replied, reply); });
      });
    }
    if (fate == not_connected) {
      runtime.at(now, [this, call] { finish(call, Exchange::State::not_connected, {}); });
    } else if (fate == cut) {
      runtime.at(now + 2 * way.ns, [this, call] { finish(call, Exchange::State::disconnected, {}); });
    } else if (!replies && exchange.timeout < kForEver) {
      runtime.at(now + LabServer::kTimeout.ns, [this, call] { finish(call, Exchange::State::timed_out, {}); });
    }
  }
  void finish(std::uint64_t call, Exchange::State state, const RedisReply& reply) {
    const auto found = pending_.find(call);
    if (found == pending_.end()) return;
    Exchange& e = *found->second;
    e.state = state;
    e.reply = Payload::of(host_.arena(), reply);
    host_.runtime().wake(e.wait);
  }

  LabServer& server_;
  Host host_;
  RedisSession& session_;
  std::map<std::uint64_t, Exchange*> pending_;
  std::uint64_t calls_ = 0;
  std::deque<RedisReply> pushes_;
  Event* pushed_ = nullptr;
};

}  // namespace picklock::testing
