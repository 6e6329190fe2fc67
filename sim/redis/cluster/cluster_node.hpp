// A node of a Redis cluster as a pure state machine: which nodes have failed, which follow, and which may serve.
//
//   ClusterNode n(0, nodes, {}, dice);
//   n.boot(stored_or_none, now_ms);
//   n.tick(now_ms, replication);        // ten times a second
//   n.receive(packet, now_ms);
//   for (const ClusterPacket& p : n.outbox()) …      // send them after n.stored() is on disk, if must_store()
//
// From:      Redis 7.0, cluster_legacy.c: clusterCron, the gossip section of a packet, the replica's
//            election, the vote, and clusterUpdateState.
// Left out:  slot migration, manual failover, orphan masters, replica migration, nodes that join, packets
//            of 7.2's shards, the collision of config epochs (the initial ones differ).  A shard stands
//            for its range of slots: what happens to one key's slot happens to its whole shard.
// Links are kept by the bus (cluster_bus.hpp): here a packet is delivered or not, and a broken link shows as
// packets that do not come, which the node asks for again once a second.
//
// ClusterNode keeps the configuration (ClusterStore), what it knows of each other node, and the packets to send;
// ClusterHealth keeps whether it serves, and ClusterCandidacy a replica's bid for its master's shards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/cluster/candidacy.hpp"
#include "sim/redis/cluster/health.hpp"
#include "sim/redis/cluster/options.hpp"

namespace picklock {

using ClusterEpoch = std::uint64_t;
using ClusterIndex = std::uint32_t;  // index of a node, the same for all
inline constexpr ClusterIndex kNobody = ~ClusterIndex{0};

inline constexpr std::uint32_t kClusterSlots = 16384;
// Slot of a key, and which of `shards` equal ranges it lies in; the {tag} decides, if the key has one.
std::uint32_t cluster_slot(std::string_view key);
std::uint32_t cluster_shard(std::string_view key, std::uint32_t shards);

struct ClusterPacket {
  enum class Kind : std::uint8_t { ping, pong, fail, update, vote_request, vote };
  struct Gossip {
    ClusterIndex node = 0;
    bool failing = false;  // possibly or certainly
  };
  Kind kind{};
  ClusterIndex from = 0, to = 0;
  ClusterEpoch epoch = 0, config_epoch = 0;  // a replica sends its master's config epoch, and its shards
  ClusterIndex master = kNobody;             // master of the sender; kNobody: the sender is a master
  std::vector<std::uint32_t> shards;
  std::int64_t offset = 0;
  std::vector<Gossip> gossip;    // ping and pong
  ClusterIndex about = kNobody;  // fail: who; update: whose config epoch and shards these are
};

// State that must survive a restart.
struct ClusterStore {
  ClusterEpoch epoch = 0, last_vote = 0;
  std::vector<ClusterEpoch> config_epochs;  // index: the node
  std::vector<ClusterIndex> masters;        // index: the node; kNobody: a master
  std::vector<ClusterIndex> owners;         // index: the shard
  bool operator==(const ClusterStore&) const = default;
};

class ClusterDice {
 public:
  virtual std::int64_t below(std::int64_t n) = 0;

 protected:
  ~ClusterDice() = default;
};

enum class ClusterFlaw : std::uint8_t { none, needs_no_majority, serves_in_minority };

class ClusterNode {
 public:
  // The state of this node's replication, as its server knows it.
  struct Replication {
    std::int64_t offset = 0;
    std::optional<std::int64_t> age_ms;  // time since the master was last heard of; none: never
  };
  enum class Answer : std::uint8_t { serve, moved, down };

  ClusterNode(ClusterIndex me, ClusterStore initial, const ClusterOptions& options, ClusterDice& dice,
              ClusterFlaw flaw = ClusterFlaw::none);

  void boot(const ClusterStore* stored, std::int64_t now_ms);  // null: the initial configuration
  void tick(std::int64_t now_ms, const Replication& replication);
  void receive(const ClusterPacket& packet, std::int64_t now_ms);
  void link_opened(ClusterIndex to, std::int64_t now_ms);  // a new link begins with a ping
  bool link_is_silent(ClusterIndex to) const;              // half a timeout long, and unanswered: open another

  // Answer to a client that asks for a key of this shard: for `moved`, owner(shard).
  Answer answer(std::uint32_t shard) const;

  std::vector<ClusterPacket>& outbox() { return outbox_; }
  bool take_must_store() { return std::exchange(must_store_, false); }
  const ClusterStore& stored() const { return s_; }

  bool is_master() const { return s_.masters[me_] == kNobody; }
  ClusterIndex master() const { return s_.masters[me_]; }
  ClusterIndex owner(std::uint32_t shard) const { return s_.owners[shard]; }
  ClusterEpoch epoch() const { return s_.epoch; }
  ClusterEpoch config_epoch() const { return s_.config_epochs[me_]; }
  std::size_t nodes() const { return nodes_.size(); }
  bool serving() const { return health_.serves(); }
  bool suspects(ClusterIndex n) const { return nodes_[n].suspected; }
  bool knows_failed(ClusterIndex n) const { return nodes_[n].failed; }
  ClusterEpoch won_in() const { return won_in_; }  // the last election it won; 0: none

 private:
  struct Peer {
    std::int64_t ping_sent = 0, pong_received = 0, heard = 0, failed_at = 0, vote_given = 0;
    bool suspected = false, failed = false;
    std::int64_t offset = 0;
    std::vector<std::int64_t> reported;  // index: the node; time of its last report against this one; 0: none
  };
  bool has_shards(ClusterIndex n) const;
  std::uint32_t size() const;
  std::uint32_t quorum() const { return flaw_ == ClusterFlaw::needs_no_majority ? 1 : size() / 2 + 1; }
  std::int64_t timeout() const { return options_.node_timeout.ms(); }
  ClusterPacket packet(ClusterPacket::Kind kind, ClusterIndex to) const;
  void send(ClusterPacket::Kind kind, ClusterIndex to) { outbox_.push_back(packet(kind, to)); }
  void ping(ClusterIndex n);
  void broadcast(ClusterPacket::Kind kind, ClusterIndex about = kNobody);
  void mark_failed_if_agreed(ClusterIndex n);
  void clear_failure(ClusterIndex n);
  void update_health();
  void try_election(const Replication& replication);
  std::int64_t rank(std::int64_t offset) const;
  void take_over();
  void vote(const ClusterPacket& request);
  void adopt(const ClusterPacket& p);
  void adopt_claim(ClusterIndex n, ClusterEpoch config_epoch, const std::vector<std::uint32_t>& shards);
  void correct(const ClusterPacket& p);

  ClusterIndex me_;
  ClusterStore initial_, s_;
  ClusterOptions options_;
  ClusterDice& dice_;
  ClusterFlaw flaw_;
  std::int64_t now_ = 0;
  std::vector<Peer> nodes_;
  std::vector<ClusterPacket> outbox_;
  bool must_store_ = false;

  std::uint32_t ticks_ = 0;
  ClusterHealth health_;
  ClusterCandidacy candidacy_;
  ClusterEpoch won_in_ = 0;
};

}  // namespace picklock
