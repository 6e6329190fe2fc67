// Curator's InterProcessMutex.
//
//   acquire  held by this thread: count, and no request.  Else create lock/_c_<uuid>-lock-<n>,
//            ephemeral and sequential, protected, below containers; then, again and again: list the
//            children, sort by what stands behind "lock-"; mine is not among them: the retry policy,
//            and a create anew; mine is first: held; else read and watch the one before me, and wait
//            for any event at all
//   timed    the time is over: delete, refused
//   release  count down; at 0 guaranteed delete
//   revoke   any client writes __REVOKE__ into the holder's node, and its listener asks it to stop
//
// From:      Apache Curator 5.9, InterProcessMutex, LockInternals, StandardLockInternalsDriver, Revoker.
// Promises:  within one session: the one whose node is lowest has it, in the order of the creates; the
//            token, the node's czxid, grows from grant to grant.
// Does not:  tell the holder that the session is gone (`reaction` is the application's), or stop one
//            that wakes after it.
// Abandoned: the node stays until the session ends, and all clients behind it wait.  An interrupted thread deletes its node
//            (guaranteed), and looks in the background for the node of a create that was not answered.
//
// Known bugs, each an option here or in CuratorOptions:
//   session-check  CURATOR-604 (open): a new session finds the node of the dying one first, and holds by it; at a
//                  server that lags even after that node has gone, and others were let in elsewhere
//                  (curator_node_of_a_dying_session, curator_lagging_follower_of_a_dying_session).
//                  "before-grant" is what LeaderLatch got (CURATOR-696, 5.7.0): the owner must be this session
//   release        CURATOR-486, CURATOR-678 (open): a delete that fails is forgotten by the thread; its
//                  next acquire queues behind its own node.  "until-deleted" is a repair
//   token = "mzxid"  a mistake of the application: a holder that is revoked before it reads its token has a larger one
//                  than the next holder
//   found-node     CURATOR-498 (until 4.1.0)
//   find-and-delete  CURATOR-45 (until 2.2), after an interrupt CURATOR-79 (until 2.6)
//   retry-loops    CURATOR-559 (since 5.0): a create that fails, finds nothing and fails again gives back null: acquire() throws a
//                  NullPointerException, and what the second create made stays until the session ends
//   background-deletes  without guaranteed(), which came with 1.0.3 of Netflix
//   clock = "wall"      a timed acquire counts by System.currentTimeMillis()
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/curator/curator_client.hpp"

namespace picklock {

enum class CuratorSessionCheck : std::uint8_t { never, before_grant };
constexpr auto enum_names(CuratorSessionCheck) { return name_list("never", "before-grant"); }

enum class CuratorRelease : std::uint8_t {
  forgets,       // the thread's hold is over, with any result of the delete
  until_deleted  // it goes on until the node is gone
};
constexpr auto enum_names(CuratorRelease) { return name_list("forgets", "until-deleted"); }

// Number that the application uses as fencing token.  Curator gives none.
enum class CuratorToken : std::uint8_t {
  czxid,  // creation zxid of the node: fixed for its life
  mzxid   // zxid of the last write to the node: a revocation is one
};
constexpr auto enum_names(CuratorToken) { return name_list("czxid", "mzxid"); }

struct CuratorMutexOptions {
  CuratorOptions client;
  CuratorSessionCheck session_check = CuratorSessionCheck::never;
  CuratorRelease release = CuratorRelease::forgets;
  bool revocable = false;  // force_release() asks the holder, and lost() tells it
  CuratorToken token = CuratorToken::czxid;
  void fields(FieldVisitor& v);
};

// Lock data of one thread: LockData.
struct CuratorLockData {
  std::string path;
  std::int64_t czxid = 0;    // 0: not known yet
  std::int64_t session = 0;  // owner of the node; 0: not known yet
  std::int64_t count = 0;
  std::int64_t mzxid = 0;  // 0: not read
};

class CuratorMutex : public Lock {
 public:
  CuratorMutex(const LockContext& context, const CuratorMutexOptions& options)
      : CuratorMutex(context, curator_path(context.name), options) {}
  CuratorMutex(const LockContext& context, std::string path, const CuratorMutexOptions& options);

  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> interrupted() override;  // internalLockLoop's finally, and the create's
  // A thread that does not hold: IllegalMonitorState.
  Task<Outcome<>> release(Hold hold) override;
  // Revoker.attemptRevoke on the first in the queue: unknown, for the holder is only asked.
  Task<Outcome<>> force_release() override;
  Event* lost() override;
  const std::string& path() const { return path_; }

 protected:
  struct Place {  // place among the sorted children
    bool listed = false;
    bool first = false;
    std::string watch;  // the one to wait for
  };
  virtual Place place(const std::vector<std::string>& sorted, const std::string& mine) const;
  virtual std::string_view lock_name() const { return "lock-"; }
  virtual Task<CuratorCreated> create();
  virtual std::string sort_key(const std::string& child) const;
  CuratorClient& client() const { return client_; }
  std::string creating_;  // prefix of the node that is being created
  // The thread's hold; locks that share it are one lock.
  std::shared_ptr<CuratorLockData> data_;

 private:
  enum class Found : std::uint8_t { held, timed_out, no_node, failed };
  struct Waiting {  // state of one waiting acquire
    CuratorTime start;
    std::optional<Duration> left;
    CuratorLockData mine;
    ZooCode code = ZooCode::ok;
    bool in_doubt = false;  // a node of this acquire may have been left behind
  };
  Acquired grant();
  Task<Acquired> attempt(std::optional<Duration> wait);
  Task<Found> loop(Waiting* w);  // LockInternals.internalLockLoop, and its finally
  Task<Found> look_and_wait(Waiting* w);
  Task<ZooCode> learn_stat(Waiting* w);
  Task<ZooCode> read_token(Waiting* w);
  Task<Nothing> remove_mine(Waiting* w);
  Task<void> run_revocation(std::string mine, ZooWatcher watcher);

  CuratorClient& client_;
  std::string path_;
  CuratorMutexOptions options_;
  std::string in_line_;  // the node of an acquire that has not been granted yet
  ZooWatcher watcher_;
  std::shared_ptr<CuratorLoss> loss_;
};

}  // namespace picklock
