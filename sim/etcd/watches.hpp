// The watchers of one member: the keys of each, and the events that it is to be sent.
//
// A watcher is synced when it has been sent all events that the store has.  One that asks for older revisions is
// unsynced until catch_up(), every 100 ms, has sent what it missed, or cancelled it if that is compacted.
//
// From:      etcd, server/storage/mvcc/watchable_store.go; server/etcdserver/api/v3rpc/watch.go.
// Left out:  slow receivers: an event is sent at once and never waits for room.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/etcd/mvcc.hpp"

namespace picklock {

struct EtcdWatchDelivery {
  std::uint64_t stream = 0;
  EtcdWatchReply reply;
};

class EtcdWatchHub {
 public:
  static constexpr Duration kCatchUpEvery = milliseconds(100);
  static constexpr Duration kProgressEvery = seconds(600);
  static constexpr std::size_t kMostAtOnce = 512;  // limit of unsynced watches in one catch_up()

  // A stream is what one client connection or call has opened; ids are unique within it.  The reply to the
  // creation; an error if the id is taken.
  EtcdReply create(const EtcdMvcc& store, std::uint64_t stream, const EtcdWatchCreate& what);
  bool cancel(std::uint64_t stream, std::int64_t id);
  void close(std::uint64_t stream);
  void clear();  // the process is gone

  // The changes of a transaction, right after it.
  void notify(const EtcdMvcc& store, std::span<const EtcdChange> changes);
  void catch_up(const EtcdMvcc& store);
  bool unsynced() const { return !unsynced_.empty(); }
  // Tells the synced watchers that asked for it how far they are.
  void progress(const EtcdMvcc& store);
  // This member has known no leader for three election timeouts.
  void lose_leader(const EtcdMvcc& store);
  // The whole store was replaced by a snapshot.
  void restored() { resync(); }

  std::size_t size() const { return watchers_.size(); }
  // Deliveries to be sent in this order; the caller clears them.
  std::vector<EtcdWatchDelivery>& deliveries() { return deliveries_; }

 private:
  using Key = std::pair<std::uint64_t, std::int64_t>;  // stream, id
  using Keys = std::vector<Key>;                       // sorted, each once
  struct Watcher {
    EtcdWatchCreate what;
    EtcdRevision next = 0;  // revision of the next event to send
    bool synced = true;
  };
  void send_events(const EtcdMvcc& store, const Key& key, Watcher& w, std::span<const EtcdChange> changes);
  void send_cancelled(const EtcdMvcc& store, const Key& key, EtcdRevision compacted, EtcdError error);
  static void add(Keys& keys, const Key& key);
  static void remove(Keys& keys, const Key& key);
  void index(const Key& key, const Watcher& w);
  void erase(std::map<Key, Watcher>::iterator it);
  void resync();

  std::map<Key, Watcher> watchers_;
  std::map<std::string, Keys, std::less<>> by_key_;  // synced ones of a single key
  Keys by_range_;                                    // all other synced ones
  Keys unsynced_;
  std::vector<EtcdWatchDelivery> deliveries_;
};

}  // namespace picklock
