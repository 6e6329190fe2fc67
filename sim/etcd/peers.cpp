#include "sim/etcd/peers.hpp"

namespace picklock {

void EtcdPeers::reset(World& world, NodeId node, RaftId self, const std::vector<NodeId>& members,
                      Duration dial_timeout) {
  world_ = &world;
  node_ = node;
  self_ = self;
  dial_timeout_ = dial_timeout;
  peers_.assign(members.size(), {});
  for (std::size_t i = 0; i < members.size(); ++i) peers_[i].node = members[i];
}

bool EtcdPeers::send(RaftId to, std::string_view bytes) {
  Peer& peer = peers_[to - 1];
  if (peer.state != State::open) return false;
  if (!peer.waits) {
    peer.waits = true;
    peer.since = world_->monotonic_now(node_);
  }
  Message m;
  m.body = Bytes(world_->arena(), bytes);
  m.operation = world_->current_operation();
  m.n = world_->next_segment();
  m.connection = peer.connection;
  world_->network.send(std::move(m));
  return true;
}

RaftId EtcdPeers::changed(const Message& news) {
  for (RaftId id = 1; id <= peers_.size(); ++id) {
    Peer& peer = peers_[id - 1];
    if (peer.state == State::closed || peer.connection != news.connection) continue;
    if (news.kind == SegmentKind::opened) {
      peer.state = State::open;
      peer.waits = false;
    } else {
      peer.state = State::closed;
      peer.connection = kNoConnection;
    }
    return id;
  }
  return 0;
}

std::size_t EtcdPeers::connected() const {
  std::size_t open = 0;
  for (const Peer& peer : peers_) open += peer.state == State::open ? 1 : 0;
  return open;
}

std::size_t EtcdPeers::heard_lately(std::uint32_t ticks) const {
  std::size_t heard = 1;
  for (RaftId id = 1; id <= peers_.size(); ++id) heard += id != self_ && peers_[id - 1].silent_ticks <= ticks ? 1 : 0;
  return heard;
}

// True: it is not reached.
bool EtcdPeers::tend(Peer& peer, MonoTime now) {
  const bool dead = (peer.state == State::opening && now - peer.since >= dial_timeout_) ||
                    (peer.state == State::open && peer.waits && now - peer.since >= kReadTimeout);
  if (dead) {
    world_->network.close(peer.connection, 0);
    peer.state = State::closed;
  }
  if (peer.state != State::closed) return false;
  peer.connection = world_->network.open(node_, peer.node, world_->current_operation(), world_->next_segment());
  peer.state = State::opening;
  peer.waits = false;
  peer.since = now;
  return true;
}

}  // namespace picklock
