#include "sim/core/network.hpp"

#include <algorithm>

#include "sim/core/rpc_channel.hpp"
#include "sim/core/world.hpp"
#include "sim/task/check.hpp"

namespace picklock {
namespace {

// Linux: RTO starts at 200 ms (1 s for a SYN), doubles up to 120 s; tcp_retries2 is 15.
constexpr std::int64_t kFirstRetry = milliseconds(200).ns;
constexpr std::int64_t kFirstOpenRetry = seconds(1).ns;
constexpr std::int64_t kLongestRetry = seconds(120).ns;
constexpr std::uint8_t kMostAttempts = 15;

std::int64_t retry_delay(SegmentKind kind, std::uint8_t attempt) {
  const std::int64_t first = kind == SegmentKind::open ? kFirstOpenRetry : kFirstRetry;
  return std::min(first << std::min<unsigned>(attempt, 10), kLongestRetry);
}

constexpr std::uint32_t index_of(ConnectionId id) { return id & 0xffff; }

}  // namespace

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
  link_latencies_.clear();
  longest_delay_ = 0;
  segments_lost_ = 0;
}

ConnectionId Network::allocate(NodeId from, NodeId to, RpcChannel* channel) {
  std::uint32_t index;
  if (!free_.empty()) {
    index = free_.back();
    free_.pop_back();
  } else {
    index = used_++;
    PICKLOCK_CHECK(index < 0xffff);
    if (connections_.size() < used_) connections_.emplace_back();
  }
  Connection& c = connections_[index];
  c.in_use = true;
  c.end[0] = {from, EndState::closed, channel};
  c.end[1] = {to, EndState::closed, nullptr};
  for (std::uint8_t i = 0; i < 2; ++i) {
    Direction& d = c.direction[i];
    const NodeId sender = c.end[i].node, receiver = c.end[1 - i].node;
    d.entity = {Draws::link_hash(world_.nodes_[sender].hash, world_.nodes_[receiver].hash),
                0x80000000u | static_cast<std::uint32_t>(sender) << 15 | receiver};
    d.latency = &latency_;
    for (const LinkLatency& l : link_latencies_) {
      if (l.from == sender && l.to == receiver) d.latency = &l.law;
    }
    d.last_due = 0;
    d.attempts = 0;
    d.slot = world_.scheduler_.open(SlotKind::wire, 0, nullptr);
    world_.scheduler_[d.slot].argument = index << 1 | i;
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

ConnectionId Network::open(NodeId from, NodeId to, RpcChannel& channel, const Operation& operation,
                           std::uint32_t n) {
  const ConnectionId id = allocate(from, to, &channel);
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

void Network::send(Message message) {
  Connection* const c = find(message.connection);
  if (c == nullptr || c->end[message.direction].state != EndState::open) return;
  enqueue(*c, std::move(message));
}

void Network::enqueue(Connection& c, Message message) {
  Direction& d = c.direction[message.direction];
  world_.record(trace::segment_sent, c.end[message.direction].node, message.connection, message.call,
                hash_bytes(message.body.view()) ^ static_cast<std::uint64_t>(message.kind));
  const bool first = d.wire.empty();
  InFlight segment{0, world_.now().ns, std::move(message)};
  transmit(c, d, segment);
  d.wire.push(std::move(segment));
  if (first) schedule_head(d);
}

void Network::transmit(const Connection& c, Direction& d, InFlight& segment) {
  const Message& m = segment.message;
  const std::uint32_t n = m.n | static_cast<std::uint32_t>(d.attempts) << 24;
  Duration extra{};
  Fate fate = Fate::pass;
  if (!rules_.empty()) {
    fate = judge(c.end[m.direction].node, c.end[1 - m.direction].node, d, m, n, extra);
  }
  switch (fate) {
    case Fate::hold: segment.due = kHeld; return;
    case Fate::drop:
      world_.record(trace::segment_lost, c.end[m.direction].node, m.connection, d.attempts);
      ++segments_lost_;
      segment.due = -(world_.now().ns + retry_delay(m.kind, d.attempts));
      return;
    case Fate::delay:
    case Fate::pass: break;
  }
  const std::int64_t latency =
      world_.draws.draw(world_.now(), d.entity, Purpose::latency, m.operation, n, *d.latency);
  segment.due = d.last_due = std::max(d.last_due, world_.now().ns + latency + extra.ns);
}

Fate Network::judge(NodeId from, NodeId to, const Direction& d, const Message& m, std::uint32_t n,
                    Duration& extra) {
  for (const NetworkRule& rule : rules_) {
    if (!rule.from[from] || !rule.to[to]) continue;
    if (rule.out_of_million < 1'000'000) {
      static const Law kMillion = Law::uniform(std::int64_t{0}, std::int64_t{999'999});
      const std::int64_t drawn =
          world_.draws.draw(world_.now(), d.entity, Purpose::loss, m.operation, n, kMillion);
      if (drawn >= rule.out_of_million) continue;
    }
    if (rule.fate == Fate::delay) {
      extra.ns = world_.draws.draw(world_.now(), d.entity, Purpose::fault, m.operation, n, rule.delay);
    }
    return rule.fate;
  }
  return Fate::pass;
}

void Network::schedule_head(Direction& d) {
  const std::int64_t due = d.wire.front().due;
  if (due == kHeld) return;
  const std::int64_t at = due < 0 ? -due : due;
  world_.scheduler_.schedule(d.slot, {std::max(at, world_.now().ns)});
}

void Network::fire(std::uint32_t wire) {
  const std::uint32_t index = wire >> 1;
  Connection& c = connections_[index];
  const auto direction = static_cast<std::uint8_t>(wire & 1);
  Direction& d = c.direction[direction];
  const NodeId sender = c.end[direction].node, receiver = c.end[1 - direction].node;
  InFlight& head = d.wire.front();
  if (head.due >= 0 && !world_.reachable(receiver)) {  // nobody takes it: the sender will try again
    world_.record(trace::segment_lost, sender, head.message.connection, d.attempts);
    head.due = -(world_.now().ns + retry_delay(head.message.kind, d.attempts));
    if (++d.attempts > kMostAttempts) return give_up(c, direction);
    return schedule_head(d);
  }
  if (head.due < 0) {
    if (head.due != kHeld && ++d.attempts > kMostAttempts) return give_up(c, direction);
    if (world_.reachable(sender)) {
      transmit(c, d, head);
    } else {
      head.due = -(world_.now().ns + retry_delay(head.message.kind, d.attempts));
    }
    return schedule_head(d);
  }
  d.attempts = 0;
  InFlight segment = d.wire.pop();
  longest_delay_ = std::max(longest_delay_, world_.now().ns - segment.sent);
  if (!d.wire.empty()) {
    if (d.wire.front().due == kHeld) {  // was held behind this one: ask the rules again
      world_.scheduler_.schedule(d.slot, world_.now());
    } else {
      schedule_head(d);
    }
  }
  arrive(c, std::move(segment.message));
}

void Network::arrive(Connection& c, Message message) {
  const int side = 1 - message.direction;
  End& end = c.end[side];
  world_.record(trace::segment_arrived, end.node, message.connection, message.call,
                static_cast<std::uint64_t>(message.kind));
  const std::uint32_t index = index_of(message.connection);
  switch (message.kind) {
    case SegmentKind::open:  // the kernel accepts, even while the process is paused
      if (world_.alive(end.node)) {
        end.state = EndState::open;
        answer(c, message, SegmentKind::opened);
      } else {
        answer(c, message, SegmentKind::reset);
      }
      return;
    case SegmentKind::opened:
      if (end.state != EndState::opening) return answer(c, message, SegmentKind::reset);
      end.state = EndState::open;
      return deliver_to_process(std::move(message));
    case SegmentKind::data:
      if (end.state != EndState::open) return answer(c, message, SegmentKind::reset);
      return deliver_to_process(std::move(message));
    case SegmentKind::close:
    case SegmentKind::reset:
      if (end.state != EndState::closed) {
        end.state = EndState::closed;
        world_.record(trace::connection_closed, end.node, message.connection,
                      static_cast<std::uint64_t>(message.kind));
        deliver_to_process(std::move(message));
      }
      return recycle_if_done(index);
  }
}

void Network::answer(Connection& c, const Message& received, SegmentKind kind) {
  Message reply;
  reply.operation = received.operation;
  reply.n = received.n * 16;
  reply.connection = received.connection;
  reply.kind = kind;
  reply.direction = static_cast<std::uint8_t>(1 - received.direction);
  enqueue(c, std::move(reply));
}

void Network::deliver_to_process(Message message) {
  Connection* const c = find(message.connection);
  if (c == nullptr) return;
  const End& end = c->end[1 - message.direction];
  World::Node& node = world_.nodes_[end.node];
  if (!node.alive) return;
  if (node.pauses != 0 || node.freezes != 0 || node.doomed) {
    return world_.park(std::move(message), end.node);
  }
  if (RpcChannel* const channel = end.channel) {
    switch (message.kind) {
      case SegmentKind::data: return channel->on_message(std::move(message));
      case SegmentKind::opened: return channel->on_opened(message.connection);
      default: return channel->on_closed(message.connection);
    }
  }
  node.inbox.push(std::move(message));
  if (node.receiver != 0) world_.ready(std::exchange(node.receiver, 0));
}

void Network::close(ConnectionId id, int end) {
  Connection* const c = find(id);
  if (c == nullptr || c->end[end].state == EndState::closed) return;
  const bool was_open = c->end[end].state == EndState::open;
  c->end[end].state = EndState::closed;
  world_.record(trace::connection_closed, c->end[end].node, id,
                static_cast<std::uint64_t>(SegmentKind::close));
  if (was_open) {
    Message fin;
    fin.operation = world_.current_operation();
    fin.n = world_.next_segment();
    fin.connection = id;
    fin.kind = SegmentKind::close;
    fin.direction = static_cast<std::uint8_t>(end);
    enqueue(*c, std::move(fin));
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
    lost.kind = SegmentKind::reset;
    lost.body.reset();
    lost.direction = static_cast<std::uint8_t>(1 - direction);
    deliver_to_process(std::move(lost));
  }
  recycle_if_done(index);
}

void Network::recycle_if_done(std::uint32_t index) {
  Connection& c = connections_[index];
  for (int i = 0; i < 2; ++i) {
    if (c.end[i].state != EndState::closed || !c.direction[i].wire.empty()) return;
  }
  if (!c.in_use) return;
  for (Direction& d : c.direction) world_.scheduler_.close(d.slot);
  c.in_use = false;
  ++c.generation;
  free_.push_back(index);
}

std::uint32_t Network::install(NetworkRule rule) {
  rule.id = ++last_rule_;
  world_.record(trace::rule_changed, 0, rule.id, 1);
  rules_.push_back(std::move(rule));
  return last_rule_;
}

void Network::uninstall(std::uint32_t id) {
  if (std::erase_if(rules_, [id](const NetworkRule& r) { return r.id == id; }) == 0) return;
  world_.record(trace::rule_changed, 0, id, 0);
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (!connections_[i].in_use) continue;
    for (Direction& d : connections_[i].direction) {
      if (!d.wire.empty() && d.wire.front().due == kHeld && !world_.scheduler_.is_scheduled(d.slot)) {
        world_.scheduler_.schedule(d.slot, world_.now());
      }
    }
  }
}

void Network::set_latency(NodeId from, NodeId to, Law law) {
  link_latencies_.push_back({from, to, std::move(law)});
}

bool Network::has_unread(NodeId node, ConnectionId id) const {
  const World::Node& n = world_.nodes_[node];
  for (std::size_t i = 0; i < n.inbox.size(); ++i) {
    if (n.inbox[i].connection == id) return true;
  }
  return std::any_of(n.parked.begin(), n.parked.end(), [&](const World::Parked& p) {
    return p.slot == 0 && p.message.connection == id && p.message.kind == SegmentKind::data;
  });
}

// What the kernel had accepted for sending is still delivered; then it closes, or resets if the
// process left something unread.
void Network::process_died(NodeId n) {
  for (std::uint32_t i = 0; i < used_; ++i) {
    for (std::uint8_t side = 0; side < 2; ++side) {
      Connection& c = connections_[i];
      if (!c.in_use || c.end[side].node != n || c.end[side].state == EndState::closed) continue;
      const bool was_open = c.end[side].state == EndState::open;
      c.end[side].state = EndState::closed;
      c.end[side].channel = nullptr;
      if (!was_open) continue;
      Message last;
      last.connection = i | static_cast<ConnectionId>(c.generation) << 16;
      last.n = i;
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
      while (!out.wire.empty() && out.wire.front().due >= 0) on_the_wire.push(out.wire.pop());
      out.wire.clear();
      out.wire = std::move(on_the_wire);
      if (out.wire.empty()) world_.scheduler_.cancel(out.slot);
    }
    if (c.in_use) recycle_if_done(i);
  }
}

Duration Network::longest_delay() const {
  std::int64_t longest = longest_delay_;
  for (std::uint32_t i = 0; i < used_; ++i) {
    for (const Direction& d : connections_[i].direction) {
      if (!d.wire.empty()) longest = std::max(longest, world_.now().ns - d.wire[0].sent);
    }
  }
  return {longest};
}

std::uint64_t Network::fingerprint() const {
  std::uint64_t h = rules_.size();
  for (const NetworkRule& r : rules_) h = mix(h, r.id);
  for (std::uint32_t i = 0; i < used_; ++i) {
    const Connection& c = connections_[i];
    if (!c.in_use) continue;
    std::uint64_t own = mix(c.end[0].node, c.end[1].node);
    for (int side = 0; side < 2; ++side) {
      own = mix(own, static_cast<std::uint64_t>(c.end[side].state));
      const Direction& d = c.direction[side];
      for (std::size_t k = 0; k < d.wire.size(); ++k) {
        const InFlight& f = d.wire[k];
        const std::int64_t relative = f.due == kHeld  ? f.due
                                      : f.due < 0     ? -(-f.due - world_.now().ns)
                                                      : f.due - world_.now().ns;
        own = mix(own, static_cast<std::uint64_t>(relative));
        own = mix(own, hash_bytes(f.message.body.view()) ^ static_cast<std::uint64_t>(f.message.kind));
      }
    }
    h += mix(own);  // which index a connection has does not matter
  }
  return h;
}

}  // namespace picklock
