#include "sim/redis/cluster/cluster_bus.hpp"

#include <algorithm>
#include <utility>

#include "sim/redis/cluster/cluster_text.hpp"
#include "sim/redis/text.hpp"
#include "sim/redis/transactions.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kSlots = 16384;

// The slots of a shard, as cluster_shard() cuts them.
std::int64_t first_slot(std::int64_t shard, std::int64_t shards) { return (shard * kSlots + shards - 1) / shards; }

}  // namespace

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
  const std::int64_t ns = world_->wall_now(own_).ns;
  return ns / 1'000'000 - (ns % 1'000'000 < 0);
}

std::int64_t ClusterBus::below(std::int64_t n) {
  return world_->host(own_).draw(Purpose::election, Law::uniform(std::int64_t{0}, n - 1));
}

void ClusterBus::boot(World& world, NodeId node, std::string_view stored) {
  world_ = &world;
  own_ = node;
  links_.assign(nodes_.size(), {});
  letters_.clear();
  must_store_ = false;
  ClusterDice& dice = *this;
  node_.emplace(me_, initial_, options_, dice, flaw_);
  const bool again = world.incarnation(node) > 0;
  const ClusterStore found = stored.empty() ? initial_ : decode_store(stored);
  node_->boot(again ? &found : nullptr, now_ms());
}

void ClusterBus::store(std::string& file) {
  file.clear();
  encode(node_->stored(), file);
  must_store_ = false;
}

// --- links ---------------------------------------------------------------------------------------------

void ClusterBus::open(ClusterIndex to) {
  links_[to] = {world_->network.open(own_, nodes_[to], world_->current_operation(), world_->next_segment()), false,
                now_ms()};
}

void ClusterBus::tick(const Replication& replication) {
  for (ClusterIndex i = 0; i < links_.size(); ++i) {
    if (i == me_) continue;
    Link& link = links_[i];
    const bool old = now_ms() - link.since_ms > options_.node_timeout.ms();
    if (link.connection != kNoConnection && old && node_->link_is_silent(i)) {
      world_->network.close(std::exchange(link.connection, kNoConnection), 0);
    }
    if (link.connection == kNoConnection) open(i);
  }
  node_->tick(now_ms(), {replication.offset, replication.age_ms});
  collect();
}

void ClusterBus::receive(const Message& m) {
  const auto link =
      std::find_if(links_.begin(), links_.end(), [&m](const Link& l) { return l.connection == m.connection; });
  const auto to = static_cast<ClusterIndex>(link - links_.begin());
  switch (m.kind) {
    case SegmentKind::data:
      if (m.direction == 1 && link == links_.end()) return;  // of a link that was replaced
      node_->receive(decode_packet(m.body.view()), now_ms());
      return collect(m.direction == 0 ? m.connection : kNoConnection);
    case SegmentKind::opened:
      if (link == links_.end()) return;
      link->open = true;
      node_->link_opened(to, now_ms());
      return collect();
    default:  // opened again by the next tick
      if (link != links_.end()) *link = {};
  }
}

void ClusterBus::collect(ConnectionId asked_on) {
  must_store_ |= node_->take_must_store();
  for (const ClusterPacket& p : node_->outbox()) {
    const bool back = p.kind == ClusterPacket::Kind::pong && asked_on != kNoConnection;
    const Link& link = links_[p.to];
    if (!back && !link.open) continue;
    letters_.push_back({back ? asked_on : link.connection, static_cast<std::uint8_t>(back ? 1 : 0),
                        world_->current_operation(), world_->next_segment(), encode(p)});
  }
  node_->outbox().clear();
}

void ClusterBus::let_go() {
  for (const Letter& letter : letters_) {
    Message m;
    m.body = Bytes(world_->arena(), letter.bytes);
    m.call = kBusCall;
    m.operation = letter.operation;
    m.n = letter.n;
    m.connection = letter.on;
    m.direction = letter.direction;
    world_->network.send(std::move(m));
  }
  letters_.clear();
}

// --- clients -------------------------------------------------------------------------------------------

std::optional<RedisReply> ClusterBus::refusal(const RedisCommandView& command, std::string_view queued) const {
  std::uint32_t slot = slot_of(command);
  RedisTransactions::for_each(queued, [&](const RedisCommandView& c) { slot = slot_of_both(slot, slot_of(c)); });
  if (slot == kNoSlot) return std::nullopt;
  if (slot == kSeveralSlots) return RedisReply::error("CROSSSLOT Keys in request don't hash to the same slot");
  const auto shard =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(shards() - 1, std::uint64_t{slot} * shards() / kSlots));
  switch (node_->answer(shard)) {
    case ClusterNode::Answer::serve:
      return std::nullopt;
    case ClusterNode::Answer::down:
      return RedisReply::error("CLUSTERDOWN The cluster is down");
    case ClusterNode::Answer::moved:
      break;
  }
  return RedisReply::error("MOVED " + std::to_string(slot) + " " + world_->node_name(nodes_[node_->owner(shard)]) +
                           ":6379");
}

// CLUSTER SLOTS: of each shard its first and last slot, its master, and the replicas that are not known to have failed.
RedisReply ClusterBus::command(const RedisCommandView& command) const {
  if (!is_redis_word(command.arg(1), "SLOTS") || command.argc() != 2) {
    return RedisReply::error("ERR unknown subcommand or wrong number of arguments for 'cluster'");
  }
  const auto endpoint = [&](ClusterIndex i) {
    return RedisReply::array({RedisReply::bulk(world_->node_name(nodes_[i])), RedisReply::integer(6379)});
  };
  RedisReply all = RedisReply::array();
  for (std::uint32_t shard = 0; shard < shards(); ++shard) {
    const ClusterIndex owner = node_->owner(shard);
    RedisReply range =
        RedisReply::array({RedisReply::integer(first_slot(shard, shards())),
                           RedisReply::integer(first_slot(std::int64_t{shard} + 1, shards()) - 1), endpoint(owner)});
    for (ClusterIndex i = 0; i < nodes_.size(); ++i) {
      if (node_->stored().masters[i] == owner && !node_->knows_failed(i)) range.push_back(endpoint(i));
    }
    all.push_back(std::move(range));
  }
  return all;
}

}  // namespace picklock
