// A leader's knowledge of one follower, after etcd's raft/tracker/progress.go.
//
//   probe      it is not known where the logs agree: one append at a time, of which the answer is awaited
//   replicate  they agree up to `match`; appends are sent ahead of the answers
//   snapshot   it lacks what the leader's log has no more; nothing is sent until it has the snapshot
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sim/etcd/raft/types.hpp"

namespace picklock {

class RaftProgress {
 public:
  enum class State : std::uint8_t { probe, replicate, snapshot };

  RaftIndex match = 0, next = 1;
  RaftIndex pending_snapshot = 0;
  std::uint64_t read_acked = 0;  // the newest read whose round of heartbeats it has answered
  State state = State::probe;
  bool probe_sent = false;
  bool recently_active = false;

  void reset(RaftIndex last) {
    *this = {};
    next = last + 1;
  }
  void probe() {
    // The follower holds at least a snapshot that it has taken.
    next = state == State::snapshot ? std::max(match, pending_snapshot) + 1 : match + 1;
    enter(State::probe);
  }
  void replicate() {
    next = match + 1;
    enter(State::replicate);
  }
  void await_snapshot(RaftIndex index) {
    enter(State::snapshot);
    pending_snapshot = index;
    next = index + 1;
  }

  bool paused(std::size_t most_inflight) const {
    if (state == State::replicate) return inflight_.size() >= most_inflight;
    return state == State::snapshot || probe_sent;
  }
  void sent(RaftIndex last, std::size_t entries) {
    if (state == State::probe) probe_sent = true;
    if (state != State::replicate || entries == 0) return;
    next = last + 1;
    inflight_.push_back(last);
  }
  // It agrees up to `index`; false if that was known.
  bool acknowledged(RaftIndex index) {
    const auto waiting = std::find_if(inflight_.begin(), inflight_.end(), [index](RaftIndex i) { return i > index; });
    inflight_.erase(inflight_.begin(), waiting);
    next = std::max(next, index + 1);
    if (index <= match) return false;
    match = index;
    probe_sent = false;
    return true;
  }
  // It does not agree at `at`, and suggests `hint`; false if the rejection is an old one.
  bool rejected(RaftIndex at, RaftIndex hint) {
    if (state == State::replicate) {
      if (at <= match) return false;
      next = match + 1;
      return true;
    }
    if (next - 1 != at) return false;
    next = std::max(std::min(at, hint + 1), match + 1);
    probe_sent = false;
    return true;
  }
  void heard_heartbeat(std::size_t most_inflight) {
    probe_sent = false;
    if (state == State::replicate && inflight_.size() >= most_inflight) inflight_.erase(inflight_.begin());
  }

 private:
  void enter(State s) {
    state = s;
    probe_sent = false;
    pending_snapshot = 0;
    inflight_.clear();
  }
  std::vector<RaftIndex> inflight_;  // the last index of each append without an answer
};

}  // namespace picklock
