// RedisProcess keeps what every part of a server needs of the process they live in: its machine, its clocks, the bell
// that wakes the task "main", and the outbox of main's turn.
#pragma once

#include <utility>

#include "sim/core/service.hpp"
#include "sim/redis/server_time.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {

class RedisProcess {
 public:
  void boot(World& world, NodeId node) {
    world_ = &world;
    node_ = node;
    outbox_ = nullptr;
  }
  // The outbox lives in the frame of main, which gives it here as soon as it serves.
  void send_through(Outbox& outbox) { outbox_ = &outbox; }

  World& world() const { return *world_; }
  NodeId node() const { return node_; }
  Service service() const { return Service(*world_, node_); }
  Disk& disk() const { return world_->nodes.disk(node_); }
  std::int64_t now_ms() const { return wall_ms(world_->tasks.wall_now(node_)); }
  std::int64_t now_s() const { return floor_div(now_ms(), 1000); }

  // 64 random bits for an id of this process.  They are named by its incarnation: "redis/start@redis#1.2" is its second.
  std::uint64_t draw_id(std::uint32_t ordinal) const;

  // Each leaves at the end of main's turn, if the turn holds replies back.
  template <class Value>
  void send(const ConnectionEnd& from, Value&& value, std::uint64_t call, const SegmentName& name) {
    outbox_->send(from, Payload::of(world_->tasks.arena(), std::forward<Value>(value)), call, name);
  }
  template <class Value>
  void send(const ConnectionEnd& from, Value&& value, std::uint64_t call = 0) {
    send(from, std::forward<Value>(value), call, next_segment_name(*world_));
  }
  // Sends to a client or a replica, on the connection that it has opened.
  template <class Value>
  void push(ConnectionId to, Value&& value) {
    send({to, 1}, std::forward<Value>(value));
  }
  // Answers the request that main acts on behalf of.
  [[gnu::always_inline]] void answer(const Message& request, RedisReply&& reply) {
    send({request.connection, 1}, std::move(reply), request.call, {request.operation, world_->tasks.next_segment()});
  }

  [[gnu::always_inline]] void record(TraceKind kind, std::uint32_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0) {
    world_->record(kind, node_, a, b, c);
  }

  Bell& main() { return main_; }  // rung, main takes a turn

 private:
  World* world_ = nullptr;
  NodeId node_ = 0;
  Outbox* outbox_ = nullptr;
  Bell main_;
};

}  // namespace picklock
