// Requests and answers of ZooKeeper, as values.  They carry what the protocol means (zookeeper.jute,
// ZooDefs.OpCode, KeeperException.Code); the transport decides how they are written as bytes.
//
// Left out: ACLs and authentication (everything is world-writable), ctime and mtime (no lock reads
// them), TTL nodes, persistent and recursive watches, local sessions, read-only mode.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace picklock {

// KeeperException.Code, by its numbers.
enum class ZooCode : std::int16_t {
  ok = 0,
  runtime_inconsistency = -2,  // multi: an earlier part has failed
  connection_loss = -4,        // no answer any more: it may have taken effect
  operation_timeout = -7,      // no answer in time: it may have taken effect
  bad_arguments = -8,
  no_node = -101,
  bad_version = -103,
  no_children_for_ephemerals = -108,
  node_exists = -110,
  not_empty = -111,
  session_expired = -112,
  session_moved = -118  // a write on a connection that is not the session's owner any more
};
std::string_view to_string(ZooCode code);  // "NoNode"

// The numbers of ZooDefs.OpCode, as far as they fit.
enum class ZooOp : std::uint8_t {
  none = 0,
  create = 1,  // answers with path and Stat (create2, createContainer)
  remove = 2,  // "delete"
  exists = 3,
  get_data = 4,
  set_data = 5,
  get_children = 8,  // answers with the parent's Stat too (getChildren2)
  sync = 9,
  ping = 11,
  check = 13,  // part of a multi only
  multi = 14,
  set_watches = 101,
  connect = 110,         // a client's first request on a connection
  create_session = 246,  // -10: made by the server from a connect
  close_session = 245    // -11
};

// CreateMode.  The numbers are its flags.
enum class ZooMode : std::uint8_t {
  persistent = 0,
  ephemeral = 1,
  persistent_sequential = 2,
  ephemeral_sequential = 3,
  container = 4
};
constexpr bool is_ephemeral(ZooMode m) { return m == ZooMode::ephemeral || m == ZooMode::ephemeral_sequential; }
constexpr bool is_sequential(ZooMode m) {
  return m == ZooMode::persistent_sequential || m == ZooMode::ephemeral_sequential;
}

struct ZooStat {
  std::int64_t czxid = 0;            // the transaction that created it
  std::int64_t mzxid = 0;            // the one that last set its data
  std::int64_t pzxid = 0;            // the one that last created or deleted a child
  std::int32_t version = 0;          // number of writes of its data
  std::int32_t cversion = 0;         // number of arrivals and departures of children
  std::int64_t ephemeral_owner = 0;  // session; 0: not ephemeral
  std::int32_t data_length = 0;
  std::int32_t children = 0;
  bool operator==(const ZooStat&) const = default;
};

inline constexpr std::int32_t kZooAnyVersion = -1;
enum class ZooEventType : std::uint8_t { none, created, deleted, data_changed, children_changed };
std::string_view to_string(ZooEventType type);

// One request of a verb.
struct ZooCall {
  ZooOp op = ZooOp::none;
  std::string path;
  std::string data;                       // create, set_data
  ZooMode mode = ZooMode::persistent;     // create
  std::int32_t version = kZooAnyVersion;  // remove, set_data, check
  bool watch = false;                     // exists, get_data, get_children
  std::vector<ZooCall> parts;             // multi: create, remove, set_data, check
  bool operator==(const ZooCall&) const = default;
};

// The answer of a server to a call.
struct ZooAnswer {
  ZooCode code = ZooCode::ok;
  ZooStat stat;
  std::string path;                   // create: the path of the node
  std::string data;                   // get_data
  std::vector<std::string> children;  // get_children, unordered: names without the path
  std::vector<ZooAnswer> parts;       // multi: one for each part, failed ones included
  bool operator==(const ZooAnswer&) const = default;
};

}  // namespace picklock
