#include "sim/etcd/member_leader.hpp"

namespace picklock {

EtcdLeaderView::Change EtcdLeaderView::look(const Raft& raft, MonoTime now) {
  Change change;
  change.former_term = led_term_;
  change.deposed = leads_ && (!raft.leads() || raft.term() != led_term_);
  change.elected = raft.leads() && (!leads_ || change.deposed);
  change.other = raft.leader() != id_ || change.deposed;
  leads_ = raft.leads();
  if (change.elected) led_term_ = raft.term();
  if (change.other) id_ = raft.leader();
  if (change.other && id_ != 0) since_ = now;
  return change;
}

EtcdError EtcdLeaderView::why_timed_out(MonoTime asked, Duration election) const {
  if (id_ == 0) return EtcdError::timeout_connection_lost;
  const MonoTime lost = since_ - election * 2;
  return asked > lost && asked < since_ ? EtcdError::timeout_leader_failure : EtcdError::timeout;
}

}  // namespace picklock
