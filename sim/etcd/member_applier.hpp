// The state of one etcd member, and how far the log is applied to it.
//
// Applying takes no time, so all that the Raft loop has handed over is applied.
//
// From:      etcd, server/etcdserver/apply.go.
#pragma once

#include <optional>
#include <span>

#include "sim/etcd/entry.hpp"
#include "sim/etcd/member_context.hpp"
#include "sim/etcd/raft/types.hpp"
#include "sim/etcd/state.hpp"

namespace picklock {

class EtcdApplier {
 public:
  explicit EtcdApplier(const EtcdMemberContext& me);

  struct Done {
    const EtcdEntry* entry = nullptr;     // entry of the log
    EtcdReply reply;                      // its header has a revision only; in full where it was proposed
    std::span<const EtcdChange> changes;  // valid until the next call
    bool counts_down = false;             // a lease was granted that this member may have to end
  };
  // Returns false for the empty entry with which a term begins.  `now`: the term of this member.
  bool apply(const RaftEntry& entry, RaftTerm now, Done& done);

  RaftSnapshot snapshot() const { return {applied_, term_, state_.save()}; }
  void load(const RaftSnapshot& snapshot);

  RaftIndex applied() const { return applied_; }
  EtcdState& state() { return state_; }
  const EtcdState& state() const { return state_; }

 private:
  void record(Done& done);

  const EtcdMemberContext& me_;
  EtcdState state_;
  RaftIndex applied_ = 0;
  RaftTerm term_ = 0;  // term of the last entry applied
};

}  // namespace picklock
