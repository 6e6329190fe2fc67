// The agreement of a leader with a quorum on the number of its epoch, and on the history with which it begins.
//
// From:      Leader.{getEpochToPropose, waitForEpochAck, waitForNewLeaderAck} of 3.8.
#pragma once

#include <algorithm>
#include <set>

#include "sim/quorum/majority.hpp"
#include "sim/zookeeper/zab/history.hpp"

namespace picklock {

// Keeps the servers that have taken each of the three steps, the epoch so far, and how recent a follower may be.
class ZabEpochAgreement {
 public:
  ZabEpochAgreement(const ZabEnsemble& ensemble, ZabSid self, const ZabHistory& history)
      : ensemble_(ensemble),
        own_current_(history.current()),
        own_last_(history.last()),
        epoch_(history.accepted() + 1),
        connected_{self} {}

  ZabEpoch epoch() const { return epoch_; }
  ZabZxid own_last() const { return own_last_; }  // end of the leader's log before this epoch

  // --- the three steps; an observer's make no quorum
  void connected(ZabSid sid, ZabEpoch accepted) {
    epoch_ = std::max(epoch_, accepted + 1);
    note(connected_, sid);
  }
  void acked_epoch(ZabSid sid) { note(acked_epoch_, sid); }
  void acked_history(ZabSid sid) { note(acked_history_, sid); }

  bool quorum_connected() const { return is_quorum(connected_); }
  bool quorum_acked_epoch() const { return is_quorum(acked_epoch_); }
  bool quorum_acked_history() const { return is_quorum(acked_history_); }
  bool has_acked_history(ZabSid sid) const { return acked_history_.contains(sid); }

  // A follower whose history is more recent than the leader's may not follow it.
  bool is_ahead(ZabEpoch current, ZabZxid last) const {
    return current > own_current_ || (current == own_current_ && last > own_last_);
  }

 private:
  void note(std::set<ZabSid>& sids, ZabSid sid) {
    if (ensemble_.votes(sid)) sids.insert(sid);
  }
  bool is_quorum(const std::set<ZabSid>& sids) const { return sids.size() >= majority_of(ensemble_.voters()); }

  const ZabEnsemble& ensemble_;
  ZabEpoch own_current_;
  ZabZxid own_last_;
  ZabEpoch epoch_;
  std::set<ZabSid> connected_, acked_epoch_, acked_history_;
};

}  // namespace picklock
