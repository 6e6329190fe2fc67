// Requests and replies between a ZooKeeper client and a server, and how they are packed.
//
// Messages travel as values.  Packed bytes are of what a learner passes on, of digests and pictures; they carry what
// the protocol means, not how jute spells it.  Decoding does not trust its input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/task/zookeeper_values.hpp"

namespace picklock {

std::string_view to_string(ZooOp op);
constexpr bool is_write(ZooOp op) {
  return op == ZooOp::create || op == ZooOp::remove || op == ZooOp::set_data || op == ZooOp::multi ||
         op == ZooOp::check || op == ZooOp::create_session || op == ZooOp::close_session;
}

// xids of messages that answer no numbered request.
inline constexpr std::int32_t kZooNotificationXid = -1, kZooPingXid = -2, kZooSetWatchesXid = -8;

// A request on a connection: a verb's, or one of the client library itself.
struct ZooRequest : ZooCall {
  ZooRequest() = default;
  ZooRequest(ZooCall call) : ZooCall(std::move(call)) {}  // NOLINT: a call is a request without a number

  std::int32_t xid = 0;
  // set_watches: these watches, and the zxid up to which the client has seen everything.
  std::int64_t relative_zxid = 0;
  std::vector<std::string> data_watches, exist_watches, child_watches;
  // connect: the session, or 0 for a new one; the timeout that the client asks for; and in
  // relative_zxid the last zxid it has seen.
  std::int64_t session = 0;
  std::uint64_t password = 0;
  std::int64_t timeout_ms = 0;

  bool operator==(const ZooRequest&) const = default;
  static ZooRequest ping();
  std::string to_string() const;
};

// The answer to a request, or a notification: then `event` is set, and `path` names the node.
struct ZooReply : ZooAnswer {
  std::int32_t xid = 0;
  std::int64_t zxid = 0;  // the last transaction that the server had applied
  ZooEventType event = ZooEventType::none;
  // connect: the session, its password, and the timeout as the server grants it; 0: the session
  // has expired.
  std::int64_t session = 0;
  std::uint64_t password = 0;
  std::int64_t timeout_ms = 0;

  bool operator==(const ZooReply&) const = default;
  std::string to_string() const;
};

// Appends the packed form.
void encode(const ZooRequest& request, std::string& to);
void encode(const ZooReply& reply, std::string& to);
// False, and the value unspecified, unless `packed` is exactly one.  Reuses the value's storage.
bool decode(std::string_view packed, ZooRequest& request);
bool decode(std::string_view packed, ZooReply& reply);

// "/a/b" -> "/a", "/a" -> "/"; and the part behind the last slash.
struct ZooPathParts {
  std::string_view parent, name;
};
ZooPathParts zoo_split(std::string_view path);
inline std::string_view zoo_parent(std::string_view path) { return zoo_split(path).parent; }
inline std::string_view zoo_name(std::string_view path) { return zoo_split(path).name; }
// Agrees with PathUtils.validatePath: "/" or "/a/b", no empty parts, no "." or "..", no end in a slash.
bool zoo_path_is_valid(std::string_view path);

}  // namespace picklock
