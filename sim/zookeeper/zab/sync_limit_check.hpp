// The watch that a leader keeps over the proposals that one follower has not acknowledged.
//
// From:      LearnerHandler.SyncLimitCheck of 3.8, which looks at two proposals, and not at all of them.
#pragma once

#include <utility>

#include "sim/zookeeper/zab/types.hpp"

namespace picklock {

// Keeps the oldest proposal that is not acknowledged, and the newest one that was sent after it.
class ZabSyncLimitCheck {
 public:
  void proposed(ZabZxid zxid, ZabMs now) {
    if (unacked_ == 0) {
      unacked_ = zxid;
      unacked_since_ = now;
    } else {
      next_ = zxid;
      next_since_ = now;
    }
  }
  void acked(ZabZxid zxid) {
    if (unacked_ == 0 || zxid < unacked_) return;
    unacked_ = std::exchange(next_, 0);
    unacked_since_ = next_since_;
    if (unacked_ != 0 && unacked_ <= zxid) unacked_ = 0;
  }
  bool too_slow(ZabMs limit, ZabMs now) const { return unacked_ != 0 && now - unacked_since_ >= limit; }

 private:
  ZabZxid unacked_ = 0, next_ = 0;
  ZabMs unacked_since_ = 0, next_since_ = 0;
};

}  // namespace picklock
