// One member's Raft, as etcd runs it: a pure state machine.
//
//   inputs   tick(), step(message), propose(data), read(context), persisted(position), compact(…)
//   outputs  take_unsaved()    what to write, in order; then persisted(its position)
//            take_messages()   what to send now; a message that promises something waits for the disk
//            take_committed()  what to apply, each index once and in order
//            take_reads()      reads that may be answered once `index` is applied
//
// After etcd's raft library (etcd-io/raft), and through it Ongaro's thesis: pre-vote (§ 9.6), check-quorum and
// the leader's lease (§ 6.2 there, § 4.2.3 on disruptive servers), reads confirmed by a round of heartbeats
// (§ 6.4), the writes to the leader's disk in parallel with the followers' (§ 10.2.1), rejections that skip
// whole terms.  Messages of a leader leave at once; those of others wait until all that came before is on
// the disk, as in etcdserver's raft loop.
//
// Left out: changes of membership, learners, transfer of leadership, reads on the lease alone (etcd does
// not use them), limits on the size of what is not committed.  So nothing that goes wrong in a
// reconfiguration shows here.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "sim/etcd/raft/log.hpp"
#include "sim/etcd/raft/options.hpp"
#include "sim/etcd/raft/progress.hpp"
#include "sim/quorum/majority.hpp"
#include "sim/quorum/outbox.hpp"

namespace picklock {

class RaftDice {
 public:
  virtual std::uint32_t below(std::uint32_t n) = 0;

 protected:
  ~RaftDice() = default;
};

class Raft {
 public:
  Raft(const RaftOptions& options, RaftDice& dice, RaftFlaw flaw = RaftFlaw::none);
  void boot(RaftStored stored);  // call it once, before anything else; nothing stored: a first boot

  // --- inputs
  void tick();
  void campaign();  // acts as if the election timeout had passed
  void step(RaftMessage&& message) {
    PICKLOCK_CHECK(message.to == id() && message.from - 1 < options_.members);
    handle(message);
    hear_itself();
  }
  bool propose(RaftData data);       // false: dropped, since no leader is known
  bool read(std::uint64_t context);  // false: dropped, too; its answer may also be lost
  void persisted(std::uint64_t position);
  void unreachable(RaftId follower);  // something sent to it was lost
  // Report every snapshot, or the follower is sent nothing more in this term.
  void snapshot_sent(RaftId follower, bool arrived);
  void compact(RaftSnapshot snapshot, RaftIndex keep_from) { log_.compact(std::move(snapshot), keep_from); }

  // --- outputs
  [[gnu::always_inline]] bool anything_unsaved() const { return disk_.touched && differs_from_disk(); }
  RaftUnsaved take_unsaved();
  template <class F>
  RaftBatch hand_out_unsaved(F write) {  // the same, part by part; `write` changes nothing here
    const RaftHardState now = hard_state();
    RaftBatch batch;
    if (log_.unsaved_from <= log_.last_index()) batch.last = log_.last_index();
    batch.must_sync =
        now.term != disk_.saved.term || now.vote != disk_.saved.vote || disk_.unsaved_snapshot || batch.last != 0;
    if (now != disk_.saved) write(now);
    if (disk_.unsaved_snapshot) write(*disk_.unsaved_snapshot);
    for (RaftIndex i = log_.unsaved_from; i <= batch.last; ++i) write(log_.at(i));
    note_taken(now, batch);
    return batch;
  }
  const std::vector<RaftMessage>& messages() const { return outbox_.ready(); }
  std::vector<RaftMessage> take_messages() { return std::exchange(outbox_.ready(), {}); }
  template <class F>
  void hand_out_messages(F send) {  // the same; `send` takes what it wants of each, and gives this Raft nothing to send
    for (RaftMessage& m : outbox_.ready()) send(m);
    outbox_.ready().clear();
  }
  RaftIndex to_apply() const { return flawed(RaftFlaw::applies_uncommitted) ? log_.last_index() : log_.committed; }
  // False while a received snapshot has not been taken: later entries are applied upon it.
  bool anything_committed() const { return !disk_.unsaved_snapshot && log_.handed_out < to_apply(); }
  std::vector<RaftEntry> take_committed();
  // The same, entry by entry as they are in the log: up to the last index that is committed now.
  template <class F>
  void hand_out_committed(F apply) {
    const RaftIndex upto = to_apply();
    while (log_.handed_out < upto) {
      const RaftEntry entry = log_.at(++log_.handed_out);
      apply(entry);
    }
  }
  bool anything_read() const { return !reads_.ready.empty(); }
  std::vector<RaftRead> take_reads() { return std::exchange(reads_.ready, {}); }
  [[gnu::always_inline]] bool anything_ready() const {
    return !outbox_.ready().empty() || anything_committed() || anything_read();
  }
  [[gnu::always_inline]] bool anything_to_do() const { return anything_ready() || anything_unsaved(); }

  // --- as it stands
  RaftId id() const { return options_.id; }
  RaftRole role() const { return role_; }
  bool leads() const { return role_ == RaftRole::leader; }
  RaftId leader() const { return leader_; }
  RaftTerm term() const { return term_; }
  RaftId vote() const { return vote_; }
  RaftIndex committed() const { return log_.committed; }
  RaftHardState hard_state() const {  // state to be written next
    return {flawed(RaftFlaw::forgets_term) ? 0 : term_, flawed(RaftFlaw::forgets_vote) ? 0 : vote_, log_.committed};
  }
  const RaftLog& log() const { return log_; }
  const RaftProgress& progress(RaftId member) const { return leading_.progress[member - 1]; }
  const RaftOptions& options() const { return options_; }
  // An observation that contradicts the protocol; empty: none.
  std::string_view contradiction() const { return contradiction_; }
  bool in_lease() const { return options_.check_quorum && leader_ != 0 && election_.elapsed < options_.election_ticks; }

 private:
  struct Batch {  // handed out to be written
    std::uint64_t position;
    RaftIndex last;
    RaftTerm term;
  };
  struct PendingRead {
    RaftId from;
    std::uint64_t context;
    RaftIndex index;
  };

  struct Election {
    std::uint32_t elapsed = 0;   // ticks since the leader was heard
    std::uint32_t patience = 0;  // ticks without a leader before it campaigns
    VoteTally votes;
  };
  struct Leading {
    std::uint32_t elapsed = 0;  // ticks since the last round of heartbeats
    std::vector<RaftProgress> progress;
  };
  struct Disk {
    RaftHardState saved;
    bool touched = false;  // false: nothing that is to be written has changed since the last was taken
    std::optional<RaftSnapshot> unsaved_snapshot;
    std::uint64_t batches_taken = 0;
    std::deque<Batch> batches;
  };
  struct Reads {
    std::vector<RaftRead> ready;
    std::deque<PendingRead> pending;                      // their rounds are numbered
    std::uint64_t first_round = 1;                        // round of the first pending read
    std::vector<std::pair<RaftId, std::uint64_t>> early;  // reads that wait for a commit in this term
  };

  // raft.cpp: roles, elections
  void reset(RaftTerm term);
  void follow(RaftTerm term, RaftId leader);
  void begin_campaign(bool pre);
  void lead();
  bool heard_newer_term(const RaftMessage& m);
  void heard_older_term(const RaftMessage& m);
  void answer_vote(const RaftMessage& m);
  void count_vote(const RaftMessage& m);
  // Sets the fields that every message of this member has; fill the rest at once: it leaves as soon as it may.
  RaftMessage& message(RaftMessage::Kind kind, RaftId to);
  void handle(RaftMessage& m);
  void hear_itself() {
    if (owes_itself_) hear_what_it_owes_itself();
  }
  void hear_what_it_owes_itself();

  // follower.cpp
  void step_follower(RaftMessage& m);
  void accept_append(RaftMessage& m);
  void accept_heartbeat(const RaftMessage& m);
  void accept_snapshot(RaftMessage& m);
  void commit_to(RaftIndex index);

  // leader.cpp
  void step_leader(RaftMessage& m);
  void tick_leader();
  void append_own(RaftData data);
  void heard_append_reply(const RaftMessage& m);
  void heard_heartbeat_reply(const RaftMessage& m);
  bool send_append(RaftId to, bool even_if_empty = true);
  void send_appends();
  void send_heartbeats();
  bool advance_commit();
  void request_read(RaftId from, std::uint64_t context);
  void begin_read(RaftId from, std::uint64_t context);
  void finish_reads();
  void answer_read(const PendingRead& read);
  bool committed_in_own_term() const { return log_.term(log_.committed) == term_; }

  void note_taken(const RaftHardState& now, RaftBatch& batch);
  bool differs_from_disk() const {
    return log_.committed != disk_.saved.commit || log_.unsaved_from <= log_.last_index() || disk_.unsaved_snapshot ||
           (term_ != disk_.saved.term && !flawed(RaftFlaw::forgets_term)) ||
           (vote_ != disk_.saved.vote && !flawed(RaftFlaw::forgets_vote));
  }
  std::uint64_t newest_position() const { return disk_.batches_taken + (anything_unsaved() ? 1 : 0); }
  bool flawed(RaftFlaw f) const { return flaw_ == f; }

  RaftOptions options_;
  RaftDice& dice_;
  RaftFlaw flaw_;

  RaftRole role_ = RaftRole::follower;
  RaftTerm term_ = 0;
  RaftId vote_ = 0, leader_ = 0;
  RaftLog log_;
  Election election_;
  Leading leading_;
  Disk disk_;
  DurableOutbox<RaftMessage> outbox_;
  bool owes_itself_ = false;
  std::string_view contradiction_;

  Reads reads_;
};

}  // namespace picklock
