// The handle that the ZooKeeper locks of one process share, and the holders to tell when it fails.
//
// From:      the usual way of an application: one ZooKeeper object for all threads, whose default watcher
//            makes a new one once its session has expired.
// Promises:  a holder hears of Disconnected or Expired as soon as the library says so, if it wants to.
// Does not:  know anything that the library does not: a paused process, and until 2/3 of the timeout a
//            partitioned one, hears nothing; after a pause the holder goes on beside its successor.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/lock.hpp"
#include "sim/task/zookeeper.hpp"

namespace picklock {

// Reaction of an application when the library tells it of its session.  No lock does anything by itself.
enum class ZkReaction : std::uint8_t {
  ignores,
  stops_at_disconnected,  // the holder is no longer sure of its hold: it stops
  stops_at_expired        // it goes on until a server says that the session is over
};
constexpr auto enum_names(ZkReaction) { return name_list("ignores", "stops-at-disconnected", "stops-at-expired"); }

// Number that is handed to the storage as fencing token.
enum class ZkToken : std::uint8_t {
  czxid,     // czxid of the lock's node: one order for the whole ensemble, and fixed for the node's life
  sequence,  // the number at the end of its name: begins anew with a parent that is made anew
  mzxid      // changes with every write to the node
};
constexpr auto enum_names(ZkToken) { return name_list("czxid", "sequence", "mzxid"); }

// Order of the names of sequential nodes.
enum class ZkNameOrder : std::uint8_t {
  text,           // "-2147483648" stands before "0000000000"
  number,         // -2147483648 stands first; among the negative ones the order is right
  wrapped_number  // the later of two numbers is the one that is less than 2^31 steps ahead (RFC 1982)
};
constexpr auto enum_names(ZkNameOrder) { return name_list("text", "number", "wrapped-number"); }

// True if number `a` comes before number `b`.
bool zk_comes_before(std::int64_t a, std::int64_t b, ZkNameOrder order);

// Watcher of one hold.
struct ZkHolder {
  ZkHolder(const Host& host, ZkReaction r) : lost(host, "loss of the lock"), reaction(r) {}
  void granted(const ZooKeeper& zk);  // a hold begins
  void released() { holding = false; }
  void hear(ZooState state);

  Event lost;
  ZkReaction reaction;
  bool holding = false;
};

class ZkProcess {
 public:
  ZkProcess(const Host& host, ZooConnector& connector, Duration session);
  // The ZkProcess of this process, which all its locks share.  The first lock's timeout holds for all.
  static ZkProcess& of(const LockContext& context, Duration session);

  // A living handle: a new one if the session of the last has expired.
  ZooKeeper handle();
  void tell(std::weak_ptr<ZkHolder> holder) { holders_.push_back(std::move(holder)); }
  // Waits until `zk` is connected: true; false once it is dead for good, or the patience is over.
  Task<bool> connected(ZooKeeper zk, Patience patience);
  const Host& host() const { return host_; }

 private:
  Task<void> listen();
  Task<Nothing> change();

  Host host_;
  ZooConnector& connector_;
  Duration session_;
  ZooKeeper zk_;
  ZooWatcher watcher_;
  Event changed_;
  std::vector<std::weak_ptr<ZkHolder>> holders_;
};

// True if another attempt may succeed on the same session.
constexpr bool zk_may_retry(ZooCode code) {
  return code == ZooCode::connection_loss || code == ZooCode::operation_timeout || code == ZooCode::session_moved;
}
// A lock's name as a path: below the root, unless it is a path already.
std::string zk_path(std::string_view lock_name);
// The number at the end of a sequential name, behind its last `mark` ("lock-"); nothing if it is missing.
std::optional<std::int64_t> zk_number(std::string_view name, std::string_view mark);
// Waits for an event, no longer than the patience: false if none has come.
Task<bool> zk_event(Host host, ZooWatcher watcher, Patience patience);

}  // namespace picklock
