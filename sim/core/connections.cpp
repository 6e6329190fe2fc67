// This file opens, ends and forgets connections.

#include <algorithm>

#include "base/check.hpp"
#include "sim/core/network.hpp"
#include "sim/core/rpc_channel.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

constexpr std::uint32_t index_of(ConnectionId id) { return id & 0xffff; }

// Connections that are open at once, in all.  The event that opens the last of them may open some more before it ends.
constexpr std::uint32_t kMostConnections = 0xf000;

}  // namespace

const Law Network::kUsualLatency = Law::uniform(microseconds(50), microseconds(150));

void Network::reset() {
  for (std::uint32_t i = 0; i < used_; ++i) {
    for (Direction& d : connections_[i].direction) d.wire.clear();
    connections_[i].in_use = false;
    connections_[i].generation = 0;
  }
  used_ = 0;
  free_.clear();
  rules_.clear();
  last_rule_ = 0;
  latency_ = kUsualLatency;
  link_latencies_.clear();
  longest_delay_ = 0;
  segments_lost_ = 0;
  bodies_.clear();
}

// --- opening -------------------------------------------------------------------------------------

void Network::reset_direction(Direction& d, NodeId sender, NodeId receiver) {
  d.entity = {Draws::link_hash(world_.nodes[sender].hash, world_.nodes[receiver].hash),
              0x80000000u | static_cast<std::uint32_t>(sender) << 15 | receiver};
  d.latency = &latency_of(sender, receiver);
  d.orphans = 0;
  d.attempts = 0;
}

ConnectionId Network::allocate(NodeId from, NodeId to, RpcChannel* channel) {
  std::uint32_t index;
  if (!free_.empty()) {
    index = free_.back();
    free_.pop_back();
  } else {
    index = used_++;
    if (index >= kMostConnections) world_.run_out_of("connections");
    PICKLOCK_CHECK(index < 0xffff);
    if (connections_.size() < used_) connections_.emplace_back();
  }
  Connection& c = connections_[index];
  c.in_use = true;
  c.end[0] = {from, EndState::closed, channel};
  c.end[1] = {to, EndState::closed, nullptr};
  for (std::uint8_t i = 0; i < 2; ++i) {
    Direction& d = c.direction[i];
    reset_direction(d, c.end[i].node, c.end[1 - i].node);
    d.slot = world_.scheduler.open(SlotKind::wire, 0, nullptr);
    world_.scheduler[d.slot].argument = index << 1 | i;
  }
  const ConnectionId id = index | static_cast<ConnectionId>(c.generation) << 16;
  world_.record(trace::connection_opened, from, id, to);
  return id;
}

const Network::Connection* Network::find(ConnectionId id) const {
  const std::uint32_t index = index_of(id);
  if (index >= used_ || connections_[index].generation != id >> 16) return nullptr;
  return connections_[index].in_use ? &connections_[index] : nullptr;
}

std::optional<NodeId> Network::opener(ConnectionId id) const {
  const Connection* const c = find(id);
  return c != nullptr ? std::optional(c->end[0].node) : std::nullopt;
}

ConnectionId Network::connect(NodeId from, NodeId to, RpcChannel* channel) {
  const ConnectionId id = allocate(from, to, channel);
  Connection& c = connections_[index_of(id)];
  c.end[0].state = c.end[1].state = EndState::open;
  return id;
}

ConnectionId Network::open(NodeId from, NodeId to, RpcChannel& channel, const Operation& operation, std::uint32_t n) {
  return begin_to_open(from, to, &channel, operation, n);
}

ConnectionId Network::open(NodeId from, NodeId to, const Operation& operation, std::uint32_t n) {
  return begin_to_open(from, to, nullptr, operation, n);
}

ConnectionId Network::begin_to_open(NodeId from, NodeId to, RpcChannel* channel, const Operation& operation,
                                    std::uint32_t n) {
  const ConnectionId id = allocate(from, to, channel);
  Connection& c = connections_[index_of(id)];
  c.end[0].state = EndState::opening;
  Message syn;
  syn.operation = operation;
  syn.n = n;
  syn.connection = id;
  syn.kind = SegmentKind::open;
  enqueue(c, std::move(syn));
  return id;
}

// --- arriving ------------------------------------------------------------------------------------

void Network::arrive(Connection& c, Message&& message) {
  End& end = c.end[1 - message.direction];
  world_.record(trace::segment_arrived, end.node, message.connection, message.call,
                static_cast<std::uint64_t>(message.kind));
  switch (message.kind) {
    case SegmentKind::data:
      if (end.state != EndState::open) return answer(c, message, SegmentKind::reset);
      return deliver(end.node, end.channel, std::move(message));
    case SegmentKind::open:  // the kernel accepts, even while the process is paused
      if (world_.nodes.alive(end.node)) end.state = EndState::open;
      return answer(c, message, end.state == EndState::open ? SegmentKind::opened : SegmentKind::reset);
    case SegmentKind::opened:
      if (end.state != EndState::opening) return answer(c, message, SegmentKind::reset);
      end.state = EndState::open;
      return deliver(end.node, end.channel, std::move(message));
    case SegmentKind::close:
    case SegmentKind::reset: {
      const std::uint32_t index = index_of(message.connection);
      if (end.state != EndState::closed) {
        end.state = EndState::closed;
        world_.record(trace::connection_closed, end.node, message.connection, static_cast<std::uint64_t>(message.kind));
        deliver(end.node, end.channel, std::move(message));
      }
      return recycle_if_done(index);
    }
  }
}

void Network::answer(Connection& c, const Message& received, SegmentKind kind) {
  Message reply;
  reply.operation = received.operation;
  reply.n = received.n * Tasks::kNumbersPerSegment;
  reply.connection = received.connection;
  reply.kind = kind;
  reply.direction = static_cast<std::uint8_t>(1 - received.direction);
  enqueue(c, std::move(reply));
}

// The connection itself may be forgotten by the time at which a stopped process takes its message.
void Network::deliver(NodeId to, RpcChannel* channel, Message&& message) {
  Nodes::Node& node = world_.nodes[to];
  if (!node.process.alive) return;
  if (world_.lives.are_kept()) world_.lives.hear(to, message);
  if (node.is_stopped()) {
    node.process.parked.push_back({0, 0, channel, std::move(message)});
    return;
  }
  if (channel != nullptr) {
    switch (message.kind) {
      case SegmentKind::data:
        return channel->on_message(message.connection, message.call, message.body);
      case SegmentKind::opened:
        return channel->on_opened(message.connection);
      default:
        return channel->on_closed(message.connection);
    }
  }
  Mailbox& mailbox = node.process.mailbox;
  mailbox.inbox.push(std::move(message));
  if (mailbox.reader != 0) world_.tasks.ready(std::exchange(mailbox.reader, 0));
}

// --- ending --------------------------------------------------------------------------------------

void Network::close(ConnectionId id, int side) {
  Connection* const c = find(id);
  if (c == nullptr || c->end[side].state == EndState::closed) return;
  const bool was_open = c->end[side].state == EndState::open;
  c->end[side].state = EndState::closed;
  world_.record(trace::connection_closed, c->end[side].node, id, static_cast<std::uint64_t>(SegmentKind::close));
  if (was_open) {
    Message fin;
    fin.operation = world_.tasks.current_operation();
    fin.n = world_.tasks.next_segment();
    fin.connection = id;
    fin.kind = SegmentKind::close;
    fin.direction = static_cast<std::uint8_t>(side);
    enqueue(*c, std::move(fin));
  } else if (Direction& d = c->direction[side];
             !d.wire.empty() && d.wire.front().due < 0 && d.wire.front().due != kHeld) {
    d.wire.clear();  // lost segments: no end is left to receive them
    world_.scheduler.cancel(d.slot);
  }
  recycle_if_done(index_of(id));
}

void Network::give_up(Connection& c, std::uint8_t direction) {
  Direction& d = c.direction[direction];
  Message lost = std::move(d.wire.front().message);
  d.wire.clear();
  d.attempts = 0;
  End& end = c.end[direction];
  const std::uint32_t index = index_of(lost.connection);
  if (end.state != EndState::closed) {
    end.state = EndState::closed;
    world_.record(trace::connection_closed, end.node, lost.connection, static_cast<std::uint64_t>(SegmentKind::reset));
    lost.kind = SegmentKind::reset;
    lost.body.reset();
    lost.direction = static_cast<std::uint8_t>(1 - direction);
    deliver(end.node, end.channel, std::move(lost));
  }
  recycle_if_done(index);
}

void Network::forget_orphans(Connection& c, Direction& d, std::uint32_t index) {
  for (; d.orphans != 0; --d.orphans) d.wire.pop();
  d.attempts = 0;
  if (!d.wire.empty()) return schedule_head(d);
  if (c.in_use) recycle_if_done(index);
}

void Network::recycle_if_done(std::uint32_t index) {
  Connection& c = connections_[index];
  for (int i = 0; i < 2; ++i) {
    if (c.end[i].state != EndState::closed || !c.direction[i].wire.empty()) return;
  }
  if (!c.in_use) return;
  for (Direction& d : c.direction) world_.scheduler.close(d.slot);
  c.in_use = false;
  ++c.generation;
  free_.push_back(index);
}

bool Network::has_unread(NodeId node, ConnectionId id) const {
  const Nodes::Process& p = world_.nodes[node].process;
  const auto unread = [id](const Message& m) { return m.connection == id && m.kind == SegmentKind::data; };
  const Ring<Message>& inbox = p.mailbox.inbox;
  for (std::size_t i = 0; i < inbox.size(); ++i) {
    if (unread(inbox[i])) return true;
  }
  return std::any_of(p.parked.begin(), p.parked.end(),
                     [&](const Parked& parked) { return parked.slot == 0 && unread(parked.message); });
}

// The kernel still delivers the bytes that it had accepted; then it closes the connection, or resets it if
// the process left something unread.  These segments are the world's own: "redis>a/latency@world#1.2" is
// that of the second connection to a that the first death of redis closed.
void Network::process_died(NodeId n) {
  const std::uint32_t death = world_.nodes.incarnation(n) + 1;
  const Operation dying{Operation::key_of(world_.nodes[0].hash, death), 0, death, 0};
  std::vector<std::uint32_t> closed(world_.nodes.count(), 0);
  for (std::uint32_t i = 0; i < used_; ++i) {
    for (std::uint8_t side = 0; side < 2; ++side) {
      Connection& c = connections_[i];
      if (!c.in_use || c.end[side].node != n || c.end[side].state == EndState::closed) continue;
      const ConnectionId id = i | static_cast<ConnectionId>(c.generation) << 16;
      c.end[side].channel = nullptr;
      if (c.end[side].state == EndState::opening) {
        close(id, side);
        continue;
      }
      c.end[side].state = EndState::closed;
      Message last;
      last.operation = dying;
      last.n = ++closed[c.end[1 - side].node];
      last.connection = id;
      last.kind = has_unread(n, last.connection) ? SegmentKind::reset : SegmentKind::close;
      last.direction = side;
      enqueue(c, std::move(last));
    }
  }
}

// Segments that are on the wire arrive; the memory of all else is gone.
void Network::host_lost(NodeId n) {
  for (std::uint32_t i = 0; i < used_; ++i) {
    Connection& c = connections_[i];
    for (std::uint8_t side = 0; side < 2; ++side) {
      if (!c.in_use || c.end[side].node != n) continue;
      c.end[side].state = EndState::closed;
      c.end[side].channel = nullptr;
      Direction& out = c.direction[side];
      Ring<InFlight> on_the_wire;
      const auto is_on_it = [](const InFlight& f) { return f.due >= 0 || f.due == kHeld; };
      while (!out.wire.empty() && is_on_it(out.wire.front())) on_the_wire.push(out.wire.pop());
      out.wire.clear();
      out.wire = std::move(on_the_wire);
      out.orphans = static_cast<std::uint32_t>(out.wire.size());
      out.attempts = 0;
      if (out.wire.empty()) world_.scheduler.cancel(out.slot);
    }
    if (c.in_use) recycle_if_done(i);
  }
}

void Network::host_thawed(NodeId n) {
  for (std::uint32_t i = 0; i < used_; ++i) {
    for (int side = 0; side < 2; ++side) {
      Connection& c = connections_[i];
      Direction& d = c.direction[side];
      if (!c.in_use || c.end[side].node != n || d.wire.empty()) continue;
      if (!world_.scheduler.is_scheduled(d.slot)) schedule_head(d);
    }
  }
}

}  // namespace picklock
