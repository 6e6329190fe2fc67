// A published Go lock whose Lock() gives back a channel: go-zookeeper's lock, opened up.
//
//   Lock       go-zookeeper's lock on "/lock"; lockpath set: false; else protected create of lock-<n>,
//              and the goroutine `watchLock`; any error sends false
//   watchLock  list; no lower node: sends true, then notes lockpath; else GetW, and waits for its event or
//              for `stop`
//   UnLock     sends on `stop`; no lockpath: returns; else Delete
//
// From:      a published comparison of Redis, etcd and ZooKeeper locks in Go; go-zookeeper, lock.go.
// Promises:  what go-zookeeper's lock does.
// Does not:  tell its holder that the session is gone, check that its own node is still there, nest.
// Abandoned: `watchLock` waits on, and takes the lock one day without a holder.
//
// The defaults are what it was meant to be.  preset = "as-published" is the listing as it stands; it does not show
// how `get` is made, and a plain make(chan bool) has no room.  Bugs of the code as written, each an option and a test:
//   library-lock = true       "/lock" is locked first and never unlocked: the second Lock() of all
//                             processes waits for ever
//   get = "unbuffered"        every error sends false inside Lock(), which then waits for itself
//   get = "buffered"          what an abandoned Lock() was sent is received by the next one
//   stop = "sent-always"      after a grant no goroutine reads `stop`: UnLock() never comes to the Delete
//   path = "after-grant"      UnLock() may come before lockpath is noted: it deletes nothing, and the
//                             node stays for as long as the session lives
//   parse-error = "goes-on"   false is sent for every strange child, and the wait goes on: the strange
//                             child counts as number 0 and is waited for
//   orphan = "left"           an error or a stop after the create leaves the node
//   unlock = "keeps-path"     lockpath is never cleared: the object locks once
#pragma once

#include "algorithms/preset.hpp"
#include "algorithms/zookeeper/go_zookeeper_lock.hpp"

namespace picklock {

enum class GoZkStop : std::uint8_t { while_waiting, sent_always };
constexpr auto enum_names(GoZkStop) { return name_list("while-waiting", "sent-always"); }

// Time at which the path that UnLock() deletes is noted.
enum class GoZkPath : std::uint8_t { before_grant, after_grant };
constexpr auto enum_names(GoZkPath) { return name_list("before-grant", "after-grant"); }

enum class GoZkParseError : std::uint8_t { ends, goes_on };
constexpr auto enum_names(GoZkParseError) { return name_list("ends", "goes-on"); }

struct GoZookeeperChannelLockOptions {
  ArticlePreset preset = ArticlePreset::as_meant;
  Duration session = seconds(10);
  ZkReaction reaction = ZkReaction::ignores;
  bool library_lock = false;
  GoGet get = GoGet::per_call;
  GoZkStop stop = GoZkStop::while_waiting;
  GoZkPath path = GoZkPath::before_grant;
  GoZkParseError parse_error = GoZkParseError::ends;
  GoZkOrphan orphan = GoZkOrphan::deleted;
  GoZkUnlock unlock = GoZkUnlock::clears_path;
  GoZkGuidSearch guid_search = GoZkGuidSearch::any_session;
  static GoZookeeperChannelLockOptions of(ArticlePreset preset);
  void fields(FieldVisitor& v);
};

class GoZookeeperChannelLock final : public Lock {
 public:
  GoZookeeperChannelLock(const LockContext& context, const GoZookeeperChannelLockOptions& options);
  // A patience that ends is a select with time.After beside the channel: `watchLock` goes on.
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Event* lost() override { return options_.reaction == ZkReaction::ignores ? nullptr : &holder_->lost; }

 private:
  using Get = GoAnswers::Channel;
  Task<Nothing> begin(Get get);
  Task<void> watch_lock(Get get, GoZkNode mine);
  Task<Nothing> stopped_or_failed(Get get, std::string mine, bool tell);

  GoZkConn& conn_;
  GoZookeeperChannelLockOptions options_;
  std::string path_;
  GoAnswers answers_;
  GoChannel<bool> stop_;
  std::int64_t waiting_ = 0;  // goroutines that listen to `stop`
  GoZkNode granted_;          // node granted last; its path is lockpath once that is noted
  std::string lock_path_;
  bool in_doubt_ = false;
  std::shared_ptr<ZkHolder> holder_;
};

}  // namespace picklock
