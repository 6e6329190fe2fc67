// go-zookeeper's Lock.
//
//   Lock     protected create of lock-<n> (parents are made); then, again and again: list; no node has a
//            lower number: held; else GetW on the next lower, and wait for its event
//   Unlock   Delete
//
// From:      go-zookeeper/zk (before: samuel/go-zookeeper), lock.go.
// Promises:  within one session: the one whose node is lowest has it, in the order of the creates.
// Does not:  tell its holder that the session is gone; bound a wait; nest (ErrDeadlock); share its path
//            with anything else (NewLock says so); sort numbers right once the counter has overflowed.
// Abandoned: Lock() has no context: a caller that gives up leaves its goroutine behind, which takes the lock one
//            day for no caller.  Until then the object answers ErrDeadlock, and afterwards too.
//
// Known bugs, each an option:
//   orphan       samuel/go-zookeeper#229 (PR 237, open): an error after the create leaves the node, and its
//                path is forgotten: the next Lock() queues behind it for as long as the session lives
//   node-check   "no node has a lower number" is also true when the own node is gone: held, with no node
//   guid-search  the node of the former session is taken for its own (go_zookeeper_conn.hpp)
//   unlock       an Unlock() that finds no node keeps the path: every later Lock() is ErrDeadlock
//   parse        a child whose name has no number is an error, so one strange node under the lock's path
//                fails every Lock() for as long as it is there.  Once the counter has overflowed, the newest
//                are lowest; "behind-lock": the next one finds no node lower above -1, GetW of
//                no node is an error; "behind-dash": the numbers begin to fall, and meet those of the oldest
#pragma once

#include <memory>
#include <vector>

#include "algorithms/go_channel.hpp"
#include "algorithms/zookeeper/go_zookeeper_conn.hpp"

namespace picklock {

enum class GoZkOrphan : std::uint8_t { left, deleted };
constexpr auto enum_names(GoZkOrphan) { return name_list("left", "deleted"); }

enum class GoZkNodeCheck : std::uint8_t { never, listed };
constexpr auto enum_names(GoZkNodeCheck) { return name_list("never", "listed"); }

enum class GoZkUnlock : std::uint8_t { keeps_path, clears_path };
constexpr auto enum_names(GoZkUnlock) { return name_list("keeps-path", "clears-path"); }

struct GoZookeeperLockOptions {
  Duration session = seconds(10);
  ZkReaction reaction = ZkReaction::ignores;
  GoZkOrphan orphan = GoZkOrphan::left;
  GoZkNodeCheck node_check = GoZkNodeCheck::never;
  GoZkGuidSearch guid_search = GoZkGuidSearch::any_session;
  GoZkUnlock unlock = GoZkUnlock::keeps_path;
  GoZkParse parse = GoZkParse::behind_lock;
  void fields(FieldVisitor& v);
};

// Place of the lowest node in a list of children.
struct GoZkPlace {
  bool parsed = true;  // every child's name ends in a number
  bool listed = false;
  bool lowest = false;
  std::string before;  // the next lower one that is not negative; none: empty
};
GoZkPlace go_zk_place(const std::vector<std::string>& children, std::int64_t mine, const std::string& my_name,
                      GoZkParse parse = GoZkParse::behind_dash);

// One zk.Lock: what the library gives to Go.
class GoZkMutex {
 public:
  GoZkMutex(GoZkConn& conn, std::string path, const GoZookeeperLockOptions& options)
      : conn_(conn), path_(std::move(path)), options_(options) {}
  const Host& host() const { return conn_.host(); }

  // none: held.  `deadlock`: ErrDeadlock.  `in_doubt`: it failed, and may have left a node.
  struct Result {
    Result(GoZkError e, bool d, bool doubt) : error(e), deadlock(d), in_doubt(doubt) {}
    GoZkError error;
    bool deadlock;
    bool in_doubt;
  };
  Task<Result> lock();
  Task<Result> unlock();
  const GoZkNode& node() const { return node_; }

 private:
  Task<GoZkError> wait_turn(GoZkNode mine);

  GoZkConn& conn_;
  std::string path_;
  GoZookeeperLockOptions options_;
  bool locking_ = false;
  GoZkNode node_;  // lockPath
};

class GoZookeeperLock final : public Lock {
 public:
  GoZookeeperLock(const LockContext& context, const GoZookeeperLockOptions& options);
  // A patience that ends is a select with time.After beside a goroutine that goes on.
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Event* lost() override { return options_.reaction == ZkReaction::ignores ? nullptr : &holder_->lost; }

 private:
  using Told = std::shared_ptr<GoChannel<GoZkMutex::Result>>;
  Task<void> run_lock(Told told);

  GoZkConn& conn_;
  GoZookeeperLockOptions options_;
  GoZkMutex mutex_;
  std::shared_ptr<ZkHolder> holder_;
};

}  // namespace picklock
