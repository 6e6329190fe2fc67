#include "sim/etcd/raft/log.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace picklock {

void RaftLog::restore(RaftStored stored) {
  restore(stored.snapshot);
  for (RaftEntry& e : stored.entries) {
    if (e.index <= base_) continue;  // covered by a newer snapshot
    if (e.index <= last_index()) truncate_from(e.index);
    if (e.index != last_index() + 1) continue;  // a snapshot has replaced that part of the log
    append(std::move(e));
  }
  committed = std::clamp(stored.hard.commit, base_, last_index());
  unsaved_from = last_index() + 1;
}

void RaftLog::restore(const RaftSnapshot& snapshot) {
  entries_.clear();
  snapshot_ = snapshot;
  base_ = last_ = snapshot.index;
  base_term_ = snapshot.term;
  committed = handed_out = base_;
  unsaved_from = base_ + 1;
}

RaftIndex RaftLog::last_with_term_up_to(RaftIndex i, RaftTerm t) const {
  i = std::min(i, last_index());
  while (i > base_ && at(i).term > t) --i;
  return i;
}

std::vector<RaftEntry> RaftLog::slice(RaftIndex from, std::size_t most) const {
  if (from > last_index()) return {};
  const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(from - first_index());
  const auto count = std::min<std::size_t>(most, static_cast<std::size_t>(entries_.end() - first));
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

void RaftLog::truncate_from(RaftIndex i) {
  entries_.resize(i - first_index());
  last_ = i - 1;
  unsaved_from = std::min(unsaved_from, i);
}

void RaftLog::compact(RaftSnapshot snapshot, RaftIndex keep_from) {
  PICKLOCK_CHECK(keep_from <= snapshot.index + 1);
  if (snapshot.index <= snapshot_.index || snapshot.index > committed) return;
  snapshot_ = std::move(snapshot);
  if (keep_from <= first_index()) return;
  base_term_ = *term(keep_from - 1);
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(keep_from - first_index()));
  base_ = keep_from - 1;
}

}  // namespace picklock
