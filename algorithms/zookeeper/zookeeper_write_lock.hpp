// WriteLock, the lock that ZooKeeper ships as an example of its recipes, as it is.
//
//   lock      up to 10 times, sleeping 500 ms times the attempt after each ConnectionLoss:
//             id = the first child that begins with x-<session>-, else create(x-<session>-, ephemeral sequential)
//             list; the lowest: exists(next lower, watch) and false; no node is lower: am I the owner?
//   watcher   any event: lock() again; true: the listener is told
//   unlock    delete(id)
//   expired   a session that ends within the caller's own lock() is an exception there; the watcher logs it
//
// From:      zookeeper-recipes-lock, WriteLock.execute, ProtocolSupport.retryOperation, ZNodeName.compareTo, of
//            ZooKeeper 3.8 and 3.9.5.
// Promises:  as its name says: one owner at a time among living sessions, in order of arrival.
// Does not:  stop a holder whose session has expired; make a new handle (the process does, here); bound a wait.
// Abandoned: the watcher goes on: it takes the lock later, and tells no caller.
//
// The defaults are what is shipped.  Its bugs, each an option and a test:
//   predecessor-gone = "hangs"  exists finds nothing: that is logged, and false, with a watch on a node that
//                               no client will ever create (PR 26 of shayhatsor/zookeeper)
//   recovered = "name"          an id that was found again is a name, not a path: never the owner's, and
//                               nothing that could be deleted; its path sorts before it, so that it watches
//                               its own node
//   prefix = "session"          two locks of one session take one node for theirs
//   order = "path"              before 3.4.12 and 3.5.4: by prefix first, that is by session: two holders
//                               (ZOOKEEPER-2931); the default is "number"
#pragma once

#include "algorithms/zookeeper/zk_process.hpp"

namespace picklock {

enum class ZkGone : std::uint8_t { hangs, lists_again };
constexpr auto enum_names(ZkGone) { return name_list("hangs", "lists-again"); }

enum class ZkRecovered : std::uint8_t { name, path };
constexpr auto enum_names(ZkRecovered) { return name_list("name", "path"); }

enum class ZkPrefix : std::uint8_t { session, guid };
constexpr auto enum_names(ZkPrefix) { return name_list("session", "guid"); }

enum class ZkOrder : std::uint8_t { number, path };
constexpr auto enum_names(ZkOrder) { return name_list("number", "path"); }

struct ZookeeperWriteLockOptions {
  Duration session = seconds(10);  // session asked for; a server grants 2 to 20 of its ticks
  ZkReaction reaction = ZkReaction::ignores;
  ZkGone predecessor_gone = ZkGone::hangs;
  ZkRecovered recovered = ZkRecovered::name;
  ZkPrefix prefix = ZkPrefix::session;
  ZkOrder order = ZkOrder::number;
  void fields(FieldVisitor& v);
};

class ZookeeperWriteLock final : public Lock {
 public:
  ZookeeperWriteLock(const LockContext& context, const ZookeeperWriteLockOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Event* lost() override { return options_.reaction == ZkReaction::ignores ? nullptr : &holder_->lost; }

 private:
  // Answer of lock(); the errors are its exceptions.
  enum class Said : std::uint8_t { owner, waits, connection_loss, expired, failed };
  Task<Said> lock();     // retryOperation
  Task<Said> execute();  // LockZooKeeperOperation
  Task<ZooCode> find_prefix(std::string prefix);
  Task<Nothing> make_directory();
  bool before(const std::string& a, const std::string& b) const;
  std::string prefix();

  ZkProcess& process_;
  ZookeeperWriteLockOptions options_;
  std::string directory_;
  std::shared_ptr<ZkHolder> holder_;
  ZooWatcher watcher_;
  ZooKeeper zk_;
  std::string guid_;
  std::string id_, owner_;
  std::optional<std::int64_t> czxid_;
};

}  // namespace picklock
