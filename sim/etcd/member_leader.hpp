// The leader of the cluster, as far as one member has noticed.
//
// A member looks when its Raft loop gets on: while the loop waits for the disk, what it believes may be out of date.
#pragma once

#include "sim/core/wait.hpp"
#include "sim/etcd/raft/raft.hpp"
#include "sim/etcd/wire.hpp"

namespace picklock {

class EtcdLeaderView {
 public:
  struct Change {
    bool deposed = false;  // this member led, in former_term
    bool elected = false;  // this member leads
    bool other = false;    // there is another leader, or none
    RaftTerm former_term = 0;
  };
  // look() would change nothing.
  [[gnu::always_inline]] bool is_still(const Raft& raft) const {
    return raft.leader() == id_ && raft.leads() == leads_ && (!leads_ || raft.term() == led_term_);
  }
  Change look(const Raft& raft, MonoTime now);

  RaftId id() const { return id_; }  // 0: none
  bool known() const { return id_ != 0; }
  bool is_self() const { return leads_; }
  RaftTerm led_term() const { return led_term_; }
  // The answer to a request that ran out of time (parseProposeCtxErr).
  EtcdError why_timed_out(MonoTime asked, Duration election) const;
  // Rung when no leader is known any more.
  Bell& lost() { return lost_; }

 private:
  RaftId id_ = 0;
  bool leads_ = false;
  RaftTerm led_term_ = 0;
  MonoTime since_{};
  Bell lost_;
};

}  // namespace picklock
