// Sessions heard of lately: as a leader tracks them, and as a follower reports them.
//
// Only the leader lets sessions expire.  It keeps them in buckets of one tick, on its monotonic clock,
// in milliseconds: a session heard of at `now` expires in bucket ((now + T) / tick + 1) * tick, that is
// T to T + tick later (ExpiryQueue).  An expired session is marked as closing; its end is a transaction like
// any other, and no message can save the session in between.
//
// From: SessionTrackerImpl, ExpiryQueue, LearnerSessionTracker of ZooKeeper 3.8.  Left out: local
// sessions, and sessions of followers that are not committed yet.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/zookeeper/tree.hpp"
#include "sim/zookeeper/wire.hpp"

namespace picklock {

// Timeout that the server grants: within 2 to 20 ticks.
std::int64_t zoo_negotiated_timeout_ms(std::int64_t asked_ms, std::int64_t tick_ms);

class ZooSessionTracker {
 public:
  // A leader begins: every session of its tree has its full timeout from now on.
  ZooSessionTracker(std::int64_t tick_ms, std::int64_t now_ms, const ZooTree& tree);

  void track(std::int64_t session, std::int64_t timeout_ms, std::int64_t now_ms);  // the session may be known already
  // Returns false if the session is unknown, or closing already.
  bool touch(std::int64_t session, std::int64_t timeout_ms, std::int64_t now_ms);
  void set_closing(std::int64_t session);
  void remove(std::int64_t session);  // its end has been applied

  // The server on whose connection the session's writes may come; of a re-attachment.
  void set_owner(std::int64_t session, std::uint64_t owner);
  // SessionExpired: unknown or closing; SessionMoved: another server owns it; else its owner if it had none.
  ZooCode check(std::int64_t session, std::uint64_t owner);

  // Time of the next look: the end of the earliest bucket that has not been looked at.
  std::int64_t next_look_ms() const { return next_look_ms_; }
  // The next overdue bucket: its sessions, in the order of their ids, closing from now on.  Call it
  // until next_look_ms() lies ahead: after a pause of the leader several are overdue.
  std::vector<std::int64_t> expire(std::int64_t now_ms);

  // Bucket in which it expires; nothing if it is unknown or closing.
  std::optional<std::int64_t> expiry_ms(std::int64_t session) const;
  std::size_t size() const { return sessions_.size(); }
  bool closing(std::int64_t session) const;

 private:
  struct Session {
    std::int64_t bucket = 0;
    std::optional<std::uint64_t> owner;
    bool closing = false;
  };
  std::int64_t round_up(std::int64_t ms) const { return (ms / tick_ms_ + 1) * tick_ms_; }
  void put(std::int64_t id, Session& s, std::int64_t bucket);

  std::int64_t tick_ms_;
  std::int64_t next_look_ms_;
  std::map<std::int64_t, Session> sessions_;
  std::map<std::int64_t, std::set<std::int64_t>> buckets_;
};

// Sessions that a follower or observer has heard of since the leader last asked.
class ZooTouchTable {
 public:
  void touch(std::int64_t session, std::int64_t timeout_ms);
  bool empty() const { return touched_.empty(); }
  // Fills the answer to the leader's ping; the table is empty afterwards.  Reuses what `to` has allocated.
  void take(std::vector<std::pair<std::int64_t, std::int64_t>>& to);
  void clear() { touched_.clear(); }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> touched_;  // sorted by session
};

}  // namespace picklock
