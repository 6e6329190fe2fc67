// One process of an etcd member, from its boot to its end: its parts, and what passes between them.
//
// As in etcdserver, several tasks run beside each other.  `main` takes what arrives: it hands Raft the messages of
// other members, and answers clients from memory.  `raft` is the loop that ticks, and that stands still while it waits
// for the disk; meanwhile requests go on being answered from what the member last knew.  `lessor` ends leases,
// `requests` ends calls that are past their deadline, `leases` tries renewals again, `watches` gives watchers what they
// have missed, `streams` ends those that require a leader when there was none for three election timeouts; `ticks` is
// gone soon after the boot.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/etcd/lock_service.hpp"
#include "sim/etcd/member_applier.hpp"
#include "sim/etcd/member_calls.hpp"
#include "sim/etcd/member_leader.hpp"
#include "sim/etcd/member_lease_ends.hpp"
#include "sim/etcd/member_proposals.hpp"
#include "sim/etcd/member_raft.hpp"
#include "sim/etcd/member_renewal_streams.hpp"
#include "sim/etcd/member_renewals.hpp"
#include "sim/etcd/member_replies.hpp"
#include "sim/etcd/member_requests.hpp"
#include "sim/etcd/member_rounds.hpp"
#include "sim/etcd/member_watches.hpp"

namespace picklock {

// State that outlives a process of a member within a run.
struct EtcdMemberRun {
  std::uint32_t ticks = 0;      // counted on, for they name draws
  Channel* loopback = nullptr;  // the member's way to itself, once its lock service was asked for something
};

class EtcdMemberProcess final : private EtcdRaftUser {
 public:
  EtcdMemberProcess(const EtcdMemberContext& me, EtcdMemberRun& run);
  void start();

  const Raft& raft() const { return raft_.raft(); }
  const EtcdApplier& applier() const { return applier_; }
  const EtcdLeaderView& leader() const { return leader_; }

 private:
  Task<void> serve(Service service);
  Task<void> monitor_leader(Service service);
  void hear_peer(Message& message);
  void hear_client(Message& message);
  void drop(ConnectionId connection);
  EtcdLockService& lock_service();

  // EtcdRaftUser
  void load(const RaftSnapshot& snapshot) override;
  RaftSnapshot snapshot() const override { return applier_.snapshot(); }
  RaftIndex applied() const override { return applier_.applied(); }
  void notice_leader() override;
  void apply(const RaftEntry& entry) override;
  void caught_up() override { renewals_.caught_up(); }
  void confirmed(const RaftRead& read) override { rounds_.answered(read); }
  void before_sending() override;
  void ticked(std::uint32_t n, MonoTime now) override;

  const EtcdMemberContext me_;
  EtcdMemberRun& run_;
  EtcdLeaderView leader_;
  EtcdCalls calls_;
  EtcdRaftDriver raft_;
  EtcdApplier applier_;
  EtcdReplies replies_;
  EtcdProposals proposals_;
  EtcdRounds rounds_;
  EtcdRequests requests_;
  EtcdRenewals renewals_;
  EtcdRenewalStreams streams_;
  EtcdLeaseEnds lease_ends_;
  EtcdMemberWatches watches_;
  std::optional<EtcdLockService> locks_;  // made when it is first asked for something
};

}  // namespace picklock
