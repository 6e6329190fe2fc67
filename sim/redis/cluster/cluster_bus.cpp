#include "sim/redis/cluster/cluster_bus.hpp"

#include <algorithm>
#include <utility>

#include "sim/redis/cluster/cluster_text.hpp"
#include "sim/redis/text.hpp"
#include "sim/redis/transactions.hpp"

namespace picklock {

ClusterStore even_cluster(std::uint32_t masters, std::uint32_t replicas) {
  ClusterStore s;
  s.epoch = masters;
  for (ClusterIndex m = 0; m < masters; ++m) {
    s.config_epochs.push_back(m + 1);
    s.masters.push_back(kNobody);
    s.owners.push_back(m);
  }
  for (ClusterIndex r = 0; r < masters * replicas; ++r) {
    s.config_epochs.push_back(0);
    s.masters.push_back(r / replicas);
  }
  return s;
}

void ClusterBus::set_up(ClusterStore initial, std::vector<NodeId> nodes, ClusterIndex me, const ClusterOptions& options,
                        ClusterFlaw flaw) {
  initial_ = std::move(initial);
  nodes_ = std::move(nodes);
  me_ = me;
  options_ = options;
  flaw_ = flaw;
}

std::int64_t ClusterBus::now_ms() const {
  const std::int64_t ns = world_->tasks.wall_now(own_).ns;
  return ns / 1'000'000 - (ns % 1'000'000 < 0);
}

std::int64_t ClusterBus::below(std::int64_t n) {
  return world_->host(own_).draw(Purpose::election, Law::uniform(std::int64_t{0}, n - 1));
}

void ClusterBus::boot(World& world, NodeId node, std::string_view stored) {
  world_ = &world;
  own_ = node;
  links_.assign(nodes_.size(), {});
  must_store_ = false;
  ClusterDice& dice = *this;
  node_.emplace(me_, initial_, options_, dice, flaw_);
  const bool again = world.nodes.incarnation(node) > 0;
  const ClusterStore found = stored.empty() ? initial_ : decode_store(stored);
  node_->boot(again ? &found : nullptr, now_ms());
}

void ClusterBus::store(std::string& file) {
  file.clear();
  encode(node_->stored(), file);
  must_store_ = false;
}

// --- links ---------------------------------------------------------------------------------------------

void ClusterBus::tick(const Replication& replication, Outbox& packets) {
  const Service service(*world_, own_);
  for (ClusterIndex i = 0; i < links_.size(); ++i) {
    if (i == me_) continue;
    Link& to = links_[i];
    const bool old = now_ms() - to.since_ms > options_.node_timeout.ms();
    if (old && node_->link_is_silent(i)) to.link.close(service);
    if (!to.link.is_closed()) continue;
    to.link.open(service, nodes_[i]);
    to.since_ms = now_ms();
  }
  node_->tick(now_ms(), {replication.offset, replication.age_ms});
  collect(packets);
}

void ClusterBus::receive(const Message& m, Outbox& packets) {
  const auto from = link_of(links_, m);
  if (m.direction == 1 && from == links_.end()) return;  // the link was replaced
  if (m.kind == SegmentKind::data) {
    const auto* const packet = m.body.get<ClusterPacket>();
    if (packet == nullptr) return;
    node_->receive(*packet, now_ms());
    return collect(packets, m.direction == 0 ? m.connection : kNoConnection);
  }
  from->link.hear(m);
  if (m.kind != SegmentKind::opened) {
    from->since_ms = 0;  // the next tick opens it again
    return;
  }
  node_->link_opened(static_cast<ClusterIndex>(from - links_.begin()), now_ms());
  collect(packets);
}

void ClusterBus::collect(Outbox& packets, ConnectionId asked_on) {
  must_store_ |= node_->take_must_store();
  for (const ClusterPacket& p : node_->outbox()) {
    const bool back = p.kind == ClusterPacket::Kind::pong && asked_on != kNoConnection;
    const PeerLink& link = links_[p.to].link;
    if (!back && !link.is_open()) continue;
    packets.send(back ? ConnectionEnd{asked_on, 1} : link.end(), Payload::of(world_->tasks.arena(), p), kBusCall);
  }
  node_->outbox().clear();
}

// --- clients -------------------------------------------------------------------------------------------

std::optional<RedisReply> ClusterBus::refusal(const RedisCommandView& command, std::string_view queued) const {
  std::uint32_t slot = slot_of(command);
  RedisTransactions::for_each(queued, [&](const RedisCommandView& c) { slot = slot_of_both(slot, slot_of(c)); });
  if (slot == kNoSlot) return std::nullopt;
  if (slot == kSeveralSlots) return RedisReply::error("CROSSSLOT Keys in request don't hash to the same slot");
  const auto shard =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(shards() - 1, std::uint64_t{slot} * shards() / kClusterSlots));
  switch (node_->answer(shard)) {
    case ClusterNode::Answer::serve:
      return std::nullopt;
    case ClusterNode::Answer::down:
      return RedisReply::error("CLUSTERDOWN The cluster is down");
    case ClusterNode::Answer::moved:
      break;
  }
  return RedisReply::error("MOVED " + std::to_string(slot) + " " + world_->nodes.name(nodes_[node_->owner(shard)]) +
                           ":6379");
}

}  // namespace picklock
