// The Raft loop of an etcd member: its Raft, the log on its disk, its connections to the others, its ticks.
//
//   EtcdRaftDriver driver(me, user, ticks);     // `user`: the rest of the member
//   world.tasks.start(node, "raft", driver.run(service));
//   driver.propose(entry);                      // see also hear(message), read(context), …
//   driver.pump();                              // call it after each input: does all that Raft wants without the disk
//
// While the loop waits for its disk, nothing is sent, nothing is applied, and no change of leader is noticed.
//
// From:      etcd, server/etcdserver/raft.go; server/etcdserver/api/rafthttp.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/etcd/member_context.hpp"
#include "sim/etcd/member_leader.hpp"
#include "sim/etcd/peers.hpp"
#include "sim/etcd/raft/raft.hpp"
#include "sim/quorum/journal.hpp"

namespace picklock {

// The rest of a member, as its Raft loop sees it.
class EtcdRaftUser {
 public:
  virtual void load(const RaftSnapshot& snapshot) = 0;  // snapshot from the disk, or from the leader
  virtual RaftSnapshot snapshot() const = 0;            // snapshot of all that is applied
  virtual RaftIndex applied() const = 0;
  virtual void notice_leader() = 0;  // there is another leader, or none: before all else that a pump does
  virtual void apply(const RaftEntry& entry) = 0;
  virtual void caught_up() = 0;  // all committed entries are applied
  virtual void confirmed(const RaftRead& read) = 0;
  // Called after entries were applied or confirmed, for another leader, and when it was asked for.
  virtual void before_sending() = 0;
  virtual void ticked(std::uint32_t n, MonoTime now) = 0;

 protected:
  ~EtcdRaftUser() = default;
};

class EtcdRaftDriver final : private RaftDice {
 public:
  // `ticks`: counted over all processes of a run, for it names draws.
  EtcdRaftDriver(const EtcdMemberContext& me, EtcdRaftUser& user, const EtcdLeaderView& leader, std::uint32_t& ticks);

  // --- tasks
  Task<void> run(Service service);
  Task<void> advance_ticks(Service service);  // hurries the first election

  // --- inputs
  bool propose(RaftData entry) { return raft_.propose(std::move(entry)); }
  void read(std::uint64_t context) { raft_.read(context); }
  void hear(RaftMessage&& message);  // another member has sent it
  void ask_before_sending() { news_ = true; }
  [[gnu::always_inline]] void pump() {
    if (!saving_ && (news_ || raft_.anything_to_do() || !leader_.is_still(raft_))) work_off();
  }

  // --- connections to other members, which others may use
  template <class T>
  bool send(RaftId to, T&& message) {
    return peers_.send(to, std::forward<T>(message));
  }
  void heard(RaftId from) { peers_.heard(from); }
  RaftId link_changed(const Message& news) { return peers_.changed(news); }

  const Raft& raft() const { return raft_; }
  RaftIndex known_committed() const { return known_committed_; }
  // True if the loop stood still, so that a quorum must be asked first (server.go, ensureLeadership).
  bool must_confirm_leadership() const;

 private:
  void load(World& world, NodeId node);
  void work_off();
  void tick(MonoTime now);
  void judge_quorum() {
    if (raft_.leads() || quorumless_ticks_ != 0) judge_leading();
  }
  void judge_leading();
  void check_contradiction() {
    if (!raft_.contradiction().empty()) [[unlikely]]
      report_contradiction();
  }
  void report_contradiction();
  void hear_candidate(RaftMessage&& message);
  template <class Part>
  void add_record(const Part& part);
  void write(const RaftHardState& hard);
  void write(const RaftSnapshot& snapshot);
  void write(const RaftEntry& e);
  void compact();
  std::uint32_t below(std::uint32_t n) override;

  const EtcdMemberContext& me_;
  EtcdRaftUser& user_;
  const EtcdLeaderView& leader_;  // leader that the member has noticed
  Raft raft_;
  EtcdPeers peers_;
  Journal journal_;
  Bell work_;            // something is to be written
  bool saving_ = false;  // the loop waits for the disk
  bool news_ = false;    // the user is to be asked before anything is sent
  RaftIndex known_committed_ = 0, snapshot_index_ = 0;
  struct {
    MonoTime next{}, last{};
  } tick_;
  std::uint32_t& ticks_;
  std::uint32_t quorumless_ticks_ = 0;
};

}  // namespace picklock
