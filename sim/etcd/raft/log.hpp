// A member's log: a snapshot of what came first, then entries, and how far it is committed and handed out.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/etcd/raft/types.hpp"

namespace picklock {

class RaftLog {
 public:
  void restore(RaftStored stored);             // state found on the disk
  void restore(const RaftSnapshot& snapshot);  // snapshot from the leader; it replaces everything

  RaftIndex first_index() const { return base_ + 1; }  // first entry that is still here
  RaftIndex last_index() const { return last_; }
  RaftTerm last_term() const { return entries_.empty() ? base_term_ : entries_.back().term; }
  // Term of the entry at `i`; nothing if it is compacted or does not exist.
  std::optional<RaftTerm> term(RaftIndex i) const {
    if (i > base_ && i <= last_index()) return at(i).term;
    return i == base_ ? std::optional(base_term_) : std::nullopt;
  }
  bool matches(RaftIndex i, RaftTerm t) const { return term(i) == t; }
  bool up_to_date(RaftIndex last, RaftTerm last_term_of_candidate) const {
    return last_term_of_candidate != last_term() ? last_term_of_candidate > last_term() : last >= last_index();
  }
  // The largest index ≤ `i` whose term is ≤ `t`, or the one before the first that is here.
  RaftIndex last_with_term_up_to(RaftIndex i, RaftTerm t) const;
  // Gives at most `most` entries from `from` on.
  std::vector<RaftEntry> slice(RaftIndex from, std::size_t most) const;
  const RaftEntry& at(RaftIndex i) const { return entries_[i - first_index()]; }

  void append(RaftEntry entry) {
    entries_.push_back(std::move(entry));
    ++last_;
  }
  void truncate_from(RaftIndex i);
  void compact(RaftSnapshot snapshot, RaftIndex keep_from);
  const RaftSnapshot& snapshot() const { return snapshot_; }

  RaftIndex committed = 0;
  RaftIndex handed_out = 0;    // index of the last entry handed out to be applied
  RaftIndex unsaved_from = 1;  // entries from here on have not been handed out to be written

 private:
  std::vector<RaftEntry> entries_;
  RaftSnapshot snapshot_;  // snapshot for a follower whose next entry is gone
  RaftIndex base_ = 0;     // entries up to it are gone
  RaftIndex last_ = 0;     // base_ + entries_.size()
  RaftTerm base_term_ = 0;
};

}  // namespace picklock
