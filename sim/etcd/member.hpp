// An etcd member as a process of a simulated world.
//
//   EtcdMember member;
//   member.set_up({.options = options, .members = {n1, n2, n3}});   // before it is installed; the same everywhere
//   world.install(n1, member);
//
// As in etcdserver, several things go on beside each other.  `main` takes what arrives: it hands Raft the messages
// of other members, and answers clients from memory.  `raft` is the loop that ticks, and that stands still
// while it waits for the disk: then nothing is sent, nothing applied and no change of leader noticed, while
// requests go on being answered from what the member last knew.  `lessor` looks every 500 ms, on a grid whose phase
// is drawn, for leases that have ended.  `requests` ends those that are past their deadline, `leases` tries renewals
// again, `watches` gives watchers every 100 ms what they have missed, `streams` looks every election timeout whether
// there is a leader, and ends what requires one when there was none three times; `ticks` is gone soon after
// the boot.
//
// From:      etcd, server/etcdserver/{server,raft,v3_server}.go, api/v3rpc/{lease,watch,interceptor}.go,
//            lease/leasehttp/http.go; raft/ for its part.
// Left out:  changes of membership, learners, authentication, alarms, quotas, progress notifications that a
//            client asks for, the back-end's batches (a restart begins at the snapshot and applies the
//            log as far as it is known to be committed), limits on requests in flight.
//            Applying takes no time, so a member has always applied what its loop knows to be committed; only one
//            that is alone has not, see run_raft().  What renews_after_applying was made for, a leader that is slow
//            to apply, does not occur here.
//            At boot a member syncs what stands in its log before it answers for it.  etcd does not, and need not where
//            the kernel finishes the fdatasync of a process that is killed; a kill between write and fdatasync, a
//            boot and a loss of power, one after the other, can lose there what was acknowledged, and does not here.
//            A call that its caller gives up before its deadline goes on here until then: what waits for a leader
//            may still be proposed, though the real client would have cancelled it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/service.hpp"
#include "sim/etcd/invariants.hpp"
#include "sim/etcd/lock_service.hpp"
#include "sim/etcd/options.hpp"
#include "sim/etcd/peers.hpp"
#include "sim/etcd/raft/raft.hpp"
#include "sim/etcd/state.hpp"
#include "sim/etcd/watches.hpp"
#include "sim/quorum/journal.hpp"
#include "sim/task/combinators.hpp"

namespace picklock {

struct EtcdMemberSetup {
  EtcdOptions options;
  std::vector<NodeId> members;  // in the order of their numbers, from 1 on
  RaftFlaw flaw = RaftFlaw::none;
  EtcdInvariants* invariants = nullptr;  // outlives the run
};

class EtcdMember final : public Program, private RaftDice {
 public:
  void set_up(EtcdMemberSetup setup) { setup_ = std::move(setup); }
  void boot(World& world, NodeId node) override;
  std::uint64_t fingerprint(const World& world, NodeId node) const override;

  // As it stands, for tests and judges; of a process that has died, as it stood.
  const Raft& raft() const { return *raft_; }
  const EtcdState& state() const { return *state_; }
  RaftIndex applied() const { return applied_; }
  // What it says of itself; it may have been deposed without having noticed.
  bool takes_itself_for_leader() const { return leads_; }
  RaftId leader() const { return lead_; }  // likewise

 private:
  class LoopWait;
  // Why somebody waits for an answer, or what a member itself has begun.
  enum class Errand : std::uint8_t {
    write,       // through the log
    read,        // until a quorum has confirmed the leader
    lease,       // a renewal or a query, wherever the leader is
    revocation,  // of an ended lease, by the lessor
    checkpoint,  // likewise
    clearing     // of a checkpoint, before a renewal
  };
  // A LeaseKeepAlive stream of one connection: one message at a time (v3rpc/lease.go, leaseKeepAlive).
  struct RenewalStream {
    std::uint64_t number = 0;
    Message opened;  // answered when the stream ends; its body is not kept
    bool requires_leader = true, busy = false;
    std::deque<std::pair<Message, EtcdLeaseId>> waiting;  // their bodies are not kept either
  };
  struct Pending {
    Errand errand = Errand::write;
    EtcdRequest request;
    Message asker;            // its body is not kept
    RaftId origin = 0;        // not a client's, but of another member, …
    std::uint64_t there = 0;  // … where it has this number
    RaftId asked_of = 0;      // lease: the member that has it now, and alone can say; 0: none
    MonoTime asked{};
    std::optional<MonoTime> next_try;    // lease: when it is tried again; nothing: waits for something else
    std::optional<MonoTime> applied_by;  // lease: waits for what is committed to be applied, no longer than that
    std::uint64_t stream = 0;            // lease: a message of this one of its connection's streams; 0: of none
    bool forwards = false;               // lease: looks for the leader by leasehttp, since this member was not it
    bool parked = false;                 // lease: waits for a revocation
    bool confirmed = false;              // a quorum has confirmed that this member leads
    std::int64_t ttl_s = 0;              // clearing: of the lease, as the renewal found it
  };

  // member.cpp: the process, Raft's loop, the disk
  Task<void> serve(Service service);
  Task<void> run_raft(Service service);
  void load(World& world, NodeId node);
  void pump();
  void notice_leader();
  void tick();
  void judge_quorum();
  Task<void> advance_ticks(Service service);
  void send(std::vector<RaftMessage> messages);
  void record_unsaved(const RaftUnsaved& unsaved);
  void compact();
  void hear_peer(const Message& message);
  std::uint32_t below(std::uint32_t n) override;

  // member_log.cpp: what goes through the log
  std::uint64_t await_answer(Pending pending, Duration left = kForever);
  void propose(std::uint64_t id, std::uint32_t hold);
  void propose_waiting();
  void apply(const RaftEntry& entry);
  void record_applied(const EtcdRequest& request, std::uint32_t hold, const EtcdApplied& done);
  void promote(RaftTerm term);
  void applied_own(std::uint64_t id, EtcdReply reply);
  bool ends_own_errand(const Pending& pending);
  void finish_clearing(Pending pending);
  void deliver_events();
  void load_state(std::string_view snapshot);

  // member_requests.cpp: what clients ask
  void hear_client(Message& message);
  EtcdLockService& lock_service();
  void answer(Pending& pending, EtcdReply reply);
  void fail(std::uint64_t id, EtcdError error);
  void drop_calls(ConnectionId connection);
  void join_round(std::uint64_t id);
  void begin_round();
  void confirmed(const RaftRead& read);
  void finish_round();
  Task<void> expire_requests(Service service);
  EtcdError why_timed_out(const Pending& pending) const;
  EtcdReply with_header(EtcdReply reply) const;

  // member_streams.cpp: what clients hear of without asking, and streams of renewals
  void create_watch(const Message& message, const EtcdWatchCreate& what);
  Task<void> catch_up_watches(Service service);
  Task<void> monitor_leader(Service service);
  void open_renewals(Message& message, bool require_leader);
  void hear_renewal(Message& message, EtcdLeaseId lease);
  void renewal_served(const Pending& pending, bool failed);
  void serve_renewals(ConnectionId connection);
  void end_renewals(ConnectionId connection, EtcdError error);

  // member_renewals.cpp
  void begin_lease(Message message, EtcdRequest request, Duration left, std::uint64_t stream);
  void try_lease(std::uint64_t id);
  void answer_lease(std::uint64_t id, Pending& pending);
  void renew_lease(std::uint64_t id, Pending& pending);
  void not_primary(std::uint64_t id, Pending& pending);
  bool waits_for_applying(std::uint64_t id, Pending& pending);
  void forward_lease(std::uint64_t id, Pending& pending);
  void send_forward_reply(const Pending& pending, const EtcdReply* reply);
  void hear_forwarded(const Message& message);
  void try_again(Pending& pending, Duration wait);
  Duration forward_pause(const Pending& pending) const;
  Task<void> retry_leases(Service service);
  void retry_leases_of(RaftId member);
  void retry_applied();
  void release_parked(EtcdLeaseId lease);

  // member_leases.cpp: their ends
  Task<void> run_lessor(Service service);
  void look_for_ends();
  void revoke_next();
  bool loop_is_alive() const;
  bool must_confirm(const Pending& pending) const;

  EtcdMemberSetup setup_;
  World* world_ = nullptr;
  NodeId node_ = 0;
  std::optional<Service> service_;
  RaftId self_ = 0;

  std::optional<Raft> raft_;
  std::optional<EtcdState> state_;
  EtcdWatchHub watches_;
  EtcdPeers peers_;
  Journal journal_;

  MonoTime next_tick_{}, last_tick_{};
  std::uint32_t ticks_ = 0;
  std::uint32_t quorumless_ticks_ = 0;
  bool saving_ = false;  // Raft's loop waits for the disk
  WaitId loop_ = 0;      // where it waits otherwise
  std::string scratch_;

  RaftId lead_ = 0;
  bool leads_ = false;
  RaftTerm led_term_ = 0;
  MonoTime leader_since_{};
  RaftIndex applied_ = 0, snapshot_index_ = 0;
  RaftIndex noticed_ = 0;  // as far as Raft's loop knows the log to be committed
  RaftTerm applied_term_ = 0;

  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, Pending> pending_;
  std::set<std::pair<MonoTime, std::uint64_t>> deadlines_;
  std::deque<std::pair<std::uint64_t, std::string>> unproposed_;  // until there is a leader, or nobody waits any more
  std::map<ConnectionId, RenewalStream> renewal_streams_;
  std::deque<ConnectionId> freed_streams_;         // that may go on with their next message
  std::vector<std::uint64_t> next_round_, round_;  // reads that wait for one, and those of the current
  std::uint64_t round_id_ = 0;
  std::optional<RaftIndex> round_index_;  // confirmed: they wait until that is applied
  MonoTime round_sent_{};
  std::deque<EtcdLeaseId> to_revoke_;
  std::size_t revoking_ = 0;

  std::optional<Event> something_pending_, leases_to_watch_, leases_to_try_, watchers_behind_, leader_lost_;

  Channel* loopback_ = nullptr;  // of the lock service, which is made when somebody first asks for it
  std::optional<EtcdLockService> locks_;
};

}  // namespace picklock
