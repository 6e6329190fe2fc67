// A leader's own proposals, between its log and the disk.
#pragma once

#include <deque>

#include "sim/zookeeper/zab/history.hpp"

namespace picklock {

// Keeps the last proposal, and which proposals are not on the leader's platter yet.
class ZabOwnProposals {
 public:
  void begin(ZabZxid zxid) { last_ = zxid; }           // its epoch's first proposal is zxid + 1
  void take_over(ZabZxid newest) { acked_ = newest; }  // the history before this epoch

  ZabZxid last() const { return last_; }
  ZabZxid next() { return ++last_; }
  void logged(ZabPosition position) { logged_.push_back({position, last_}); }  // the last one
  bool persisted(ZabPosition position) {                                       // true: some proposal has got there
    if (logged_.empty() || logged_.front().position > position) return false;
    for (; !logged_.empty() && logged_.front().position <= position; logged_.pop_front()) acked_ = logged_.front().zxid;
    return true;
  }
  ZabZxid acked() const { return acked_; }  // all up to it is on the platter

 private:
  struct Logged {
    ZabPosition position;
    ZabZxid zxid;
  };
  ZabZxid last_ = 0, acked_ = 0;
  std::deque<Logged> logged_;
};

}  // namespace picklock
