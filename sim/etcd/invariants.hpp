// Invariants of an etcd cluster, over all members together.  Each member reports what it does; a judge reads the first
// contradiction at the end of a run.  No member reads it.
//
// From:      Ongaro and Ousterhout, "In Search of an Understandable Consensus Algorithm" (2014), figure 3.
// Cost:      per entry and member a hash of its data and a place in an array; nothing while a cluster idles.
// Hides:     entries that a member had and never came to write; of leader completeness, what was first applied
//            in a later term than the one that committed it, unless it is applied otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/etcd/raft/log.hpp"

namespace picklock {

class EtcdInvariants {
 public:
  void reset();

  // Election safety, and leader completeness: what was committed in an earlier term is in the log.
  void leads(RaftId member, RaftTerm term, const RaftLog& log);
  // Log matching: `member` is about to write an entry after one of the term `before`.  Where an index and a term mean
  // the same entry after the same term for all members, they mean the same log, by induction.
  void logged(RaftId member, RaftIndex index, RaftTerm term, RaftTerm before, std::uint64_t hash);
  // State-machine safety, entry by entry.  `now`: the member's term, by which the entry was committed.
  void applied(RaftId member, RaftIndex index, RaftTerm term, std::uint64_t hash, RaftTerm now);
  void revision(RaftId member, std::int64_t before, std::int64_t after) {
    if (after < before || after > before + 1) breaks("the revision of member " + std::to_string(member) + " jumped");
  }
  void breaks(std::string what) {
    if (broken_.empty()) broken_ = std::move(what);
  }

  const std::string& broken() const { return broken_; }  // the first; empty: none
  std::size_t entries() const { return applied_.size(); }
  std::size_t logged() const { return logged_.size(); }
  std::size_t leaders() const { return leaders_.size(); }

 private:
  struct Logged {
    RaftTerm term, before;
    std::uint64_t hash;
    bool operator==(const Logged&) const = default;
  };
  struct Applied {
    RaftTerm term;
    std::uint64_t hash;
    RaftTerm by;  // committed in this term or before
  };

  std::map<RaftTerm, RaftId> leaders_;
  std::vector<Logged> logged_;                                 // first entry seen at each index; a term of 0: none
  std::map<std::pair<RaftIndex, RaftTerm>, Logged> replaced_;  // all other entries seen
  std::vector<Applied> applied_;
  std::string broken_;
};

}  // namespace picklock
