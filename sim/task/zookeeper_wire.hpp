// The values that pass between a ZooKeeper client and a ZooKeeper server, and how they are packed.
//
// They are what the protocol means (zookeeper.jute, ZooDefs.OpCode, KeeperException.Code), not how
// jute spells it: compact bytes that a simulated message carries.  Decoding never trusts its input.
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
  runtime_inconsistency = -2,  // in a multi that failed: this part stands behind the one that did
  connection_loss = -4,        // no answer any more: it may have taken effect
  operation_timeout = -7,      // no answer in time: likewise
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
  check = 13,  // in a multi only
  multi = 14,
  set_watches = 101,
  connect = 110,         // a client's first request on a connection
  create_session = 246,  // -10: made by the server from a connect
  close_session = 245    // -11
};
std::string_view to_string(ZooOp op);
constexpr bool is_write(ZooOp op) {
  return op == ZooOp::create || op == ZooOp::remove || op == ZooOp::set_data || op == ZooOp::multi ||
         op == ZooOp::check || op == ZooOp::create_session || op == ZooOp::close_session;
}

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
  std::int64_t czxid = 0;            // of the transaction that created it
  std::int64_t mzxid = 0;            // … that last set its data
  std::int64_t pzxid = 0;            // … that last created or deleted a child
  std::int32_t version = 0;          // how often its data was set
  std::int32_t cversion = 0;         // how often children came and went
  std::int64_t ephemeral_owner = 0;  // session; 0: not ephemeral
  std::int32_t data_length = 0;
  std::int32_t children = 0;
  bool operator==(const ZooStat&) const = default;
};

inline constexpr std::int32_t kZooAnyVersion = -1;
// xids of what is no answer to a numbered request.
inline constexpr std::int32_t kZooNotificationXid = -1, kZooPingXid = -2, kZooSetWatchesXid = -8;

struct ZooRequest {
  ZooOp op = ZooOp::none;
  std::int32_t xid = 0;
  std::string path;
  std::string data;                       // of create and set_data
  ZooMode mode = ZooMode::persistent;     // of create
  std::int32_t version = kZooAnyVersion;  // of remove, set_data, check
  bool watch = false;                     // of exists, get_data, get_children
  std::vector<ZooRequest> parts;          // of multi: create, remove, set_data, check
  // Of set_watches, with the zxid up to which the client has seen everything.
  std::int64_t relative_zxid = 0;
  std::vector<std::string> data_watches, exist_watches, child_watches;
  // Of connect: the session, or 0 for a new one; the timeout that the client asks for; and in
  // relative_zxid the last zxid it has seen.
  std::int64_t session = 0;
  std::uint64_t password = 0;
  std::int64_t timeout_ms = 0;

  bool operator==(const ZooRequest&) const = default;
  static ZooRequest ping();
  std::string to_string() const;
};

enum class ZooEventType : std::uint8_t { none, created, deleted, data_changed, children_changed };
std::string_view to_string(ZooEventType type);

struct ZooReply {
  std::int32_t xid = 0;
  std::int64_t zxid = 0;  // the last transaction that the server had applied
  ZooCode code = ZooCode::ok;
  ZooStat stat;
  std::string path;                         // of create: the node's; of a notification: its path
  std::string data;                         // of get_data
  std::vector<std::string> children;        // of get_children, in no order: the names without the path
  std::vector<ZooReply> parts;              // of multi, one for each part, of failed ones too
  ZooEventType event = ZooEventType::none;  // of a notification
  // Of connect: the session, its password, and the timeout as the server grants it; 0: the session
  // has expired.
  std::int64_t session = 0;
  std::uint64_t password = 0;
  std::int64_t timeout_ms = 0;

  bool operator==(const ZooReply&) const = default;
  std::string to_string() const;
};

// What a packed request begins with; `none` of what is no request.
ZooOp zoo_op(std::string_view packed);

// Appends the packed form.
void encode(const ZooRequest& request, std::string& to);
void encode(const ZooReply& reply, std::string& to);
// False, and the value unspecified, unless `packed` is exactly one.  Reuses the value's storage.
bool decode(std::string_view packed, ZooRequest& request);
bool decode(std::string_view packed, ZooReply& reply);

// "/a/b" -> "/a", "/a" -> "/"; and the part behind the last slash.
std::string_view zoo_parent(std::string_view path);
std::string_view zoo_name(std::string_view path);
// As PathUtils.validatePath: "/" or "/a/b", no empty parts, no "." or "..", no end in a slash.
bool zoo_path_is_valid(std::string_view path);

}  // namespace picklock
