// Sending bytes: at once, or held back until the end of a turn.
//
//   send(world, {connection, 0}, bytes);                 // belongs to the running task's operation
//   send(world, {connection, 1}, bytes, call, name);     // belongs to an earlier one, whose name was kept
//
//   Outbox outbox(world);                                // a server that writes its log before it answers
//   outbox.hold(true);
//   outbox.send({connection, 1}, bytes, call);           // named now, sent later
//   outbox.release();
//
// The draws of a segment (its latency, its loss) are named after the operation that it serves and its number there.
// So the number is taken when the bytes are handed over, and not when they leave.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/world.hpp"

namespace picklock {

struct ConnectionEnd {
  ConnectionId connection = kNoConnection;
  std::uint8_t side = 0;  // 0: the process has opened the connection; 1: it has accepted it
};

struct SegmentName {
  Operation operation;
  std::uint32_t n = 0;
};

// The name of the next segment of the running task's operation.
inline SegmentName next_segment_name(World& world) {
  const Operation operation = world.tasks.current_operation();
  return {operation, world.tasks.next_segment()};
}

// `call`: number of the request that the bytes make or answer; 0: neither.
inline Message message_of(const ConnectionEnd& from, Payload&& body, std::uint64_t call, const SegmentName& name) {
  Message m;
  m.body = std::move(body);
  m.call = call;
  m.operation = name.operation;
  m.n = name.n;
  m.connection = from.connection;
  m.direction = from.side;
  return m;
}

inline void send(World& world, const ConnectionEnd& from, std::string_view bytes, std::uint64_t call,
                 const SegmentName& name) {
  world.network.send(from.connection, from.side, Payload(world.tasks.arena(), bytes), call, name.operation, name.n);
}

inline void send(World& world, const ConnectionEnd& from, Payload&& body, std::uint64_t call = 0) {
  const SegmentName name = next_segment_name(world);
  world.network.send(from.connection, from.side, std::move(body), call, name.operation, name.n);
}

inline void send(World& world, const ConnectionEnd& from, std::string_view bytes, std::uint64_t call = 0) {
  send(world, from, bytes, call, next_segment_name(world));
}

// Keep it in a coroutine's frame: then unsent bytes die with the process, and before the world's memory.
class Outbox {
 public:
  explicit Outbox(World& world) : world_(world) {}

  void hold(bool on) { holding_ = on; }
  void send(const ConnectionEnd& from, std::string_view bytes, std::uint64_t call = 0) {
    send(from, bytes, call, next_segment_name(world_));
  }
  void send(const ConnectionEnd& from, std::string_view bytes, std::uint64_t call, const SegmentName& name) {
    send(from, Payload(world_.tasks.arena(), bytes), call, name);
  }
  void send(const ConnectionEnd& from, Payload&& body, std::uint64_t call = 0) {
    send(from, std::move(body), call, next_segment_name(world_));
  }
  void send(const ConnectionEnd& from, Payload&& body, std::uint64_t call, const SegmentName& name) {
    if (holding_) {
      held_.push_back(message_of(from, std::move(body), call, name));
    } else {
      world_.network.send(from.connection, from.side, std::move(body), call, name.operation, name.n);
    }
  }
  // Sends the bytes held back, in order.
  void release() {
    for (Message& m : held_) {
      world_.network.send(m.connection, m.direction, std::move(m.body), m.call, m.operation, m.n);
    }
    held_.clear();
  }

 private:
  World& world_;
  bool holding_ = false;
  std::vector<Message> held_;
};

}  // namespace picklock
