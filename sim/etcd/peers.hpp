// A member's connections to the other members.
//
// One connection to each, for what this member sends; it is opened again when it ends.  As rafthttp's streams
// do, it is given up when it takes longer than a second and an election timeout to open, or when nothing has
// been heard from that member for five seconds although something was sent: a partition is noticed no sooner,
// and the kernel's back-off after a partition does not outlive that.  What cannot be sent is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/world.hpp"
#include "sim/etcd/raft/types.hpp"

namespace picklock {

class EtcdPeers {
 public:
  void reset(World& world, NodeId node, RaftId self, const std::vector<NodeId>& members, Duration dial_timeout);

  // On behalf of the running task's operation; false: there is no connection.
  bool send(RaftId to, std::string_view bytes);
  // News of a connection that this member opened; whose it is, or 0.
  RaftId changed(const Message& news);
  void heard(RaftId from) {
    peers_[from - 1].waits = false;
    peers_[from - 1].silent_ticks = 0;
  }
  // How many others it has a connection to.
  std::size_t connected() const;
  // How many members, itself among them, were heard within so many calls of tend().
  std::size_t heard_lately(std::uint32_t ticks) const;
  // Opens what is closed, gives up what is dead.  Calls `lost` with each member that cannot be reached.
  template <class F>
  void tend(MonoTime now, F lost) {
    for (RaftId id = 1; id <= peers_.size(); ++id) {
      ++peers_[id - 1].silent_ticks;
      if (id != self_ && tend(peers_[id - 1], now)) lost(id);
    }
  }

 private:
  static constexpr Duration kReadTimeout = seconds(5);  // rafthttp.ConnReadTimeout
  enum class State : std::uint8_t { closed, opening, open };
  struct Peer {
    NodeId node = 0;
    ConnectionId connection = kNoConnection;
    State state = State::closed;
    bool waits = false;  // something was sent and nothing heard since
    std::uint32_t silent_ticks = 0;
    MonoTime since{};  // of opening; of waiting
  };
  bool tend(Peer& peer, MonoTime now);

  World* world_ = nullptr;
  NodeId node_ = 0;
  RaftId self_ = 0;
  Duration dial_timeout_{};
  std::vector<Peer> peers_;
};

}  // namespace picklock
