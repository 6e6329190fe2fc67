// What can never be in a cluster, as far as its members know of it together.  No member reads it; each tells it
// what it does, and a judge reads at the end of a run.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/etcd/raft/types.hpp"

namespace picklock {

class EtcdInvariants {
 public:
  void reset() { *this = {}; }

  void leads(RaftId member, RaftTerm term) {
    const auto [known, news] = leaders_.emplace(term, member);
    if (!news && known->second != member) breaks("two leaders of term " + std::to_string(term));
  }
  // `entry` and `state`: hashes.  State-machine safety: entry by entry.
  void applied(RaftId member, RaftIndex index, RaftTerm term, std::uint64_t entry) {
    if (index > applied_.size() + 1) return breaks("member " + std::to_string(member) + " skipped an entry");
    if (index == applied_.size() + 1) {
      applied_.push_back({term, entry});
    } else if (applied_[index - 1] != std::pair{term, entry}) {
      breaks("two entries applied at index " + std::to_string(index));
    }
  }
  void revision(RaftId member, std::int64_t before, std::int64_t after) {
    if (after < before || after > before + 1) breaks("the revision of member " + std::to_string(member) + " jumped");
  }
  void breaks(std::string what) {
    if (broken_.empty()) broken_ = std::move(what);
  }

  const std::string& broken() const { return broken_; }  // the first; empty: none
  std::size_t entries() const { return applied_.size(); }
  std::size_t leaders() const { return leaders_.size(); }

 private:
  std::map<RaftTerm, RaftId> leaders_;
  std::vector<std::pair<RaftTerm, std::uint64_t>> applied_;
  std::string broken_;
};

}  // namespace picklock
