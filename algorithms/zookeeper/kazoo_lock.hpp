// kazoo's Lock, and its WriteLock and ReadLock.
//
//   acquire  find the node with the object's uuid if one was ever tried; else create <uuid>__lock__<n>; then,
//            again and again: list; mine is not there: KazooRetry, from the beginning; no node before me:
//            held; else get and watch the nearest before me, and wait for it or any change of state
//   release  delete, again and again until it is answered
//   read     __rlock__ nodes wait for the nearest lower __lock__, writers for either
// KazooRetry: 0.1 s, give or take up to 40 %, then twice what it was, up to 60 s (a release: an hour), until
// the timeout (a release: without end); after ConnectionLoss, OperationTimeout and SessionExpired.
//
// From:      python-zk/kazoo, recipe/lock.py, retry.py.
// Promises:  within one session: writers alone, readers together, in the order of the creates.
// Does not:  tell its holder that the session is gone (a listener may: `reaction`, SUSPENDED and LOST),
//            nest, or keep to its timeout: that begins anew with every event that wakes a waiter.
// Abandoned: the node stays until the object acquires again, or the session ends.  cancel() deletes it as a refused acquire does.
//
// Known bugs, each an option:
//   cleanup     kazoo#732 (open; PR 760): an acquire that was refused deletes its node once, and ignores an
//               error: with a new object for each call it is never deleted
//   object      whether each acquire is a new object (a new uuid) or the object is used again
//   find-node   a node found by its uuid may be that of the session before
//   watch       "exists" (until PR 490): on a node that is gone already it leaves a watch for its creation, which
//               never comes; the lock goes on, the watch stays at the server for as long as the connection
//   contenders  kazoo#649 (until PR 650): a reader waits for writers behind it too, which wait for it
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/zookeeper/zk_process.hpp"

namespace picklock {

enum class KazooCleanup : std::uint8_t { once, until_deleted };
constexpr auto enum_names(KazooCleanup) { return name_list("once", "until-deleted"); }

enum class KazooObject : std::uint8_t { reused, per_call };
constexpr auto enum_names(KazooObject) { return name_list("reused", "per-call"); }

enum class KazooFindNode : std::uint8_t { any_session, own_session };
constexpr auto enum_names(KazooFindNode) { return name_list("any-session", "own-session"); }

enum class KazooWatch : std::uint8_t { get, exists };
constexpr auto enum_names(KazooWatch) { return name_list("get", "exists"); }

enum class KazooContenders : std::uint8_t { lower, all };
constexpr auto enum_names(KazooContenders) { return name_list("lower", "all"); }

struct KazooLockOptions {
  Duration session = seconds(10);
  ZkReaction reaction = ZkReaction::ignores;  // disconnected is kazoo's SUSPENDED, expired its LOST
  KazooCleanup cleanup = KazooCleanup::once;
  KazooObject object = KazooObject::reused;
  KazooFindNode find_node = KazooFindNode::any_session;
  KazooWatch watch = KazooWatch::get;
  void fields(FieldVisitor& v);
};

struct KazooReadWriteOptions {
  KazooLockOptions lock;
  KazooContenders contenders = KazooContenders::lower;
  void fields(FieldVisitor& v);
};

enum class KazooRole : std::uint8_t { lock, writer, reader };

// The node that `mine` waits for: nothing if `mine` is not listed, empty if it is the first.
std::optional<std::string> kazoo_predecessor(const std::vector<std::string>& children, const std::string& mine,
                                             KazooRole role, KazooContenders contenders);

class KazooLock : public Lock {
 public:
  KazooLock(const LockContext& context, const KazooLockOptions& options)
      : KazooLock(context, options, KazooRole::lock, KazooContenders::lower) {}
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> interrupted() override;  // cancel(): CancelledError, and the clean-up after it
  Task<Outcome<>> release(Hold hold) override;
  Event* lost() override { return options_.reaction == ZkReaction::ignores ? nullptr : &holder_->lost; }

 protected:
  KazooLock(const LockContext& context, const KazooLockOptions& options, KazooRole role, KazooContenders contenders);

 private:
  enum class Inner : std::uint8_t { gotten, not_now, timed_out, again, failed };
  struct Asking {  // state of one acquire
    bool blocking = true;
    std::optional<Duration> timeout;
    ZooCode code = ZooCode::ok;
  };
  // A request that was not sent waits for a connection: it fails only with the session.
  template <class T, class Verb>
  Task<ZooOutcome<T>> ask(ZooKeeper zk, Verb verb);
  Task<ZooOutcome<ZooChildren>> list(ZooKeeper zk);
  Task<ZooOutcome<>> remove(ZooKeeper zk, std::string path);
  Inner after(Asking* a, ZooCode code) const;
  Task<Inner> inner_acquire(Asking* a);
  Task<Inner> wait_turn(Asking* a, ZooKeeper zk);
  Task<ZooCode> watch(ZooKeeper zk, std::string path);
  Task<ZooCode> ensure_path(ZooKeeper zk);
  Task<ZooCode> find_node(ZooKeeper zk);
  Task<bool> cleaned_up();
  Task<void> clean_up_until_done(ZooKeeper zk, std::string path);
  void begin_object();

  ZkProcess& process_;
  KazooLockOptions options_;
  KazooRole role_;
  KazooContenders contenders_;
  std::string path_, prefix_;
  std::string node_;        // its name
  std::int64_t czxid_ = 0;  // 0: it was found
  bool create_tried_ = false, assured_path_ = false, acquired_ = false;
  ZooKeeper zk_;  // session of the last attempt
  ZooWatcher watcher_;
  std::shared_ptr<ZkHolder> holder_;
};

class KazooReadWriteLock final : public KazooLock {
 public:
  KazooReadWriteLock(const LockContext& context, const KazooReadWriteOptions& options)
      : KazooLock(context, options.lock, context.sharing == Sharing::shared ? KazooRole::reader : KazooRole::writer,
                  options.contenders) {}
};

}  // namespace picklock
