// Proposals of one etcd member that wait for a leader: without one, none is taken.
//
// From:      etcd-io/raft, node.go, stepWithWaitOption.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "sim/etcd/member_calls.hpp"
#include "sim/etcd/member_leader.hpp"
#include "sim/etcd/member_raft.hpp"

namespace picklock {

class EtcdProposals {
 public:
  EtcdProposals(const EtcdMemberContext& me, EtcdRaftDriver& raft, const EtcdLeaderView& leader, const EtcdCalls& calls)
      : me_(me), raft_(raft), leader_(leader), calls_(calls) {}

  // Proposes for the call `id`, which waits for the entry to be applied.
  void propose(std::uint64_t id, std::uint32_t hold, EtcdRequest&& request);
  // Proposes what has waited, but for calls that have ended.
  void retry() {
    if (!waiting_.empty()) retry_all();
  }

 private:
  void retry_all();

  const EtcdMemberContext& me_;
  EtcdRaftDriver& raft_;
  const EtcdLeaderView& leader_;
  const EtcdCalls& calls_;
  std::deque<std::pair<std::uint64_t, RaftData>> waiting_;  // calls and entries
};

}  // namespace picklock
