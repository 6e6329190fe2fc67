// The lock of ZooKeeper's own recipes: a queue of ephemeral sequential nodes, each watching the next lower.
//
//   acquire   create(dir/guid-lock-, ephemeral sequential)
//             again: list; the lowest owns; else exists(next lower, watch); gone: again; else wait: again
//   release   delete the own node
// and its shared form, for LockKinds whose clients may read: names read- and write-; a reader waits for the
// nearest lower writer, a writer for the nearest lower node of any kind.
//
// From:      ZooKeeper Recipes and Solutions, "Locks", "Recoverable Errors and the GUID", "Shared Locks".
// Promises:  one owner at a time among the sessions that live, as the ensemble sees it; first come,
//            first served; a dead holder's lock is free once its session has expired.
// Does not:  stop a holder whose session has expired without its knowledge (a pause, a partition):
//            see `reaction`, and the token.
// Abandoned: its node stays until the session ends or it is released; all behind it wait.
//
// Mistakes that are made with it, each an option and a test:
//   node = "persistent"    a holder that dies leaves its node, and all behind it wait for ever: the deadlock
//                          that ephemeral nodes are there for (zookeeper_persistent_node)
//   guid = false           an answer that is lost leaves a node that no client knows; the second try queues
//                          behind it for as long as the session lives
//   watch = "parent"       all waiters watch the list of children and are woken by every change (a herd)
//   token = "sequence"     begins anew with a directory that was deleted in between, as a container is
//   token = "mzxid"        a write to a waiter's node makes its token larger than those behind it
//   order = "number"       (the default) behind 2147483647 comes -2147483648: the newest stands first, beside the
//                          owner.  Since 3.6 the counter stays at its end: numbers are alike, and no order helps
#pragma once

#include "algorithms/zookeeper/zk_process.hpp"

namespace picklock {

enum class ZkWatch : std::uint8_t { predecessor, parent };
constexpr auto enum_names(ZkWatch) { return name_list("predecessor", "parent"); }

enum class ZkNode : std::uint8_t { ephemeral, persistent };
constexpr auto enum_names(ZkNode) { return name_list("ephemeral", "persistent"); }

struct ZookeeperLockOptions {
  Duration session = seconds(10);  // session asked for; a server grants 2 to 20 of its ticks
  ZkReaction reaction = ZkReaction::ignores;
  ZkToken token = ZkToken::czxid;
  ZkNode node = ZkNode::ephemeral;
  bool guid = true;
  ZkWatch watch = ZkWatch::predecessor;
  bool container = false;  // the directory is deleted when it has been empty for a while
  ZkNameOrder order = ZkNameOrder::number;
  void fields(FieldVisitor& v);
};

// Names of the nodes, and the node that each waits for.
enum class ZkQueue : std::uint8_t { exclusive, read_write };

class ZookeeperLock : public Lock {
 public:
  ZookeeperLock(const LockContext& context, const ZookeeperLockOptions& options, ZkQueue queue = ZkQueue::exclusive);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  // Deletes the first node of the queue.
  Task<Outcome<>> force_release() override;
  Event* lost() override { return options_.reaction == ZkReaction::ignores ? nullptr : &holder_->lost; }

 private:
  enum class Step : std::uint8_t {
    done,
    anew,   // the session or the node is gone: from the beginning
    over,   // the patience is over
    failed  // the service says no for good
  };
  struct Place {
    std::string path;
    ZooStat stat;
  };
  Task<Step> enter(ZooKeeper zk, Patience* patience, Place* mine);
  Task<Step> find(ZooKeeper zk, Patience* patience, std::string guid, Place* mine);
  Task<Step> make_directory(ZooKeeper zk);
  Task<Step> wait_turn(ZooKeeper zk, Patience* patience, const Place* mine);
  Task<Step> recover(ZooKeeper zk, Patience* patience, ZooCode code);
  Task<std::optional<std::int64_t>> token(ZooKeeper zk, const Place* mine);
  Task<Outcome<>> remove(ZooKeeper zk, std::string path);
  Task<void> find_and_remove(ZooKeeper zk, std::string guid);
  Task<void> remove_in_background(ZooKeeper zk, std::string path);
  void leave(const ZooKeeper& zk, const std::string& path);

  ZkProcess& process_;
  ZookeeperLockOptions options_;
  ZkQueue queue_;
  std::string directory_, mark_;
  std::shared_ptr<ZkHolder> holder_;
  ZooWatcher watcher_;
  ZooKeeper zk_;  // session of the hold
};

class ZookeeperReadWriteLock final : public ZookeeperLock {
 public:
  ZookeeperReadWriteLock(const LockContext& context, const ZookeeperLockOptions& options)
      : ZookeeperLock(context, options, ZkQueue::read_write) {}
};

// The child of a lock's directory that `mine` has to wait for: empty if none.  Nothing if
// `mine` is not among them.
std::optional<std::string> zk_blocker(const std::vector<std::string>& children, std::string_view mine, ZkQueue queue,
                                      ZkNameOrder order = ZkNameOrder::number);

}  // namespace picklock
