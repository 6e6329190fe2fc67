// Curator's client: what all locks of a process share.
//
//   states     Disconnected: SUSPENDED.  Connected again: RECONNECTED.  Expired, or SUSPENDED for
//              `expiration-percent` of the negotiated timeout: LOST, and a new session is begun
//   calls      wait for a connection, then are tried, and tried again while the code is one of
//              ConnectionLoss, OperationTimeout, SessionMoved, SessionExpired, and the policy allows
//   create     protected: the name carries a uuid; a second try first looks for a child with it; if that is not there, and the
//              create fails once more, it gives back no path (`retry-loops`; a NullPointerException in the locks)
//   delete     guaranteed: what fails is tried again in the background for ever
//
// From:      Apache Curator 5.9: ConnectionStateManager, ConnectionState, RetryLoop, CreateBuilderImpl,
//            ProtectedMode, DeleteBuilderImpl, FindAndDeleteProtectedNodeInBackground,
//            CuratorMultiTransactionImpl.
//            RetryLoop.callWithRetry, ThreadLocalRetryLoop: the search's markComplete ends the loop of pathInForeground too.
// Does not:  measure waits and the time to LOST on a clock that is sure to go forward: it is the wall clock,
//            unless the option `clock` repairs that.  The LOST of its timer comes late by design: the
//            server counted from the last thing it heard.
// Left out:  resets of a handle that never gets a connection, SUSPENDED from background operations,
//            circuit breakers, ensemble tracking.  The event threads are one task, "curator-state".
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/curator/curator_options.hpp"
#include "algorithms/lock.hpp"
#include "sim/task/zookeeper.hpp"

namespace picklock {

enum class CuratorState : std::uint8_t { latent, connected, suspended, reconnected, lost };
std::string_view to_string(CuratorState state);

// A ConnectionStateListener.
class CuratorListener {
 public:
  virtual void hear(CuratorState state) = 0;

 protected:
  ~CuratorListener() = default;
};

// State of its connection that a holder hears of.
struct CuratorLoss final : CuratorListener {
  CuratorLoss(const Host& host, CuratorReaction r) : lost(host, "loss of the lock"), reaction(r) {}
  void granted(CuratorState now);  // a hold begins, in this state
  void released() { holding = false; }
  void hear(CuratorState state) override;

  Event lost;
  CuratorReaction reaction;
  bool holding = false;
};

// Result of a protected create.
struct CuratorCreated {
  CuratorCreated(ZooOutcome<ZooCreated> a, bool left) : answer(std::move(a)), left_behind(left) {}
  ZooOutcome<ZooCreated> answer;  // czxid 0: found by its uuid, its Stat is not known
  bool left_behind;               // the create failed, but may have made a node
};

// An instant of the clock by which Curator counts.
struct CuratorTime {
  std::int64_t ns = 0;
  friend Duration operator-(CuratorTime a, CuratorTime b) { return Duration{a.ns - b.ns}; }
};

class CuratorClient {
 public:
  CuratorClient(const Host& host, ZooConnector& connector, const CuratorOptions& options);
  // The client of this process, which all its locks share.  The first lock's options hold for all.
  static CuratorClient& of(const LockContext& context, const CuratorOptions& options);

  // Connects, the first time.
  void start();
  const Host& host() const { return host_; }
  const ZooKeeper& zookeeper() const { return zookeeper_; }  // the current handle
  CuratorState state() const { return state_; }
  CuratorTime now() const {
    return {options_.clock == CuratorClock::wall ? host_.wall_now().ns : host_.monotonic_now().ns};
  }
  void tell(std::weak_ptr<CuratorListener> listener) { listeners_.push_back(std::move(listener)); }
  // Deletes that go on in the background.
  std::size_t deletes_pending() const { return deletes_pending_; }

  Task<ZooOutcome<ZooChildren>> get_children(std::string path, ZooWatcher watcher = {});
  Task<ZooOutcome<ZooData>> get_data(std::string path, ZooWatcher watcher = {});
  Task<ZooOutcome<ZooStat>> exists(std::string path);
  Task<ZooOutcome<ZooStat>> set_data(std::string path, std::string data);
  // transaction().forOperations: tried again like any other call, in a new session if need be.  A request that was
  // not answered may have been done, and then the next attempt is refused for it: *in_doubt.
  Task<ZooOutcome<std::vector<ZooAnswer>>> multi(std::vector<ZooCall> parts, bool* in_doubt);
  // Missing parents become containers.  The node is parent/_c_<uuid>-name, and its number.  *prefix: gets "_c_<uuid>-" while the
  // create is under way, and is empty again once it is answered.
  Task<CuratorCreated> create_protected(std::string parent, std::string name, ZooMode mode,
                                        std::string* prefix = nullptr);
  // Searches in the background for the node of an interrupted create, and deletes it.
  void find_and_delete_in_background(std::string parent, std::string prefix);
  // Answers yes also if the node was absent.
  Task<ZooOutcome<>> remove_guaranteed(std::string path);
  // Deletes like remove_guaranteed(); the caller does not wait.
  void remove_in_background(std::string path);
  Task<Nothing> block_until_connected();
  // Asks the retry policy for the n-th time, from 0: true after a pause, or false.
  Task<bool> may_retry(std::int64_t n);

 private:
  template <class T, class Verb>
  Task<ZooOutcome<T>> retried(Verb verb, bool* in_doubt = nullptr);
  Task<ZooOutcome<>> remove_with_retries(std::string path);
  Task<Nothing> connected_at_last();
  bool given_up_connecting() const;
  struct CreateAttempt {
    std::int64_t session = 0;  // session that last tried the create
    bool again = false;
    bool searched = false;  // the search for the node came to its end
  };
  Task<CuratorCreated> create_with_prefix(std::string parent, std::string prefix, std::string name, ZooMode mode);
  Task<ZooOutcome<ZooCreated>> create_once(std::string parent, std::string prefix, std::string name, ZooMode mode,
                                           CreateAttempt* attempt);
  Task<ZooOutcome<ZooCreated>> create_with_parents(std::string parent, std::string node, ZooMode mode);
  Task<ZooOutcome<>> make_parents(std::string path);
  Task<ZooOutcome<>> find(std::string parent, std::string prefix, std::string* found);
  Task<ZooOutcome<ZooChildren>> children_once(std::string parent);
  void delete_in_background(std::string path);
  Task<void> run_delete(std::string path);
  Task<void> run_remove(std::string path);
  Task<void> run_find_and_delete(std::string parent, std::string prefix);

  Task<void> run_states();
  void connect();
  void hear(ZooState state);
  void become(CuratorState state);
  Duration timeout_to_lost() const;

  Host host_;
  ZooConnector& connector_;
  CuratorOptions options_;
  ZooKeeper zookeeper_;
  ZooWatcher watcher_;
  CuratorState state_ = CuratorState::latent;
  bool greeted_ = false;  // CONNECTED has been told
  CuratorTime suspended_since_, unconnected_since_;
  Duration negotiated_;
  Event connected_;
  std::vector<std::weak_ptr<CuratorListener>> listeners_;
  std::size_t deletes_pending_ = 0;
};

constexpr bool curator_retries(ZooCode code) {
  return code == ZooCode::connection_loss || code == ZooCode::operation_timeout || code == ZooCode::session_moved ||
         code == ZooCode::session_expired;
}

// A lock's name as a path: below the root, unless it is a path already.
std::string curator_path(std::string_view lock_name);

}  // namespace picklock
