// An etcd member as a process of a simulated world.
//
//   EtcdMember member;
//   member.set_up({.options = options, .members = {n1, n2, n3}});   // call it before the installation; alike on all
//   world.install(n1, member);
//
// It keeps its settings and its present process; member_process.hpp says what that consists of.
//
// From:      etcd, server/etcdserver/{server,raft,v3_server}.go, api/v3rpc/{lease,watch,interceptor}.go,
//            lease/leasehttp/http.go; raft/ for its part.
// Left out:  changes of membership, learners, authentication, alarms, quotas, progress notifications that a
//            client asks for, the back-end's batches (a restart begins at the snapshot and applies the
//            log as far as it is known to be committed), limits on requests in flight.
//            Applying takes no time, so a member has always applied what its loop knows to be committed, unless it is
//            alone: see EtcdRaftDriver::run().  A leader that is slow to apply, for which renews_after_applying was
//            made, does not occur here.
//            At boot a member syncs what stands in its log before it answers for it.  etcd does not, and need not where
//            the kernel finishes the fdatasync of a process that is killed; a kill between write and fdatasync, a
//            boot and a loss of power, one after the other, can lose there what was acknowledged, and does not here.
//            A call that its caller gives up before its deadline goes on here until then: what waits for a leader
//            may still be proposed, though the real client would have cancelled it.
#pragma once

#include <memory>
#include <utility>

#include "sim/etcd/member_process.hpp"

namespace picklock {

class EtcdMember final : public Program {
 public:
  void set_up(EtcdMemberSetup setup) { setup_ = std::move(setup); }
  void boot(World& world, NodeId node) override;
  std::uint64_t fingerprint(const World& world, NodeId node) const override;

  // Current state, for tests and judges; of a process that has died, its last state.
  const Raft& raft() const { return process_->raft(); }
  const EtcdState& state() const { return process_->applier().state(); }
  RaftIndex applied() const { return process_->applier().applied(); }
  // Its own belief; it may have been deposed without having noticed.
  bool takes_itself_for_leader() const { return process_->leader().is_self(); }
  RaftId leader() const { return process_->leader().id(); }

 private:
  EtcdMemberSetup setup_;
  EtcdMemberRun run_;
  std::unique_ptr<EtcdMemberProcess> process_;
};

}  // namespace picklock
