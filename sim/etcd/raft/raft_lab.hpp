// For the tests of this folder: a Raft cluster without a world.
//
//   RaftCluster cluster(options, RaftFlaw::none, choose);   // choose(n) gives a number below n
//   cluster.run(1000);                                      // a schedule of 1,000 steps, as `choose` says
//   cluster.broken                                          // the first broken rule; empty: none
//
// It keeps the members, the messages between them and their disks.  A judge that sees everything compares them with
// figure 3 of the Raft paper.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/etcd/raft/raft.hpp"
#include "sim/etcd/raft/wire.hpp"

namespace picklock::testing {

// The bytes of a disk.
struct RaftDisk {
  std::vector<std::string> records;
  std::size_t durable = 0;  // number of records that are on the platter

  RaftStored read() const;
};

class RaftCluster {
 public:
  using Choose = std::function<std::uint32_t(std::uint32_t)>;  // argument n: gives a number below n

  RaftCluster(RaftOptions options, RaftFlaw flaw, Choose choose);

  struct Member final {
    std::unique_ptr<Raft> raft;  // null: down
    RaftDisk disk;
    std::deque<std::pair<std::size_t, std::uint64_t>> written;  // records and position, not yet synced
    std::vector<RaftEntry> applied;                             // entries from index 1 on; a snapshot: as it says
    std::vector<RaftRead> reads;                                // reads that may be answered
    bool write_behind = false;                                  // its disk stands still
    RaftTerm leader_term = 0;                                   // term of the leader that it heard last
    std::uint32_t ticks_since_leader = 1000, ticks_leading_alone = 0;
  };

  Raft& raft(RaftId id) { return *members_[id - 1].raft; }
  Member& member(RaftId id) { return members_[id - 1]; }
  bool up(RaftId id) const { return members_[id - 1].raft != nullptr; }
  std::vector<RaftMessage> wire;
  std::string broken;  // the first thing that can never be; empty: none
  std::uint64_t commits = 0, elections = 0, reads_answered = 0, snapshots = 0;

  void boot(RaftId id);
  void crash(RaftId id, bool power);
  void settle_outputs(RaftId id) { drain(id); }  // call it after changing the Raft directly
  void tick(RaftId id);
  void propose(RaftId id);
  void read(RaftId id);
  void deliver(std::size_t k, bool keep_copy = false);
  void lose(std::size_t k);
  // The disk of `id` gets on: what was written is on the platter.
  void sync(RaftId id);
  void compact(RaftId id, RaftIndex keep);

  // --- one schedule after another, as `choose` says
  void run(std::uint32_t steps);
  // Everything is repaired: true if it then elects a leader that commits and answers a read.
  bool settles();

  std::string image(const std::vector<RaftEntry>& entries) const;
  void breaks(std::string what);

 private:
  struct Dice final : RaftDice {
    explicit Dice(Choose& c) : choose(c) {}
    std::uint32_t below(std::uint32_t n) override { return choose(n); }
    Choose& choose;
  };

  void report_snapshot(const RaftMessage& m, bool arrived);

  void drain(RaftId id);
  template <class T>
  void store(Member& m, const T& part) {
    std::string bytes;
    encode(part, bytes);
    m.disk.records.push_back(std::move(bytes));
  }
  std::vector<RaftEntry> applied_of(const RaftSnapshot& s) const;

  // --- the judge
  void judge_member(const Raft& r);
  RaftIndex judged_from(const Raft& r) const;
  // State-machine safety: members apply the same entry at the same index.
  void judge_applied(const std::vector<RaftEntry>& entries);
  // A leader that hears no majority leads on for less than two election timeouts of its own ticks.
  void judge_quorum(RaftId id);

  struct Seen {
    std::string data;
    std::optional<RaftTerm> before;
  };
  struct Judged {
    const Raft* raft = nullptr;
    RaftIndex last = 0;
    RaftTerm term = 0;
  };

  RaftOptions options_;
  RaftFlaw flaw_;
  Choose choose_;
  Dice dice_;
  std::vector<Member> members_;
  std::map<RaftTerm, RaftId> leaders_;
  std::map<std::pair<RaftIndex, RaftTerm>, Seen> entries_;
  std::vector<RaftEntry> applied_;  // entries that any member applied, index by index
  std::vector<Judged> judged_ = std::vector<Judged>(options_.members);
  std::map<RaftId, std::map<RaftId, std::uint32_t>> heard_from_;
  std::map<RaftId, RaftTerm> led_;
  std::map<std::uint64_t, RaftIndex> must_see_;
  RaftIndex highest_commit_ = 0;
  std::uint64_t proposals_ = 0, contexts_ = 0;
};

}  // namespace picklock::testing
