// ClusterCandidacy keeps a replica's bid for the shards of its failed master: when it asks for votes, and how many it
// has.
#pragma once

#include <cstdint>

namespace picklock {

class ClusterCandidacy {
 public:
  // A new attempt: it asks at `due`, or later if other replicas turn out to have more data.
  void plan(std::int64_t due, std::int64_t rank) {
    due_ = due;
    rank_ = rank;
    asked_ = false;
    votes_ = 0;
  }
  void delay_if_outranked(std::int64_t rank, std::int64_t delay_per_rank) {
    if (asked_ || rank <= rank_) return;
    due_ += (rank - rank_) * delay_per_rank;
    rank_ = rank;
  }
  void ask(std::uint64_t epoch) {
    epoch_ = epoch;
    asked_ = true;
  }
  void take_vote(std::uint64_t epoch) {
    if (asked_ && epoch >= epoch_) ++votes_;
  }

  std::int64_t since_due(std::int64_t now) const { return now - due_; }  // negative: it is still to come
  bool has_asked() const { return asked_; }
  std::uint64_t epoch() const { return epoch_; }
  std::uint32_t votes() const { return votes_; }

 private:
  std::int64_t due_ = 0, rank_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint32_t votes_ = 0;
  bool asked_ = false;
};

}  // namespace picklock
