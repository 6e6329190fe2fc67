// The connections of one etcd member to the other members.
//
// One connection to each carries what this member sends; it is opened again when it ends.  Like rafthttp's streams it
// is given up when it takes longer than a second and an election timeout to open, or when nothing has been heard from
// that member for five seconds although something was sent: a partition is noticed no sooner, and the kernel's
// back-off after a partition does not outlive that.  A message that cannot be sent is dropped.
//
// From:      etcd, server/etcdserver/api/rafthttp/{peer,stream,transport}.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/core/peer_link.hpp"
#include "sim/etcd/raft/types.hpp"

namespace picklock {

class EtcdPeers {
 public:
  EtcdPeers(const Service& service, RaftId self, const std::vector<NodeId>& members, Duration dial_timeout);

  // Sends on behalf of the running task's operation; false: there is no connection.
  template <class T>
  bool send(RaftId to, T&& message) {
    PeerLink* const link = open_link(to);
    return link != nullptr &&
           link->send(service_, Payload::of(service_.world().tasks.arena(), std::forward<T>(message)));
  }
  // News of a connection that this member opened; the member at its other end, or 0.
  RaftId changed(const Message& news);
  void heard(RaftId from) {
    peers_[from - 1].waits = false;
    peers_[from - 1].silent_ticks = 0;
  }
  // Number of other members that it has a connection to.
  std::size_t connected() const;
  // Number of members, itself included, that were heard within this many calls of tend().
  std::size_t heard_lately(std::uint32_t ticks) const;
  // Opens what is closed, gives up what is dead.  Calls `lost` with each member that cannot be reached.
  template <class F>
  void tend(MonoTime now, F lost) {
    RaftId id = 0;
    for (Peer& peer : peers_) {
      ++peer.silent_ticks;
      if (++id != self_ && !is_well(peer, now) && mend(peer, now)) lost(id);
    }
  }

 private:
  static constexpr Duration kReadTimeout = seconds(5);  // rafthttp.ConnReadTimeout
  struct Peer {
    NodeId node = 0;
    PeerLink link;
    bool waits = false;  // something was sent and nothing heard since
    std::uint32_t silent_ticks = 0;
    MonoTime since{};  // instant at which it was opened, or began to wait
  };
  static bool is_well(const Peer& peer, MonoTime now) {
    return peer.link.is_open() && !(peer.waits && now - peer.since >= kReadTimeout);
  }
  bool mend(Peer& peer, MonoTime now);
  PeerLink* open_link(RaftId to);  // something is about to be sent on it; null: there is none

  Service service_;
  RaftId self_;
  Duration dial_timeout_;
  std::vector<Peer> peers_;
};

}  // namespace picklock
