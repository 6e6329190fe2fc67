// For tests: the history of an ensemble's clients, and a check that ZooKeeper may have shown it.
//
// The zxid is the witness: writes took effect in its order, and a reply says up to which zxid its server had
// applied.  So one sweep over the transactions, with a plain map beside it, decides in linear time whether
//
//   every write did what its answer says, at the zxid of its answer, once, and in the order of its session;
//   writes are linearizable: one answered before another was sent has the smaller zxid;
//   every read shows exactly the state after its zxid, and zxids never fall within a session;
//   after a watch was left, the event comes before any answer that shows a later state of its node.
//
// The promise of `sync` is weaker than it sounds: the leader answers it without asking its followers, so one that has
// been deposed and does not know lets old data through (ZOOKEEPER-1675).  Such syncs are counted; one that misses
// what was committed in the epoch of its own answer is wrong.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/zookeeper/judge.hpp"

namespace picklock::testing {

struct StoreOp {
  std::int64_t session = 0;
  ZooRequest request;
  TrueTime invoked, replied;
  bool answered = false;
  ZooReply reply;
};

// Sight of a client on one connection, in the order in which it saw them.
struct StoreSight {
  static constexpr std::size_t kEvent = SIZE_MAX;
  std::size_t connection = 0;
  std::size_t op = kEvent;  // an answer; or an event of `path`
  std::string path;
};

struct StoreHistory {
  std::vector<StoreOp> ops;
  std::vector<StoreSight> sights;
  std::size_t connections = 0;
  void clear() { *this = StoreHistory(); }
};

struct StoreFindings {
  std::vector<std::string> wrong;
  std::size_t writes = 0, reads = 0, unknown = 0, stale_reads = 0, syncs = 0, sync_holes = 0, events = 0, refused = 0;
};

StoreFindings check_store(const std::vector<ZooJudge::Transaction>& transactions, const StoreHistory& history);

}  // namespace picklock::testing
