#include "sim/redis/cluster/cluster_node.hpp"

#include <algorithm>

namespace picklock {
namespace {

constexpr std::int64_t kFixedDelay = 500, kRandomDelay = 500, kDelayPerRank = 1000;
constexpr std::int64_t kReplicaPing = 10'000;  // repl-ping-replica-period

}  // namespace

// CRC-16/XMODEM, as the cluster specification defines it.
std::uint32_t cluster_slot(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open != std::string_view::npos) {
    const std::size_t close = key.find('}', open + 1);
    if (close != std::string_view::npos && close > open + 1) key = key.substr(open + 1, close - open - 1);
  }
  std::uint32_t crc = 0;
  for (const char c : key) {
    crc ^= static_cast<std::uint32_t>(static_cast<unsigned char>(c)) << 8;
    for (int bit = 0; bit < 8; ++bit) crc = ((crc << 1) ^ ((crc & 0x8000) != 0 ? 0x1021u : 0u)) & 0xffff;
  }
  return crc & 16383;
}

std::uint32_t cluster_shard(std::string_view key, std::uint32_t shards) {
  return std::min(shards - 1, cluster_slot(key) * shards / kClusterSlots);
}

ClusterNode::ClusterNode(ClusterIndex me, ClusterStore initial, const ClusterOptions& options, ClusterDice& dice,
                         ClusterFlaw flaw)
    : me_(me), initial_(std::move(initial)), options_(options), dice_(dice), flaw_(flaw) {
  boot(nullptr, 0);
}

void ClusterNode::boot(const ClusterStore* stored, std::int64_t now_ms) {
  const bool again = stored != nullptr;
  s_ = again ? *stored : initial_;
  now_ = now_ms;
  nodes_.assign(s_.masters.size(), Peer());
  for (Peer& p : nodes_) {
    p.reported.assign(nodes_.size(), 0);
    p.pong_received = p.heard = now_ms;
  }
  outbox_.clear();
  const bool serves = !again;  // a cluster that was already formed when the run began
  health_.boot(serves, now_ms);
  candidacy_ = {};
  must_store_ = false;
  won_in_ = 0;
  ticks_ = 0;
}

// --- liveness ------------------------------------------------------------------------------------------

void ClusterNode::tick(std::int64_t now_ms, const Replication& replication) {
  now_ = now_ms;
  nodes_[me_].offset = replication.offset;
  if (ticks_++ % 10 == 0) {  // pings the one of five random nodes that was silent longest
    ClusterIndex oldest = kNobody;
    for (int i = 0; i < 5; ++i) {
      const auto n = static_cast<ClusterIndex>(dice_.below(static_cast<std::int64_t>(nodes_.size())));
      if (n == me_ || nodes_[n].ping_sent != 0) continue;
      if (oldest == kNobody || nodes_[n].pong_received < nodes_[oldest].pong_received) oldest = n;
    }
    if (oldest != kNobody) ping(oldest);
  }
  for (ClusterIndex n = 0; n < nodes_.size(); ++n) {
    Peer& p = nodes_[n];
    if (n == me_) continue;
    if (p.ping_sent == 0) {
      if (now_ - p.pong_received > timeout() / 2) ping(n);
      continue;
    }
    if (std::min(now_ - p.ping_sent, now_ - p.heard) > timeout() && !p.suspected && !p.failed) p.suspected = true;
    // Its link is replaced, and with a new one begins a ping: what was lost before is asked again.
    if (now_ - p.ping_sent > timeout() / 2 && ticks_ % 10 == 0) send(ClusterPacket::Kind::ping, n);
  }
  if (!is_master()) try_election(replication);
  update_health();
}

void ClusterNode::ping(ClusterIndex n) {
  nodes_[n].ping_sent = now_;
  send(ClusterPacket::Kind::ping, n);
}

// Requests unanswered on the former link stay unanswered since then.
void ClusterNode::link_opened(ClusterIndex to, std::int64_t now_ms) {
  now_ = now_ms;
  if (nodes_[to].ping_sent == 0) return ping(to);
  send(ClusterPacket::Kind::ping, to);
}

bool ClusterNode::link_is_silent(ClusterIndex to) const {
  const Peer& p = nodes_[to];
  return p.ping_sent != 0 && now_ - p.ping_sent > timeout() / 2 && now_ - p.heard > timeout() / 2;
}

bool ClusterNode::has_shards(ClusterIndex n) const {
  return std::find(s_.owners.begin(), s_.owners.end(), n) != s_.owners.end();
}

std::uint32_t ClusterNode::size() const {
  std::uint32_t n = 0;
  for (ClusterIndex i = 0; i < nodes_.size(); ++i) n += s_.masters[i] == kNobody && has_shards(i);
  return n;
}

// Suspicion becomes certainty once a majority of the masters has voiced it within two timeouts.
void ClusterNode::mark_failed_if_agreed(ClusterIndex n) {
  Peer& p = nodes_[n];
  if (!p.suspected || p.failed) return;
  std::uint32_t agree = is_master() ? 1 : 0;
  for (const std::int64_t at : p.reported) agree += at != 0 && now_ - at <= 2 * timeout();
  if (agree < size() / 2 + 1) return;
  p.suspected = false;
  p.failed = true;
  p.failed_at = now_;
  broadcast(ClusterPacket::Kind::fail, n);
}

void ClusterNode::clear_failure(ClusterIndex n) {
  Peer& p = nodes_[n];
  p.suspected = false;
  if (!p.failed) return;
  const bool serves = s_.masters[n] == kNobody && has_shards(n);
  if (!serves || now_ - p.failed_at > 2 * timeout()) p.failed = false;
}

ClusterPacket ClusterNode::packet(ClusterPacket::Kind kind, ClusterIndex to) const {
  ClusterPacket p;
  p.kind = kind;
  p.from = me_;
  p.to = to;
  p.epoch = s_.epoch;
  p.master = master();
  const ClusterIndex as = is_master() ? me_ : master();
  p.config_epoch = s_.config_epochs[as];
  for (std::uint32_t shard = 0; shard < s_.owners.size(); ++shard) {
    if (s_.owners[shard] == as) p.shards.push_back(shard);
  }
  p.offset = nodes_[me_].offset;
  if (kind != ClusterPacket::Kind::ping && kind != ClusterPacket::Kind::pong) return p;
  // A real packet speaks of three nodes or a tenth, and of all that fail; here of all.
  for (ClusterIndex n = 0; n < nodes_.size(); ++n) {
    if (n != me_ && n != to) p.gossip.push_back({n, nodes_[n].suspected || nodes_[n].failed});
  }
  return p;
}

void ClusterNode::broadcast(ClusterPacket::Kind kind, ClusterIndex about) {
  for (ClusterIndex n = 0; n < nodes_.size(); ++n) {
    if (n == me_) continue;
    send(kind, n);
    outbox_.back().about = about;
  }
}

void ClusterNode::update_health() {
  bool is_covered = true;
  std::uint32_t reachable = 0;
  for (ClusterIndex n = 0; n < nodes_.size(); ++n) {
    if (s_.masters[n] != kNobody || !has_shards(n)) continue;
    reachable += !nodes_[n].suspected && !nodes_[n].failed;
    if (options_.require_full_coverage && nodes_[n].failed) is_covered = false;
  }
  const bool sees_majority = reachable >= size() / 2 + 1 || flaw_ == ClusterFlaw::serves_in_minority;
  health_.update(is_master(), is_covered, sees_majority, now_, timeout());
}

ClusterNode::Answer ClusterNode::answer(std::uint32_t shard) const {
  if (!serving()) return Answer::down;
  return s_.owners[shard] == me_ ? Answer::serve : Answer::moved;
}

// --- packets -------------------------------------------------------------------------------------------

void ClusterNode::receive(const ClusterPacket& p, std::int64_t now_ms) {
  now_ = now_ms;
  Peer& sender = nodes_[p.from];
  sender.heard = now_;
  sender.offset = p.offset;
  if (p.epoch > s_.epoch) {
    s_.epoch = p.epoch;
    must_store_ = true;
  }
  adopt(p);
  switch (p.kind) {
    case ClusterPacket::Kind::ping:
      send(ClusterPacket::Kind::pong, p.from);
      break;
    case ClusterPacket::Kind::pong:
      sender.pong_received = now_;
      sender.ping_sent = 0;
      clear_failure(p.from);
      break;
    case ClusterPacket::Kind::fail:
      if (p.about != me_ && p.about < nodes_.size() && !nodes_[p.about].failed) {
        nodes_[p.about].failed = true;
        nodes_[p.about].suspected = false;
        nodes_[p.about].failed_at = now_;
      }
      break;
    case ClusterPacket::Kind::update:
      if (p.about >= nodes_.size() || p.config_epoch <= s_.config_epochs[p.about]) break;
      s_.masters[p.about] = kNobody;
      adopt_claim(p.about, p.config_epoch, p.shards);
      break;
    case ClusterPacket::Kind::vote_request:
      vote(p);
      break;
    case ClusterPacket::Kind::vote:
      if (s_.masters[p.from] == kNobody && has_shards(p.from)) candidacy_.take_vote(p.epoch);
      break;
  }
  if (s_.masters[p.from] == kNobody) {
    for (const ClusterPacket::Gossip& g : p.gossip) {
      if (g.node == me_) continue;
      nodes_[g.node].reported[p.from] = g.failing ? now_ : 0;
      if (g.failing) mark_failed_if_agreed(g.node);
    }
  }
}

// The sender's role and its claims, as it says.
void ClusterNode::adopt(const ClusterPacket& p) {
  if (p.kind == ClusterPacket::Kind::update) return;  // speaks of another
  if (s_.masters[p.from] != p.master) {
    s_.masters[p.from] = p.master;
    must_store_ = true;
  }
  if (p.master != kNobody) return;
  adopt_claim(p.from, p.config_epoch, p.shards);
  correct(p);
}

// The greater config epoch wins: that of the last failover.
void ClusterNode::adopt_claim(ClusterIndex n, ClusterEpoch config_epoch, const std::vector<std::uint32_t>& shards) {
  if (config_epoch > s_.config_epochs[n]) {
    s_.config_epochs[n] = config_epoch;
    must_store_ = true;
  }
  const ClusterIndex mine = is_master() ? me_ : master();
  bool lost = false;
  for (const std::uint32_t shard : shards) {
    const ClusterIndex owner = s_.owners[shard];
    if (owner == n || s_.config_epochs[owner] >= config_epoch) continue;
    lost |= owner == mine;
    s_.owners[shard] = n;
    must_store_ = true;
  }
  // A node whose last shard is gone follows its new owner.
  if (lost && !has_shards(mine) && n != me_) s_.masters[me_] = n;
}

// A sender that claims what has long had another owner is told so.
void ClusterNode::correct(const ClusterPacket& p) {
  for (const std::uint32_t shard : p.shards) {
    const ClusterIndex owner = s_.owners[shard];
    if (owner == p.from || s_.config_epochs[owner] <= p.config_epoch) continue;
    ClusterPacket update = packet(ClusterPacket::Kind::update, p.from);
    update.about = owner;
    update.config_epoch = s_.config_epochs[owner];
    update.shards.clear();
    for (std::uint32_t i = 0; i < s_.owners.size(); ++i) {
      if (s_.owners[i] == owner) update.shards.push_back(i);
    }
    outbox_.push_back(std::move(update));
    return;
  }
}

// --- elections -----------------------------------------------------------------------------------------

std::int64_t ClusterNode::rank(std::int64_t offset) const {
  std::int64_t better = 0;
  for (ClusterIndex n = 0; n < nodes_.size(); ++n) {
    better += n != me_ && s_.masters[n] == master() && nodes_[n].offset > offset;
  }
  return better;
}

void ClusterNode::try_election(const Replication& replication) {
  if (!nodes_[master()].failed || !has_shards(master())) return;
  if (options_.replica_validity_factor != 0) {
    if (!replication.age_ms) return;
    const std::int64_t age = *replication.age_ms - (*replication.age_ms > timeout() ? timeout() : 0);
    if (age > kReplicaPing + timeout() * options_.replica_validity_factor) return;
  }
  const std::int64_t auth_timeout = std::max<std::int64_t>(2 * timeout(), 2000);
  if (candidacy_.since_due(now_) > 2 * auth_timeout) {
    const std::int64_t own_rank = rank(replication.offset);
    candidacy_.plan(now_ + kFixedDelay + dice_.below(kRandomDelay) + own_rank * kDelayPerRank, own_rank);
    for (ClusterIndex n = 0; n < nodes_.size(); ++n) {
      if (n != me_ && s_.masters[n] == master()) send(ClusterPacket::Kind::pong, n);  // the pong tells its offset
    }
    return;
  }
  if (!candidacy_.has_asked()) candidacy_.delay_if_outranked(rank(replication.offset), kDelayPerRank);
  const std::int64_t since_due = candidacy_.since_due(now_);
  if (since_due < 0 || since_due > auth_timeout) return;
  if (!candidacy_.has_asked()) {
    candidacy_.ask(++s_.epoch);
    must_store_ = true;
    broadcast(ClusterPacket::Kind::vote_request);
    return;
  }
  if (candidacy_.votes() >= quorum()) take_over();
}

void ClusterNode::take_over() {
  const ClusterIndex old = master();
  s_.config_epochs[me_] = std::max(s_.config_epochs[me_], candidacy_.epoch());
  s_.masters[me_] = kNobody;
  for (ClusterIndex& owner : s_.owners) {
    if (owner == old) owner = me_;
  }
  won_in_ = candidacy_.epoch();
  must_store_ = true;
  broadcast(ClusterPacket::Kind::pong);
}

// One vote an epoch, and none for the same master within two timeouts.
void ClusterNode::vote(const ClusterPacket& request) {
  if (!is_master() || !has_shards(me_) || request.epoch < s_.epoch || request.master == kNobody) return;
  if (s_.last_vote == s_.epoch) return;
  Peer& failed = nodes_[request.master];
  if (!failed.failed) return;
  if (failed.vote_given != 0 && now_ - failed.vote_given < 2 * timeout()) return;
  for (const std::uint32_t shard : request.shards) {
    if (s_.config_epochs[s_.owners[shard]] > request.config_epoch) return;
  }
  failed.vote_given = now_;
  s_.last_vote = s_.epoch;
  must_store_ = true;
  send(ClusterPacket::Kind::vote, request.from);
}

}  // namespace picklock
