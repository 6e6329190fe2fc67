#include "sim/etcd/peers.hpp"

namespace picklock {

EtcdPeers::EtcdPeers(const Service& service, RaftId self, const std::vector<NodeId>& members, Duration dial_timeout)
    : service_(service), self_(self), dial_timeout_(dial_timeout), peers_(members.size()) {
  for (std::size_t i = 0; i < members.size(); ++i) peers_[i].node = members[i];
}

PeerLink* EtcdPeers::open_link(RaftId to) {
  Peer& peer = peers_[to - 1];
  if (!peer.link.is_open()) return nullptr;
  if (!peer.waits) {
    peer.waits = true;
    peer.since = service_.world().tasks.monotonic_now(service_.node());
  }
  return &peer.link;
}

RaftId EtcdPeers::changed(const Message& news) {
  const auto peer = link_of(peers_, news);
  if (peer == peers_.end()) return 0;
  peer->link.hear(news);
  if (peer->link.is_open()) peer->waits = false;
  return static_cast<RaftId>(peer - peers_.begin()) + 1;
}

std::size_t EtcdPeers::connected() const {
  std::size_t open = 0;
  for (const Peer& peer : peers_) open += peer.link.is_open() ? 1 : 0;
  return open;
}

std::size_t EtcdPeers::heard_lately(std::uint32_t ticks) const {
  std::size_t heard = 1;
  for (RaftId id = 1; id <= peers_.size(); ++id) heard += id != self_ && peers_[id - 1].silent_ticks <= ticks ? 1 : 0;
  return heard;
}

// Returns true if the peer is not reached.
bool EtcdPeers::mend(Peer& peer, MonoTime now) {
  const bool opening = peer.link.state() == PeerLink::State::opening;
  if (!opening || now - peer.since >= dial_timeout_) peer.link.close(service_);
  if (!peer.link.is_closed()) return false;
  peer.link.open(service_, peer.node);
  peer.waits = false;
  peer.since = now;
  return true;
}

}  // namespace picklock
