// Segments on their way: transmission, loss, retransmission, and the rules that decide.

#include "sim/core/network.hpp"

#include <algorithm>

#include "sim/core/rpc_channel.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

// Linux: RTO starts at 200 ms (1 s for a SYN), doubles up to 120 s; tcp_retries2 is 15.
constexpr std::int64_t kFirstRetry = milliseconds(200).ns;
constexpr std::int64_t kFirstOpenRetry = seconds(1).ns;
constexpr std::int64_t kLongestRetry = seconds(120).ns;
constexpr std::uint8_t kMostAttempts = 15;

std::int64_t retry_delay(SegmentKind kind, std::uint32_t attempt) {
  const std::int64_t first = kind == SegmentKind::open ? kFirstOpenRetry : kFirstRetry;
  return std::min(first << std::min<std::uint32_t>(attempt, 10), kLongestRetry);
}

// Draws of a transmission carry the segment's number, and above it the attempt's.
std::uint32_t number(std::uint32_t n, std::uint32_t attempt) {
  constexpr std::uint32_t kBits = 28;
  static_assert(kMostAttempts < 1 << (32 - kBits));
  return (n & ((1u << kBits) - 1)) | attempt << kBits;
}

// Sets every member: the old values belong to an earlier message, whose body has been taken.
[[gnu::always_inline]] inline void write(Message& m, ConnectionId id, std::uint8_t direction, Payload&& body,
                                         std::uint64_t call, const Operation& operation, std::uint32_t n) {
  m.body = std::move(body);
  m.call = call;
  m.operation = operation;
  m.n = n;
  m.connection = id;
  m.kind = SegmentKind::data;
  m.direction = direction;
}

}  // namespace

// It arrives after the latency, and what a rule adds; or when what is before it has.
inline void Network::travel(InFlight& segment, std::int64_t latency, std::int64_t extra) {
  segment.transmitted = world_.now().ns;
  segment.latency = latency;
  segment.due = segment.transmitted + latency + extra;
  const Message& m = segment.message;
  world_.trace.cover(static_cast<std::uint64_t>(segment.due) ^ std::uint64_t{m.connection} << 32 ^
                     static_cast<std::uint64_t>(m.kind) << 16);
}

void Network::leave(Connection& c, Direction& d, InFlight& segment, bool first) {
  const Message& m = segment.message;
  const NodeId sender = c.end[m.direction].node;
  if (world_.trace.records_fully() || keeps_bodies_) tell_of(m, sender);
  segment.sent = world_.now().ns;
  if (world_.nodes.reachable(sender)) {
    transmit(c, d, segment, 0);
  } else {
    lose(segment, sender, 0);
  }
  if (first) schedule_head(d);
}

void Network::tell_of(const Message& m, NodeId sender) {
  if (world_.trace.records_fully()) {
    world_.record(trace::segment_sent, sender, m.connection, m.call,
                  m.body.hash() ^ static_cast<std::uint64_t>(m.kind));
  }
  if (keeps_bodies_) bodies_.push_back(m.body.bytes());
}

void Network::send(ConnectionId id, std::uint8_t direction, Payload&& body, std::uint64_t call,
                   const Operation& operation, std::uint32_t n) {
  Connection* const c = find(id);
  if (c == nullptr || c->end[direction].state != EndState::open) return;
  Direction& d = c->direction[direction];
  const std::uint64_t name = Draws::name_of(d.entity, Purpose::latency, operation, number(n, 0));
  const bool plain = world_.draws.is_plain(name) && d.latency->is_even() && !d.wire.is_full() && rules_.empty() &&
                     world_.nodes.reachable(c->end[direction].node) && !world_.trace.records_fully() && !keeps_bodies_;
  if (!plain) [[unlikely]]
    return send_otherwise(*c, id, direction, std::move(body), call, operation, n);
  const bool first = d.wire.empty();
  InFlight& segment = d.wire.extend_within();
  write(segment.message, id, direction, std::move(body), call, operation, n);
  segment.sent = world_.now().ns;
  segment.delayed_by = segment.attempt = 0;
  travel(segment, world_.draws.draw_plainly(name, *d.latency), 0);
  if (first) world_.scheduler.schedule(d.slot, {segment.due});
}

void Network::send_otherwise(Connection& c, ConnectionId id, std::uint8_t direction, Payload&& body, std::uint64_t call,
                             const Operation& operation, std::uint32_t n) {
  Message message;
  write(message, id, direction, std::move(body), call, operation, n);
  enqueue(c, std::move(message));
}

void Network::enqueue(Connection& c, Message&& message) {
  Direction& d = c.direction[message.direction];
  const bool first = d.wire.empty();
  InFlight& segment = d.wire.extend();
  segment.message = std::move(message);
  leave(c, d, segment, first);
}

void Network::transmit(const Connection& c, Direction& d, InFlight& segment, std::uint32_t attempt) {
  const Message& m = segment.message;
  const std::uint32_t n = number(m.n, attempt);
  std::int64_t extra = 0;
  segment.delayed_by = 0;
  if (!rules_.empty()) {
    const NodeId sender = c.end[m.direction].node;
    const NetworkRule* const rule = judge(sender, c.end[1 - m.direction].node, d, m, n);
    switch (rule != nullptr ? rule->fate : Fate::pass) {
      case Fate::hold:
        segment.due = kHeld;
        return;
      case Fate::drop:
        return lose(segment, sender, attempt);
      case Fate::delay:
        segment.delayed_by = rule->id;
        extra = world_.draws.draw(world_.now(), d.entity, Purpose::fault, m.operation, n, rule->delay);
        break;
      case Fate::pass:
        break;
    }
  }
  segment.attempt = attempt;
  travel(segment, world_.draws.draw(world_.now(), d.entity, Purpose::latency, m.operation, n, *d.latency), extra);
}

void Network::redraw_latencies() {
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (!connections_[i].in_use) continue;
    for (Direction& d : connections_[i].direction) {
      for (std::size_t place = 0; place < d.wire.size(); ++place) {
        if (!redraw_latency(d, d.wire[place]) || place != 0 || !world_.scheduler.is_scheduled(d.slot)) continue;
        world_.scheduler.cancel(d.slot);
        schedule_head(d);
      }
    }
  }
}

// A rule's delay if there is one, as the longer of the two, else the latency.  True if it arrives at another instant.
bool Network::redraw_latency(const Direction& d, InFlight& segment) {
  const std::int64_t now = world_.now().ns, before = segment.due;
  if (segment.due <= now) return false;  // lost, held, or due at its receiver already
  const Message& m = segment.message;
  const std::uint32_t n = number(m.n, segment.attempt);
  const std::int64_t over = now - segment.transmitted, extra = segment.due - segment.transmitted - segment.latency;
  const auto rule =
      std::find_if(rules_.begin(), rules_.end(), [&](const NetworkRule& r) { return r.id == segment.delayed_by; });
  if (rule != rules_.end()) {
    segment.due += world_.draws.redraw(world_.now(), d.entity, Purpose::fault, m.operation, n, rule->delay,
                                       over - segment.latency, extra) -
                   extra;
  } else if (d.latency->kind() != Law::Kind::constant) {
    segment.latency = world_.draws.redraw(world_.now(), d.entity, Purpose::latency, m.operation, n, *d.latency,
                                          over - extra, segment.latency);
    segment.due = segment.transmitted + segment.latency + extra;
  }
  return segment.due != before;
}

void Network::lose(InFlight& segment, NodeId sender, std::uint32_t attempt) {
  world_.record(trace::segment_lost, sender, segment.message.connection, attempt);
  ++segments_lost_;
  segment.due = -(world_.now().ns + retry_delay(segment.message.kind, attempt));
}

// One draw decides for all rules that apply to a share only: each takes its part of what those before
// it left, and what remains is spread again over the whole range.
const NetworkRule* Network::judge(NodeId from, NodeId to, const Direction& d, const Message& m, std::uint32_t n) {
  constexpr std::int64_t kAll = 1'000'000;
  std::int64_t drawn = -1;
  for (const NetworkRule& rule : rules_) {
    if (!rule.from[from] || !rule.to[to]) continue;
    if (rule.out_of_million < kAll) {
      static const Law kMillion = Law::uniform(std::int64_t{0}, kAll - 1);
      if (drawn < 0) {
        drawn = world_.draws.draw(world_.now(), d.entity, Purpose::loss, m.operation, n, kMillion);
      }
      if (drawn >= rule.out_of_million) {
        drawn = (drawn - rule.out_of_million) * kAll / (kAll - rule.out_of_million);
        continue;
      }
    }
    return &rule;
  }
  return nullptr;
}

void Network::schedule_head(Direction& d) {
  const std::int64_t due = d.wire.front().due;
  if (due == kHeld) return;
  world_.scheduler.schedule(d.slot, {std::max(due < 0 ? -due : due, world_.now().ns)});
}

// The head of the wire has arrived.
inline void Network::taken_off(Direction& d, const InFlight& head) {
  d.attempts = 0;
  if (d.orphans != 0) --d.orphans;
  longest_delay_ = std::max(longest_delay_, world_.now().ns - head.sent);
  d.wire.drop_front();
}

// A plain delivery calls other functions only at its end, and so keeps no registers: half of all events are such.
void Network::fire(std::uint32_t wire) {
  Connection& c = connections_[wire >> 1];
  Direction& d = c.direction[wire & 1];
  const End& end = c.end[1 - (wire & 1)];
  InFlight& head = d.wire.front();
  Message& m = head.message;  // stays where it is until the sender's next one
  Nodes::Node& receiver = world_.nodes[end.node];
  const bool is_heard = receiver.unhindered && end.state == EndState::open && !world_.lives.are_kept();
  const bool plain =
      d.wire.size() == 1 && is_heard && head.due >= 0 && m.kind == SegmentKind::data && !world_.trace.records_fully();
  if (!plain) [[unlikely]]
    return fire_otherwise(wire);
  taken_off(d, head);
  if (end.channel != nullptr) return end.channel->on_message(m.connection, m.call, m.body);
  world_.tasks.hand_over(receiver.process.mailbox, std::move(m));
}

void Network::fire_otherwise(std::uint32_t wire) {
  const std::uint32_t index = wire >> 1;
  Connection& c = connections_[index];
  const auto direction = static_cast<std::uint8_t>(wire & 1);
  Direction& d = c.direction[direction];
  const End& end = c.end[1 - direction];
  InFlight& head = d.wire.front();
  Nodes::Node& receiver = world_.nodes[end.node];
  if (head.due < 0 || !receiver.reachable) return fire_held_back(c, direction, index);
  taken_off(d, head);
  Message& m = head.message;
  if (!d.wire.empty()) schedule_next(d);
  const bool is_heard = receiver.unhindered && end.state == EndState::open && !world_.lives.are_kept();
  if (!is_heard || m.kind != SegmentKind::data) return arrive_otherwise(c, m);  // deliver() has more to do
  world_.record(trace::segment_arrived, end.node, m.connection, m.call, static_cast<std::uint64_t>(SegmentKind::data));
  if (end.channel != nullptr) return end.channel->on_message(m.connection, m.call, m.body);
  world_.tasks.hand_over(receiver.process.mailbox, std::move(m));
}

// Not a plain delivery: a copy outlives what happens to the connection.
void Network::arrive_otherwise(Connection& c, Message& m) {
  Message message = std::move(m);
  arrive(c, std::move(message));
}

// Retransmits segments that were lost or held; a segment that an unreachable host did not take is lost.
void Network::fire_held_back(Connection& c, std::uint8_t direction, std::uint32_t index) {
  Direction& d = c.direction[direction];
  InFlight& head = d.wire.front();
  const NodeId sender = c.end[direction].node;
  if (head.due >= 0) {  // the receiving host is unreachable: the sender will try again
    lose(head, sender, d.attempts);
    return schedule_head(d);
  }
  if (head.due != kHeld) {
    if (d.orphans != 0) return forget_orphans(c, d, index);
    if (!world_.nodes.reachable(sender)) return;  // goes on when it is thawed
    if (++d.attempts > kMostAttempts) return give_up(c, direction);
  }
  transmit(c, d, head, d.attempts);
  schedule_head(d);
}

void Network::schedule_next(Direction& d) {
  if (d.wire.front().due == kHeld) {  // it was held behind this one: ask the rules again
    world_.scheduler.schedule(d.slot, world_.now());
  } else {
    schedule_head(d);
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

// --- rules and latencies -------------------------------------------------------------------------

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
      if (!d.wire.empty() && d.wire.front().due == kHeld && !world_.scheduler.is_scheduled(d.slot)) {
        world_.scheduler.schedule(d.slot, world_.now());
      }
    }
  }
}

const Law& Network::latency_of(NodeId from, NodeId to) const {
  for (const LinkLatency& l : link_latencies_) {
    if (l.from == from && l.to == to) return l.law;
  }
  return latency_;
}

void Network::set_latency(NodeId from, NodeId to, Law law) {
  for (LinkLatency& l : link_latencies_) {
    if (l.from == from && l.to == to) {
      l.law = std::move(law);
      return;
    }
  }
  link_latencies_.push_back({from, to, std::move(law)});
  for (std::uint32_t i = 0; i < used_; ++i) {
    Connection& c = connections_[i];
    for (int side = 0; side < 2; ++side) {
      c.direction[side].latency = &latency_of(c.end[side].node, c.end[1 - side].node);
    }
  }
}

}  // namespace picklock
