// Requests, replies and events of etcd, as values.  They carry what etcd's RPCs mean; the transport decides how
// they are written as bytes.
//
// From:     etcd's api/etcdserverpb/rpc.proto and api/v3rpc/rpctypes/error.go (3.4 to 3.6).
// Left out: transactions within transactions, ignore_value and ignore_lease, progress_notify's fragments,
//           authentication, maintenance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.hpp"

namespace picklock {

using EtcdRevision = std::int64_t;  // counts the store's writing transactions; 0: none
using EtcdLeaseId = std::int64_t;   // 0: none

enum class EtcdError : std::uint8_t {
  none,
  lease_not_found,
  lease_exists,
  lease_ttl_too_large,
  compacted,
  future_revision,
  duplicate_key,
  too_many_ops,
  empty_key,
  no_leader,
  not_leader,
  leader_changed,
  stopped,
  timeout,
  timeout_leader_failure,
  timeout_connection_lost,
  too_many_requests,
  lock_session_expired,  // error of the lock service
  malformed,
  count_
};
std::string_view to_string(EtcdError e);  // etcd's own words; empty for none
// The request may have taken effect, or may yet.
bool leaves_unknown(EtcdError e);
struct EtcdKeyValue {
  std::string key, value;
  EtcdRevision create_revision = 0, mod_revision = 0;
  std::int64_t version = 0;  // 1 when it is created; 0: there is no such key
  EtcdLeaseId lease = 0;
  bool operator==(const EtcdKeyValue&) const = default;
};

// [key, end) by bytes.  An empty end: the one key; "\0": all from the key on.
struct EtcdInterval {
  std::string key, end;
  bool operator==(const EtcdInterval&) const = default;
  bool contains(std::string_view k) const { return k >= key && ends_after(k); }
  bool ends_after(std::string_view k) const {  // k must not be before `key`
    if (end.empty()) return k == key;
    return k < end || end == std::string_view("", 1);
  }
};
inline const std::string kEtcdNoEnd = std::string(1, '\0');
EtcdInterval etcd_prefix(std::string prefix);  // all keys that begin with it

// --- requests.  Types that a verb takes are no aggregates: g++ 12 destroys temporaries of those twice
// in a co_await expression.

enum class EtcdSort : std::uint8_t { key, version, create, mod, value };

struct EtcdRange {
  EtcdRange() = default;
  explicit EtcdRange(std::string key) : keys{std::move(key), {}} {}
  explicit EtcdRange(EtcdInterval k) : keys(std::move(k)) {}
  // clientv3's WithFirstCreate, WithLastCreate: the one created first, or last.
  EtcdRange& first_created() { return sort = EtcdSort::create, limit = 1, *this; }
  EtcdRange& last_created() { return sort = EtcdSort::create, descending = true, limit = 1, *this; }

  EtcdInterval keys;
  EtcdRevision revision = 0;                                              // revision to read at; 0: the current one
  std::int64_t limit = 0;                                                 // 0: all
  EtcdRevision min_create = 0, max_create = 0, min_mod = 0, max_mod = 0;  // 0: any
  EtcdSort sort = EtcdSort::key;
  bool descending = false, serializable = false, keys_only = false, count_only = false;
  bool operator==(const EtcdRange&) const = default;
};
struct EtcdPut {
  EtcdPut() = default;
  EtcdPut(std::string k, std::string v, EtcdLeaseId l = 0) : key(std::move(k)), value(std::move(v)), lease(l) {}
  std::string key, value;
  EtcdLeaseId lease = 0;
  bool previous = false;  // tell the value before
  bool operator==(const EtcdPut&) const = default;
};
struct EtcdDelete {
  EtcdDelete() = default;
  explicit EtcdDelete(std::string key) : keys{std::move(key), {}} {}
  explicit EtcdDelete(EtcdInterval k) : keys(std::move(k)) {}
  EtcdInterval keys;
  bool previous = false;
  bool operator==(const EtcdDelete&) const = default;
};
using EtcdOp = std::variant<EtcdRange, EtcdPut, EtcdDelete>;

enum class EtcdTarget : std::uint8_t { version, create, mod, value, lease };
enum class EtcdRelation : std::uint8_t { equal, greater, less, not_equal };
struct EtcdCompare {
  EtcdCompare() = default;
  EtcdCompare(std::string key, EtcdTarget t, EtcdRelation r, std::int64_t n)
      : keys{std::move(key), {}}, target(t), relation(r), number(n) {}
  EtcdCompare(std::string key, EtcdRelation r, std::string v)
      : keys{std::move(key), {}}, target(EtcdTarget::value), relation(r), value(std::move(v)) {}
  EtcdInterval keys;  // all of them must agree; of none, all numbers are 0 and no value equals anything
  EtcdTarget target = EtcdTarget::version;
  EtcdRelation relation = EtcdRelation::equal;
  std::int64_t number = 0;
  std::string value;
  bool operator==(const EtcdCompare&) const = default;
};
EtcdCompare etcd_absent(std::string key);                           // its create revision is 0
EtcdCompare etcd_created_at(std::string key, EtcdRevision create);  // it is still the same key
struct EtcdTxn {
  EtcdTxn() = default;
  std::vector<EtcdCompare> compares;
  std::vector<EtcdOp> then, otherwise;
  bool writes() const;  // true if either branch writes
  bool operator==(const EtcdTxn&) const = default;
};
struct EtcdCompaction {
  EtcdRevision revision = 0;
  bool operator==(const EtcdCompaction&) const = default;
};
struct EtcdLeaseGrant {
  EtcdLeaseId id = 0;  // 0: the server chooses, before it proposes
  std::int64_t ttl_s = 0;
  bool operator==(const EtcdLeaseGrant&) const = default;
};
struct EtcdLeaseRevoke {
  EtcdLeaseId id = 0;
  bool operator==(const EtcdLeaseRevoke&) const = default;
};
struct EtcdLeaseQuery {  // LeaseTimeToLive
  EtcdLeaseId id = 0;
  bool keys = false;
  bool operator==(const EtcdLeaseQuery&) const = default;
};
struct EtcdLeaseRenew {  // one message of a LeaseKeepAlive stream
  EtcdLeaseId id = 0;
  bool streamed = false;  // true: on the stream that its connection has opened; false: on one for this message alone
  bool operator==(const EtcdLeaseRenew&) const = default;
};
struct EtcdWatchCreate {
  EtcdWatchCreate() = default;
  explicit EtcdWatchCreate(std::string key, EtcdRevision from = 0) : keys{std::move(key), {}}, revision(from) {}
  explicit EtcdWatchCreate(EtcdInterval k, EtcdRevision from = 0) : keys(std::move(k)), revision(from) {}
  std::int64_t id = 0;  // chosen by the client, one of its connection
  EtcdInterval keys;
  EtcdRevision revision = 0;  // first revision to watch; 0: the next one
  bool progress = false, previous = false, no_puts = false, no_deletes = false;
  bool require_leader = false;  // the member ends it once it has known no leader for three election timeouts
  bool operator==(const EtcdWatchCreate&) const = default;
};
struct EtcdLockCall {  // v3lock
  std::string name;
  EtcdLeaseId lease = 0;        // 0: the server grants one of 60 s
  std::int64_t timeout_ns = 0;  // gRPC's deadline, which travels with the request; 0: none
  bool operator==(const EtcdLockCall&) const = default;
};
struct EtcdUnlockCall {
  std::string key;
  bool operator==(const EtcdUnlockCall&) const = default;
};
// The requests of the verbs.
using EtcdCall = std::variant<EtcdRange, EtcdPut, EtcdDelete, EtcdTxn, EtcdCompaction, EtcdLeaseGrant, EtcdLeaseRevoke,
                              EtcdLeaseQuery, EtcdLeaseRenew, EtcdLockCall, EtcdUnlockCall>;

// --- replies

struct EtcdHeader {
  std::uint64_t member = 0;
  EtcdRevision revision = 0;  // revision of the store when the answer was made
  std::uint64_t term = 0;
  bool operator==(const EtcdHeader&) const = default;
};
struct EtcdRangeReply {
  EtcdHeader header;  // within a transaction: of that
  std::vector<EtcdKeyValue> kvs;
  std::int64_t count = 0;  // number of keys in the interval, before limit and filters
  bool more = false;       // the limit left some out
  bool operator==(const EtcdRangeReply&) const = default;
};
struct EtcdPutReply {
  EtcdHeader header;
  std::optional<EtcdKeyValue> previous;
  bool operator==(const EtcdPutReply&) const = default;
};
struct EtcdDeleteReply {
  EtcdHeader header;
  std::int64_t deleted = 0;
  std::vector<EtcdKeyValue> previous;
  bool operator==(const EtcdDeleteReply&) const = default;
};
using EtcdOpReply = std::variant<EtcdRangeReply, EtcdPutReply, EtcdDeleteReply>;
struct EtcdTxnReply {
  EtcdHeader header;
  bool succeeded = false;
  std::vector<EtcdOpReply> results;  // results of the branch that was taken
  bool operator==(const EtcdTxnReply&) const = default;
};
struct EtcdLeaseReply {  // reply to grant, revoke, renewal or query; no lease: ttl_s is 0 (renewal), -1 (query)
  EtcdHeader header;
  EtcdLeaseId id = 0;
  std::int64_t ttl_s = 0, granted_ttl_s = 0;
  std::vector<std::string> keys;
  bool operator==(const EtcdLeaseReply&) const = default;
};
struct EtcdEvent {
  bool deleted = false;
  EtcdKeyValue kv;  // a deletion sets only the key and its own revision
  std::optional<EtcdKeyValue> previous;
  bool operator==(const EtcdEvent&) const = default;
};
// Answers the creation of a watch, and is then sent without being asked.
struct EtcdWatchReply {
  EtcdHeader header;
  std::int64_t id = 0;
  bool created = false, cancelled = false;
  EtcdRevision compacted = 0;         // > 0: cancelled because it began before that
  EtcdError error = EtcdError::none;  // reason of a cancellation
  std::vector<EtcdEvent> events;      // none: progress
  bool operator==(const EtcdWatchReply&) const = default;
};
struct EtcdLockReply {
  EtcdHeader header;
  std::string key;  // exists as long as the lock is held; empty: of an unlock
  bool operator==(const EtcdLockReply&) const = default;
};
struct EtcdDone {  // reply to compactions, pings and the end of a watch
  EtcdHeader header;
  bool operator==(const EtcdDone&) const = default;
};
// An error stands alone.
struct EtcdReply {
  EtcdError error = EtcdError::none;
  std::variant<EtcdDone, EtcdRangeReply, EtcdPutReply, EtcdDeleteReply, EtcdTxnReply, EtcdLeaseReply, EtcdWatchReply,
               EtcdLockReply>
      body;
  static EtcdReply failed(EtcdError e) { return {e, {}}; }
  EtcdHeader& header();
  const EtcdHeader& header() const { return const_cast<EtcdReply*>(this)->header(); }
  bool operator==(const EtcdReply&) const = default;
};

}  // namespace picklock
