// The simplest ZooKeeper lock: one ephemeral node, which all clients try to create and all watch.
//
//   acquire   create(path, guid, ephemeral)
//             NodeExists: exists(path, watch); gone already: create again; else wait for the event: create again
//   release   delete(path)
//
// From:      ZooKeeper Recipes and Solutions, "Locks", which warns of the herd effect; Hunt and others,
//            ZooKeeper, USENIX ATC 2010, section 2.4, "Simple Locks".
// Promises:  one owner at a time among the sessions that live; a dead holder's lock is free once its
//            session has expired.
// Does not:  grant in order, or spare waiters: each release wakes all of them, all but one of whom
//            fail and watch again.  Stop a holder whose session has expired without its knowledge.
// Abandoned: a waiter leaves nothing; a create whose answer was not awaited holds until the session ends.
//
// Mistakes that are made with it, each an option and a test:
//   guid = false     an answer that is lost is not recognised: NodeExists, and it waits for itself
//   gap = "waits"    a watch fires once, and tells nothing of what happened before it was left: a client that ignores
//                    the answer of exists() waits for an event that has passed (zookeeper_one_shot_watch)
#pragma once

#include "algorithms/zookeeper/zk_process.hpp"

namespace picklock {

// Reaction of a waiter whose watch was left after the node had gone.
enum class ZkGap : std::uint8_t { looks, waits };
constexpr auto enum_names(ZkGap) { return name_list("looks", "waits"); }

struct ZookeeperHerdOptions {
  Duration session = seconds(10);  // session asked for; a server grants 2 to 20 of its ticks
  ZkReaction reaction = ZkReaction::ignores;
  bool guid = true;
  ZkGap gap = ZkGap::looks;
  void fields(FieldVisitor& v);
};

class ZookeeperHerdLock final : public Lock {
 public:
  ZookeeperHerdLock(const LockContext& context, const ZookeeperHerdOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Task<Outcome<>> force_release() override;
  Event* lost() override { return options_.reaction == ZkReaction::ignores ? nullptr : &holder_->lost; }

 private:
  Task<ZooOutcome<ZooStat>> take(ZooKeeper zk, std::string guid, bool again);

  ZkProcess& process_;
  ZookeeperHerdOptions options_;
  std::string path_;
  std::shared_ptr<ZkHolder> holder_;
  ZooWatcher watcher_;
  ZooKeeper zk_;  // session of the hold
};

}  // namespace picklock
