// go-zookeeper's Conn, as far as locks use it: one for all goroutines of a process.
//
//   requests   wait for a connection; end with ErrConnectionClosed when the one they were sent on does,
//              with ErrNoServer if no server was there to send them to
//   expiry     the Conn goes on with a new session; watches end with ErrSessionExpired, and with no
//              other change of state
//   protected create   _c_<32 hex>-name; after ErrConnectionClosed a child with that guid is looked for,
//              after ErrSessionExpired not; three tries
//
// From:      go-zookeeper/zk, conn.go.
// Does not:  ask whose session a node with its guid belongs to (`guid-search`).  That is safe as long as only a
//            server ends a session: a session which begins after the close of another has seen it applied.
//            A library that gives a session up by itself (ZooExpiry::by_itself) finds a node that is about to go.
// Left out:  lists of another length: a round is three attempts to connect.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/zookeeper/zk_process.hpp"

namespace picklock {

enum class GoZkError : std::uint8_t {
  none,
  connection_closed,  // the request was sent, and may have taken effect
  no_server,          // the request was not sent
  session_expired,
  no_node,
  node_exists,
  invalid_path,  // error of the library, before anything is sent
  other
};

// Node that a repeated protected create returns.
enum class GoZkGuidSearch : std::uint8_t { any_session, own_session };
constexpr auto enum_names(GoZkGuidSearch) { return name_list("any-session", "own-session"); }

// Begin of a child's number.  A counter that has overflowed gives "lock--2147483648":
enum class GoZkParse : std::uint8_t {
  behind_lock,  // kazoo's "__" counts, too (go-zookeeper/zk since 1.0.3): a negative number, newest first
  behind_dash   // the number begins behind the last dash (samuel/go-zookeeper, older go-zookeeper/zk): the sign is lost
};
constexpr auto enum_names(GoZkParse) { return name_list("behind-lock", "behind-dash"); }

struct GoZkNode {
  std::string path;          // empty: none
  std::int64_t czxid = 0;    // 0: it was found, not created
  bool left_behind = false;  // none, as far as is known: one may be there
};

class GoZkConn {
 public:
  GoZkConn(const Host& host, ZooConnector& connector, Duration session);
  static GoZkConn& of(const LockContext& context, Duration session);

  const Host& host() const { return host_; }
  std::int64_t session() const { return zk_ ? zk_.session() : 0; }
  void tell(std::weak_ptr<ZkHolder> holder) { holders_.push_back(std::move(holder)); }
  // A hold begins, by this node: what its holder may know of it, and of the connection.
  Task<Acquired> granted(GoZkNode mine, std::shared_ptr<ZkHolder> holder);

  Task<GoZkError> children(std::string path, std::vector<std::string>* names);
  Task<GoZkError> exists(std::string path, ZooStat* stat);
  Task<GoZkError> get_w(std::string path, ZooWatcher watcher);
  Task<GoZkError> create(std::string path, ZooMode mode, GoZkNode* node);
  Task<GoZkError> remove(std::string path);
  // CreateProtectedEphemeralSequential(parent/name).
  Task<GoZkError> create_protected(std::string parent, std::string name, GoZkGuidSearch search, GoZkNode* node);
  // create_protected, and the missing parents before it: what Lock does before it waits.
  Task<GoZkError> create_with_parents(std::string parent, std::string name, GoZkGuidSearch search, GoZkNode* node);
  // An event of the node itself: none.  The session's end: session_expired.
  static Task<GoZkError> watch_event(Host host, ZooWatcher watcher);

 private:
  void connect();
  Task<void> listen();
  template <class T, class Verb>
  Task<ZooOutcome<T>> ask(Verb verb);
  Task<GoZkError> find(std::string parent, std::string guid, GoZkGuidSearch search, GoZkNode* node);
  template <class T>
  static GoZkError error_of(const ZooOutcome<T>& answer);

  Host host_;
  ZooConnector& connector_;
  Duration session_;
  ZooKeeper zk_;
  ZooWatcher watcher_;
  std::vector<std::weak_ptr<ZkHolder>> holders_;
};

std::string_view to_string(GoZkError error);  // "zk: connection closed"
// Answer of an unlock whose Delete ended so.
Outcome<> go_zk_released(GoZkError removed);
// Number that Lock reads from a child's name, strconv.Atoi of its end; nothing: an error.
std::optional<std::int64_t> go_zk_sequence(std::string_view name, GoZkParse parse = GoZkParse::behind_dash);

}  // namespace picklock
