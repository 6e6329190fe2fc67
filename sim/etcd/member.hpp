// An etcd member as a process of a simulated world.
//
//   EtcdMember member;
//   member.set_up({.options = options, .members = {n1, n2, n3}});   // before it is installed; the same everywhere
//   world.install(n1, member);
//
// As in etcdserver, three things go on beside each other.  `main` takes what arrives: it hands Raft the messages
// of other members, and answers clients from memory.  `raft` is the loop that ticks, and that stands still
// while it waits for the disk: then nothing is sent, nothing applied and no change of leader noticed, while
// requests go on being answered from what the member last knew.  `lessor` looks every 500 ms, on a grid whose phase
// is drawn, for leases that have ended.  Timeouts of requests are the task `requests`.
//
// From:      etcd, server/etcdserver/{server,raft,v3_server}.go, api/v3rpc/{lease,watch,interceptor}.go,
//            lease/leasehttp/http.go; raft/ for its part.
// Left out:  changes of membership, learners, authentication, alarms, quotas, progress notifications that a
//            client asks for, the back-end's batches (a restart begins at the snapshot and applies the
//            log as far as it is known to be committed), limits on requests in flight.  A client's own
//            deadline: what waits here for a leader does so until this member's timeout, two election timeouts
//            longer than a client's usual five seconds.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
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
    write,        // through the log
    read,         // until a quorum has confirmed the leader
    lease,        // a renewal or a query, wherever the leader is
    revocation,   // of an ended lease, by the lessor
    checkpoint,   // likewise
    clearing      // of a checkpoint, before a renewal
  };
  struct Pending {
    Errand errand = Errand::write;
    EtcdRequest request;
    Message asker;           // its body is not kept
    RaftId origin = 0;       // not a client's, but of another member, …
    std::uint64_t there = 0;  // … where it has this number
    RaftId asked_of = 0;     // lease: the member that has it now, and alone can say; 0: none
    MonoTime asked{};
    MonoTime next_try{};     // lease: not before that
    bool parked = false;     // lease: waits for a revocation
    bool confirmed = false;  // a quorum has confirmed that this member leads
  };

  // member.cpp: the process, Raft's loop, the disk
  Task<void> serve(Service service);
  Task<void> run_raft(Service service);
  void load(World& world, NodeId node);
  void pump();
  void notice_leader();
  void tick();
  void judge_quorum();
  void send(std::vector<RaftMessage> messages);
  void record_unsaved(const RaftUnsaved& unsaved);
  void compact();
  void hear_peer(const Message& message);
  std::uint32_t below(std::uint32_t n) override;

  // member_log.cpp: what goes through the log
  std::uint64_t await_answer(Pending pending);
  void propose(std::uint64_t id, std::uint32_t hold);
  void propose_waiting();
  void apply(const RaftEntry& entry);
  void record_applied(const EtcdRequest& request, std::uint32_t hold, const EtcdApplied& done);
  void promote(RaftTerm term);
  void applied_own(std::uint64_t id, EtcdReply reply);
  bool ends_own_errand(const Pending& pending);
  void deliver_events();
  void load_state(std::string_view snapshot);

  // member_requests.cpp: what clients ask
  void hear_client(Message& message);
  EtcdLockService& lock_service();
  void create_watch(const Message& message, const EtcdWatchCreate& what);
  void answer(Pending& pending, EtcdReply reply);
  void fail(std::uint64_t id, EtcdError error);
  void begin_round();
  void confirmed(const RaftRead& read);
  void finish_round();
  Task<void> expire_requests(Service service);
  EtcdError why_timed_out(const Pending& pending) const;
  EtcdReply with_header(EtcdReply reply) const;

  // member_leases.cpp
  void try_lease(std::uint64_t id);
  std::optional<EtcdReply> lease_from_memory(std::uint64_t id, Pending& pending);
  void forward_lease(std::uint64_t id, Pending& pending);
  void send_forward_reply(const Pending& pending, const EtcdReply* reply);
  void hear_forwarded(const Message& message);
  void retry_leases();
  void retry_leases_of(RaftId member);
  void release_parked(EtcdLeaseId lease);
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
  std::uint32_t leaderless_ticks_ = 0, quorumless_ticks_ = 0;
  bool saving_ = false;  // Raft's loop waits for the disk
  WaitId loop_ = 0;      // where it waits otherwise
  std::string scratch_;

  RaftId lead_ = 0;
  bool leads_ = false;
  RaftTerm led_term_ = 0;
  MonoTime leader_since_{};
  RaftIndex applied_ = 0, snapshot_index_ = 0;
  RaftTerm applied_term_ = 0;

  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, Pending> pending_;
  std::deque<std::pair<MonoTime, std::uint64_t>> deadlines_;
  std::deque<std::pair<std::uint64_t, std::string>> unproposed_;  // until there is a leader, or nobody waits any more
  std::vector<std::uint64_t> next_round_, round_;  // reads that wait for one, and those of the current
  std::uint64_t round_id_ = 0;
  std::optional<RaftIndex> round_index_;  // confirmed: they wait until that is applied
  MonoTime round_sent_{};
  std::deque<EtcdLeaseId> to_revoke_;
  std::size_t revoking_ = 0;

  std::optional<Event> something_pending_, leases_to_watch_;

  Channel* loopback_ = nullptr;  // of the lock service, which is made when somebody first asks for it
  std::optional<EtcdLockService> locks_;
};

}  // namespace picklock
