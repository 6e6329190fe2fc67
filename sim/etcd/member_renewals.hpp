// Renewals and queries of leases that one etcd member has taken and not yet answered.
//
// Only the leader's memory can answer them.  A member that takes itself for the leader answers from its own memory
// (v3_server.go, LeaseRenew); any other forwards the request to the leader, at the address where members hear each
// other (leasehttp), as often as it takes.  A member does not confirm that it still leads before it answers a forwarded
// renewal.
//
// From:      etcd, server/etcdserver/v3_server.go; server/lease/{lessor,leasehttp/http}.go.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/etcd/member_applier.hpp"
#include "sim/etcd/member_calls.hpp"
#include "sim/etcd/member_leader.hpp"
#include "sim/etcd/member_proposals.hpp"
#include "sim/etcd/member_replies.hpp"
#include "sim/etcd/member_rounds.hpp"

namespace picklock {

class EtcdRenewalStreams;

class EtcdRenewals final : private EtcdCallOwner {
 public:
  struct Parts {  // parts of the same member
    EtcdRaftDriver& raft;
    EtcdApplier& applier;
    const EtcdLeaderView& leader;
    const EtcdReplies& replies;
    EtcdCalls& calls;
    EtcdProposals& proposals;
    EtcdRounds& rounds;
    EtcdRenewalStreams& streams;
  };
  EtcdRenewals(const EtcdMemberContext& me, const Parts& parts) : me_(me), parts_(parts) {}

  // A client's; `stream`: its number, if it came on a stream of renewals, else 0.
  void begin(Message message, EtcdRequest request, Duration left, std::uint64_t stream);
  // Another member's: a request that it forwards on behalf of an operation, or the reply to one.
  void hear_forwarded(EtcdForwarded&& forwarded, const Operation& operation);
  void hear_forwarded(EtcdForwardedReply&& answer);
  // The connection has ended, and with it every request on it.
  void drop(ConnectionId connection);
  // The stream has ended: its requests get this reply.
  void end_stream(std::uint64_t number, const EtcdReply& last);

  // --- what may let a request go on
  void deposed();                     // this member leads no longer
  void caught_up();                   // all committed entries are applied
  void revoked(EtcdLeaseId lease);    // the lease has ended
  void link_lost(RaftId member);      // the connection to it
  Task<void> retry(Service service);  // the task that tries again what is due

 private:
  struct Call {
    EtcdRequest request;
    Message asker;            // the request without its body
    RaftId origin = 0;        // the member that has forwarded it; 0: a client asks
    std::uint64_t there = 0;  // its number at that member
    std::uint64_t stream = 0;
    RaftId asked_of = 0;                 // the member that it was forwarded to and that has not replied; 0: none
    std::optional<MonoTime> next_try;    // none: it waits for something else
    std::optional<MonoTime> applied_by;  // it waits for what is committed to be applied, no longer than that
    bool forwards = false;               // this member was not the leader: it looks for the leader
    bool parked = false;                 // it waits for a revocation
    bool confirmed = false;              // a quorum has confirmed that this member leads
  };
  // A renewal that waits until the log has taken a checkpoint of 0.
  struct Clearing {
    Call call;
    EtcdLeaseId lease = 0;
    std::int64_t ttl_s = 0;  // time to live that the renewal found
  };

  void applied(std::uint64_t id, EtcdReply&&) override;
  void confirmed(std::uint64_t id) override;
  void failed(std::uint64_t id, EtcdError why) override;
  void timed_out(std::uint64_t id, MonoTime asked) override;

  std::uint64_t add(Call call, Duration left = kForever);
  Call take(std::uint64_t id);
  Clearing take_clearing(std::uint64_t id);
  void attempt(std::uint64_t id);
  void answer(std::uint64_t id, Call& call);
  void renew(std::uint64_t id, Call& call);
  void clear_checkpoint(Call call, EtcdLeaseId lease, std::int64_t ttl_s);
  void finish_clearing(const Clearing& clearing);
  void not_primary(std::uint64_t id, Call& call);
  bool waits_for_applying(std::uint64_t id, Call& call);
  void forward(std::uint64_t id, Call& call);
  void reply(const Call& call, EtcdReply reply);
  void reply_to_member(const Call& call, std::optional<EtcdReply> reply);  // nothing: this member has no answer
  void record_renewed(const Call& call, EtcdLeaseId lease, std::int64_t ttl_s) const;
  void try_again(Call& call, Duration wait);
  Duration forward_pause(const Call& call) const;
  EtcdLessor& lessor() const { return parts_.applier.state().lessor(); }

  const EtcdMemberContext& me_;
  Parts parts_;
  std::map<std::uint64_t, Call> calls_;
  std::map<std::uint64_t, Clearing> clearings_;
  Bell due_;
};

}  // namespace picklock
