// Ends of leases, which the leader's lessor finds and the log brings about; and their checkpoints.
//
// The member looks every 500 ms, on a grid whose phase is drawn.
//
// From:      etcd, server/lease/lessor.go; server/etcdserver/server.go, revokeExpiredLeases.
#pragma once

#include <cstdint>
#include <deque>
#include <map>

#include "sim/etcd/lessor.hpp"
#include "sim/etcd/member_calls.hpp"
#include "sim/etcd/member_leader.hpp"
#include "sim/etcd/member_proposals.hpp"
#include "sim/etcd/member_rounds.hpp"

namespace picklock {

class EtcdLeaseEnds final : private EtcdCallOwner {
 public:
  EtcdLeaseEnds(const EtcdMemberContext& me, EtcdLessor& lessor, EtcdRaftDriver& raft, const EtcdLeaderView& leader,
                EtcdCalls& calls, EtcdProposals& proposals, EtcdRounds& rounds)
      : me_(me), lessor_(lessor), raft_(raft), leader_(leader), calls_(calls), proposals_(proposals), rounds_(rounds) {}

  // The first entry of this member's own term: from here on leases end by its clock, none of them sooner than an
  // election timeout and its whole TTL from now.
  void promote();
  void demote();
  void granted() { news_.ring(); }  // a lease that may end
  Task<void> run(Service service);  // the task that looks

 private:
  void applied(std::uint64_t id, EtcdReply&&) override { ended(id); }
  void confirmed(std::uint64_t id) override;
  void failed(std::uint64_t id, EtcdError) override { ended(id); }
  void timed_out(std::uint64_t id, MonoTime) override { ended(id); }
  void ended(std::uint64_t id);
  void look();
  void revoke_next();
  void begin(std::map<std::uint64_t, EtcdRequest>& calls, EtcdRequest request);

  const EtcdMemberContext& me_;
  EtcdLessor& lessor_;
  EtcdRaftDriver& raft_;
  const EtcdLeaderView& leader_;
  EtcdCalls& calls_;
  EtcdProposals& proposals_;
  EtcdRounds& rounds_;
  std::deque<EtcdLeaseId> to_revoke_;
  std::map<std::uint64_t, EtcdRequest> revocations_, checkpoints_;  // requests that wait for their entries
  Bell news_;
};

}  // namespace picklock
