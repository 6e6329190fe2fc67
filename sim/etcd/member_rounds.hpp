// Rounds of confirmation: calls of one etcd member that wait until a quorum has confirmed the leader.
//
// One round at a time, for all calls that came before it began.  A call is confirmed once this member has applied the
// index that the leader named: so a linearizable read sees what was committed before it was asked.
//
// From:      etcd, server/etcdserver/v3_server.go, linearizableReadLoop, requestCurrentIndex.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/etcd/member_calls.hpp"
#include "sim/etcd/member_raft.hpp"

namespace picklock {

class EtcdRounds {
 public:
  EtcdRounds(const EtcdMemberContext& me, EtcdRaftDriver& raft, EtcdCalls& calls)
      : me_(me), raft_(raft), calls_(calls) {}

  void join(std::uint64_t id);
  // The leader's answer.
  void answered(const RaftRead& read);
  // So far the log is applied.
  void applied(RaftIndex index);
  // There is another leader: calls that wait for the former one's answer fail.
  void leader_changed();
  // Asks again after 500 ms, whatever has become of the request.
  void ticked(MonoTime now);

 private:
  void begin();

  const EtcdMemberContext& me_;
  EtcdRaftDriver& raft_;
  EtcdCalls& calls_;
  std::vector<std::uint64_t> next_, current_, confirmed_;  // calls
  std::uint64_t number_ = 0;
  std::optional<RaftIndex> index_;  // answered: the round waits until that is applied
  MonoTime sent_{};
};

}  // namespace picklock
