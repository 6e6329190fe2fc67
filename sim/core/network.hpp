// The network consists of connections that behave like TCP.
//
// A connection is ordered in each direction, delayed by loss (the kernel retransmits with back-off:
// 200 ms, doubling, up to 15 times), and closed or reset as processes and hosts come and go.
// Rules decide the fate of each segment when it is transmitted; the first verdict wins.
//
// Left out: bandwidth, windows and segment sizes (a message is one segment); acknowledgements (a
// sender learns of a loss by its timer alone); reordering within a connection.  A segment that left
// before a partition began still arrives.
#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/draws.hpp"
#include "sim/core/ring.hpp"
#include "sim/core/scheduler.hpp"
#include "sim/task/payload.hpp"
#include "sim/task/runtime.hpp"

namespace picklock {

class World;
class RpcChannel;

using ConnectionId = std::uint32_t;  // index, and in the upper half how often it was used before
inline constexpr ConnectionId kNoConnection = ~ConnectionId{0};
inline constexpr std::size_t kMostNodes = 512;
using NodeSet = std::bitset<kMostNodes>;

enum class SegmentKind : std::uint8_t { open, opened, data, close, reset };

struct Message {
  Payload body;
  std::uint64_t call = 0;  // number of the request that it is, or answers; 0: neither
  Operation operation;     // operation that names its draws, and that the judge reads
  std::uint32_t n = 0;     // number within the operation
  ConnectionId connection = kNoConnection;
  SegmentKind kind = SegmentKind::data;
  std::uint8_t direction = 0;  // 0: from the end that opened the connection
};

enum class Fate : std::uint8_t { pass, delay, drop, hold };

// A rule decides the fate of segments from a node of `from` to a node of `to`.
struct NetworkRule {
  NodeSet from, to;
  Fate fate = Fate::drop;
  Law delay;  // Fate::delay: the addition to the latency
  // Applies to this share of the segments; of the others the next rule decides.
  std::int64_t out_of_million = 1'000'000;
  std::uint32_t id = 0;  // given by install()
};

class Network {
 public:
  explicit Network(World& world) : world_(world) {}

  void reset();

  // Makes a connection that is open already, as at the start of a run.
  ConnectionId connect(NodeId from, NodeId to, RpcChannel* channel);
  // Begins to open one; the opener's channel hears when it is open, refused, or reset.
  ConnectionId open(NodeId from, NodeId to, RpcChannel& channel, const Operation& operation, std::uint32_t n);
  // A server opens a link of its own: its mailbox hears of it, in messages of direction 1.
  ConnectionId open(NodeId from, NodeId to, const Operation& operation, std::uint32_t n);
  // Sends data on behalf of an operation; n: the segment's number there.
  void send(ConnectionId id, std::uint8_t direction, Payload&& body, std::uint64_t call, const Operation& operation,
            std::uint32_t n);
  void close(ConnectionId, int end);                    // the process at that end closes; what it sent still arrives
  std::optional<NodeId> opener(ConnectionId id) const;  // node that opened the connection, while it exists

  std::uint32_t install(NetworkRule rule);  // returns its id
  void uninstall(std::uint32_t id);
  void set_latency(Law law) { latency_ = std::move(law); }
  void set_latency(NodeId from, NodeId to, Law law);  // law of one direction of one link

  // --- measures, for the judge of a lock's assumptions
  Duration longest_delay() const;  // longest time between sending and delivery, or now if under way
  std::uint64_t segments_lost() const { return segments_lost_; }

  // Bytes of all bodies that are sent, in the order of the records segment-sent: for pictures.
  void keep_bodies(bool on) { keeps_bodies_ = on; }  // survives reset()
  const std::vector<std::string>& bodies() const { return bodies_; }

  // --- for the world
  void fire(std::uint32_t wire);
  void redraw_latencies();                                            // draws their remaining time anew
  void process_died(NodeId);                                          // its kernel closes its connections
  void host_lost(NodeId);                                             // its kernel has forgotten them
  void host_thawed(NodeId);                                           // its kernel retransmits again
  void deliver(NodeId node, RpcChannel* channel, Message&& message);  // hands it to the process
  std::uint64_t fingerprint() const;
  std::uint64_t fingerprint_of(const Message& m) const;

 private:
  enum class EndState : std::uint8_t { closed, opening, open };
  struct End {
    NodeId node = 0;
    EndState state = EndState::closed;
    RpcChannel* channel = nullptr;  // null: the node's mailbox
  };
  struct InFlight {
    std::int64_t due = 0;  // < 0: lost so far, to be transmitted again at -due; kHeld: once let go
    std::int64_t sent = 0;
    std::int64_t transmitted = 0;  // the last time; it arrives `latency`, and what a rule adds, later
    std::int64_t latency = 0;
    std::uint32_t delayed_by = 0, attempt = 0;  // the id of the rule that delays it; 0: none
    Message message;
  };
  struct alignas(64) Direction {  // two cache lines: its place is found by a shift
    Ring<InFlight> wire;
    Entity entity;
    const Law* latency = nullptr;
    SlotId slot = 0;
    std::uint32_t orphans = 0;  // number of segments at the head whose sender's memory is lost
    std::uint8_t attempts = 0;  // number of retransmissions of the head
  };
  struct Connection {
    End end[2];
    Direction direction[2];
    std::uint16_t generation = 0;
    bool in_use = false;
  };
  static constexpr std::int64_t kHeld = INT64_MIN;
  struct LinkLatency {
    NodeId from, to;
    Law law;
  };

  ConnectionId allocate(NodeId from, NodeId to, RpcChannel* channel);
  ConnectionId begin_to_open(NodeId from, NodeId to, RpcChannel*, const Operation&, std::uint32_t n);
  const Connection* find(ConnectionId id) const;
  Connection* find(ConnectionId id) { return const_cast<Connection*>(static_cast<const Network*>(this)->find(id)); }
  void recycle_if_done(std::uint32_t index);
  void send_otherwise(Connection& c, ConnectionId id, std::uint8_t direction, Payload&& body, std::uint64_t call,
                      const Operation& operation, std::uint32_t n);
  void enqueue(Connection& c, Message&& message);
  // The segment has just been put on the wire; first: it is its head.
  void leave(Connection& c, Direction& d, InFlight& segment, bool first);
  void tell_of(const Message& sent, NodeId sender);  // notes it for pictures and the full trace
  [[gnu::always_inline]] inline void travel(InFlight& segment, std::int64_t latency, std::int64_t extra);
  void transmit(const Connection& c, Direction& d, InFlight& segment, std::uint32_t attempt);
  // The rule that decides; null: none does, and the segment passes.
  const NetworkRule* judge(NodeId from, NodeId to, const Direction& d, const Message& m, std::uint32_t n);
  bool redraw_latency(const Direction& d, InFlight& segment);
  void lose(InFlight& segment, NodeId sender, std::uint32_t attempt);
  void schedule_head(Direction& d);
  void fire_otherwise(std::uint32_t wire);
  [[gnu::always_inline]] inline void taken_off(Direction& d, const InFlight& head);
  void fire_held_back(Connection& c, std::uint8_t direction, std::uint32_t index);
  void schedule_next(Direction& d);
  void arrive(Connection& c, Message&& message);
  void arrive_otherwise(Connection& c, Message& m);
  void forget_orphans(Connection& c, Direction& d, std::uint32_t index);
  void reset_direction(Direction& d, NodeId sender, NodeId receiver);
  void answer(Connection& c, const Message& received, SegmentKind kind);
  void give_up(Connection& c, std::uint8_t direction);
  bool has_unread(NodeId node, ConnectionId id) const;
  const Law& latency_of(NodeId from, NodeId to) const;

  static const Law kUsualLatency;
  World& world_;
  Law latency_ = kUsualLatency;
  std::deque<LinkLatency> link_latencies_;
  std::vector<NetworkRule> rules_;
  std::uint32_t last_rule_ = 0;
  std::vector<Connection> connections_;
  std::uint32_t used_ = 0;
  std::vector<std::uint32_t> free_;
  std::int64_t longest_delay_ = 0;
  std::uint64_t segments_lost_ = 0;
  bool keeps_bodies_ = false;
  std::vector<std::string> bodies_;
};

}  // namespace picklock
