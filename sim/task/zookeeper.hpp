// The client of ZooKeeper, as a lock uses it: a handle, its session, verbs, watches.
//
//   const ZooKeeper zk = connector.connect(seconds(6), watcher);
//   const auto mine = co_await zk.create("/lock/n-", "", ZooMode::ephemeral_sequential);
//   const auto found = co_await zk.exists(before, watcher);
//   const ZooEvent event = co_await watcher.next();
//
// A handle has one session.  It looks for a server by itself, again and again; in the meantime verbs
// wait, and when a connection ends all that wait fail with ConnectionLoss.  Once the session has
// expired the handle is dead for good: connect() anew.  All threads of a process may share a handle;
// its requests are sent, executed and answered in the order in which they were made.
//
// Verbs answer yes, refused (no effect: the code says why), or unknown: ConnectionLoss after it was
// sent.  A request that was not sent fails with ConnectionLoss too, and counts as refused.
//
// The seam is that of the C client (zookeeper.h): zoo_acreate and its kin with a completion,
// zoo_aw* with a watcher and a context, state events to every watcher.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/task/combinators.hpp"
#include "sim/task/host.hpp"
#include "sim/task/outcome.hpp"
#include "sim/task/zookeeper_values.hpp"

namespace picklock {

// The state of the session, as the client library knows it.  `expired` and `closed` are final.
enum class ZooState : std::uint8_t { disconnected, connected, expired, closed };
std::string_view to_string(ZooState state);

// An event tells a watcher of a change to a node (one-shot: the watch is gone) or, with type none, of a new
// state of the session (the watch stays).
struct ZooEvent {
  ZooEventType type = ZooEventType::none;
  ZooState state = ZooState::connected;
  std::string path;
  bool operator==(const ZooEvent&) const = default;
};

// A watcher receives events; a task takes them in their order.  It is a cheap value, and its copies are one
// watcher.  A registered watcher stays registered when the last copy outside is gone.
class ZooWatcher {
 public:
  ZooWatcher() = default;  // none
  explicit ZooWatcher(const Host& host, const char* name = "a watch event")
      : queue_(std::make_shared<Queue>(host, name)) {}
  explicit operator bool() const { return queue_ != nullptr; }
  bool operator==(const ZooWatcher&) const = default;

  bool empty() const { return queue_->events.empty(); }
  std::optional<ZooEvent> take() const;               // the next event, if there is one
  void forget() const;                                // drops all events so far
  Event& arrived() const { return queue_->arrived; }  // set while there are events
  // Waits for the next event and takes it.
  Task<ZooEvent> next() const { return next_of(queue_->host, *this); }

  void push(ZooEvent event) const;  // the library behind the verbs pushes

 private:
  struct Queue {
    Queue(const Host& h, const char* name) : host(h), arrived(h, name) {}
    Host host;
    std::deque<ZooEvent> events;
    Event arrived;
  };
  static Task<ZooEvent> next_of(Host host, ZooWatcher watcher);
  std::shared_ptr<Queue> queue_;
};

template <class T = Nothing>
class [[nodiscard]] ZooOutcome : public Outcome<T> {
 public:
  static ZooOutcome of(T value) { return {Outcome<T>::of(std::move(value)), ZooCode::ok}; }
  static ZooOutcome failed(ZooCode code, bool sent) {
    if (code == ZooCode::operation_timeout) return {Outcome<T>::unknown_because(Why::timed_out), code};
    const bool server_said_so = code != ZooCode::connection_loss;
    if (server_said_so) return {Outcome<T>::refusal(Why::error, std::string(to_string(code))), code};
    return {sent ? Outcome<T>::unknown_because(Why::disconnected) : Outcome<T>::refusal(Why::not_connected), code};
  }
  // The request was under way when the library itself declared the session expired.
  static ZooOutcome expired_under_way() {
    return {Outcome<T>::unknown_because(Why::disconnected), ZooCode::session_expired};
  }
  ZooCode code() const { return code_; }
  bool is(ZooCode code) const { return code_ == code; }

 private:
  ZooOutcome(Outcome<T> outcome, ZooCode code) : Outcome<T>(std::move(outcome)), code_(code) {}
  ZooCode code_;
};

struct ZooCreated {
  std::string path;  // the path with its number, if it is sequential
  ZooStat stat;
};
struct ZooData {
  std::string data;
  ZooStat stat;
};
struct ZooChildren {
  std::vector<std::string> names;  // names without the path, in no order
  ZooStat stat;                    // stat of the parent
};

// One request and its answer; lives inside the coroutine that sends it, beside the request.
struct ZooExchange {
  explicit ZooExchange(ZooCall& call) : request(call) {}

  ZooCall& request;    // the library's to take
  ZooAnswer reply;     // its code alone, if no server answered
  ZooWatcher watcher;  // registered once the answer says so
  std::coroutine_handle<> waiter;
  WaitId wait = 0;
  bool sent = false;      // a server may have seen it
  bool answered = false;  // the code is a server's
};

// The library behind a handle: the simulated one, or one day the real one.
class ZooHandle {
 public:
  virtual const Host& host() const = 0;
  // Resumes `exchange.waiter` once it has ended.
  virtual void submit(ZooExchange& exchange) = 0;
  virtual void withdraw(ZooExchange& exchange) noexcept = 0;
  virtual ZooState state() const = 0;
  virtual std::int64_t session() const = 0;  // 0: none yet
  virtual Duration timeout() const = 0;      // the negotiated timeout; zero before that
  // Takes this watcher out of all watches; the server is not told.
  virtual void forget(const ZooWatcher& watcher) = 0;
  // The handle is `expired` from here on: every watcher is told, waiting requests fail with SessionExpired
  // (expired_under_way, if it was sent), the connection is dropped.  No server is told: the session, if
  // it lives, lives on until it times out there (Java's Testable.injectSessionExpiration; of the C
  // client: zookeeper_close of a handle that is not connected).
  virtual void inject_expiration() = 0;

 protected:
  ~ZooHandle() = default;
};

// The preemption points around a request of this kind.
Mark mark_of(ZooOp op);

class ZooKeeper {
 public:
  ZooKeeper() = default;  // none
  explicit ZooKeeper(ZooHandle& handle) : handle_(&handle) {}
  explicit operator bool() const { return handle_ != nullptr; }
  bool operator==(const ZooKeeper&) const = default;

  // Value: the path as it became, and its Stat as of create2.
  Task<ZooOutcome<ZooCreated>> create(std::string path, std::string data = {},
                                      ZooMode mode = ZooMode::persistent) const;
  Task<ZooOutcome<>> remove(std::string path, std::int32_t version = kZooAnyVersion) const;
  // A watch on a node that is not there waits for its creation.  Refused: NoNode.
  Task<ZooOutcome<ZooStat>> exists(std::string path, ZooWatcher watcher = {}) const;
  // These leave a watch only if the node is there.
  Task<ZooOutcome<ZooData>> get_data(std::string path, ZooWatcher watcher = {}) const;
  Task<ZooOutcome<ZooChildren>> get_children(std::string path, ZooWatcher watcher = {}) const;
  Task<ZooOutcome<ZooStat>> set_data(std::string path, std::string data, std::int32_t version = kZooAnyVersion) const;
  // All parts or none.  Value: one reply for each; refused: the code of the first that failed.
  Task<ZooOutcome<std::vector<ZooAnswer>>> multi(std::vector<ZooCall> parts) const;
  // Reads that follow see all that was committed when the leader got this.
  Task<ZooOutcome<>> sync(std::string path) const;
  // Ends the session and deletes its ephemerals; the handle is `closed` from here on.
  Task<ZooOutcome<>> close() const;

  ZooState state() const { return handle_->state(); }
  bool connected() const { return state() == ZooState::connected; }
  bool alive() const { return state() == ZooState::connected || state() == ZooState::disconnected; }
  std::int64_t session() const { return handle_->session(); }
  Duration timeout() const { return handle_->timeout(); }
  void forget(const ZooWatcher& watcher) const { handle_->forget(watcher); }
  void inject_expiration() const { handle_->inject_expiration(); }
  const Host& host() const { return handle_->host(); }

  // Parts of a multi.
  static ZooCall create_part(std::string path, std::string data = {}, ZooMode mode = ZooMode::persistent);
  static ZooCall remove_part(std::string path, std::int32_t version = kZooAnyVersion);
  static ZooCall set_data_part(std::string path, std::string data, std::int32_t version = kZooAnyVersion);
  static ZooCall check_part(std::string path, std::int32_t version);

 private:
  ZooHandle* handle_ = nullptr;
};

// Makes handles; one for each process.  They live as long as the process.
class ZooConnector {
 public:
  // Returns at once; `watcher` is told the states.  The server may grant another timeout.
  virtual ZooKeeper connect(Duration timeout, ZooWatcher watcher) = 0;

 protected:
  ~ZooConnector() = default;
};

}  // namespace picklock
