// Watches of the clients of one etcd member, and the sending of their events.
//
// Events leave before any answer that tells of a later revision.  Every 100 ms watchers get what they have missed.
//
// From:      etcd, server/storage/mvcc/watchable_store.go; server/etcdserver/api/v3rpc/watch.go.
#pragma once

#include <span>

#include "sim/etcd/member_replies.hpp"
#include "sim/etcd/watches.hpp"

namespace picklock {

class EtcdMemberWatches {
 public:
  EtcdMemberWatches(const EtcdState& state, const EtcdReplies& replies) : state_(state), replies_(replies) {}

  void create(const Message& message, const EtcdWatchCreate& what, bool leader_known);
  void cancel(const Message& message, std::int64_t id);
  void drop(ConnectionId connection) { hub_.close(connection); }

  void changed(std::span<const EtcdChange> changes);  // right after a transaction
  void restored();                                    // a snapshot took the place of the store
  void report_progress();
  void lose_leader();                    // ends those that require one
  Task<void> catch_up(Service service);  // the task that sends what was missed

 private:
  void deliver() {
    if (!hub_.deliveries().empty()) deliver_all();
  }
  void deliver_all();

  const EtcdState& state_;
  const EtcdReplies& replies_;
  EtcdWatchHub hub_;
  Bell behind_;  // a watcher has missed something
};

}  // namespace picklock
