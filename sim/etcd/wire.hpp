// How requests and replies travel between an etcd client and a member, and what only they exchange.
//
// The packed bytes carry what etcd's RPCs mean, not how protobuf spells it; from them a real gateway's JSON can be
// formed.  Decoding does not trust its input.
//
// From:     etcd's api/etcdserverpb/rpc.proto (3.4 to 3.6).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/task/bytes.hpp"
#include "sim/task/etcd_values.hpp"

namespace picklock {

struct EtcdLeaseCheckpoint {  // from the leader to the other members
  struct One {
    EtcdLeaseId id = 0;
    std::int64_t remaining_s = 0;
    bool operator==(const One&) const = default;
  };
  std::vector<One> leases;
  bool operator==(const EtcdLeaseCheckpoint&) const = default;
};
struct EtcdWatchCancel {
  std::int64_t id = 0;
  bool operator==(const EtcdWatchCancel&) const = default;
};
struct EtcdLeaseStream {       // opens a LeaseKeepAlive stream; answered when it ends
  bool require_leader = true;  // as in EtcdWatchCreate
  bool operator==(const EtcdLeaseStream&) const = default;
};
struct EtcdPing {  // of the transport: answered by any living member, leader or not
  bool operator==(const EtcdPing&) const = default;
};
// Every request that a member receives.  Its place in the list is its code on the wire.
using EtcdRequest = std::variant<EtcdRange, EtcdPut, EtcdDelete, EtcdTxn, EtcdCompaction, EtcdLeaseGrant,
                                 EtcdLeaseRevoke, EtcdLeaseQuery, EtcdLeaseRenew, EtcdLeaseCheckpoint, EtcdWatchCreate,
                                 EtcdWatchCancel, EtcdLockCall, EtcdUnlockCall, EtcdLeaseStream, EtcdPing>;

// Where a message is kept as a value, see sent_values.hpp; it is known of its bytes.  0: nowhere.
struct EtcdSentPlace {
  std::uint64_t number = 0;
};

// Whether it goes through the log.  All else is answered from a member's memory: after a confirmation by
// a quorum (linearizable reads), without one (serializable), or by a member that takes itself for the leader (leases).
bool goes_through_log(const EtcdRequest& request);

EtcdRequest to_request(EtcdCall&& call);

// gRPC's Unavailable: a client may ask another member.
bool is_unavailable(EtcdError e);

std::string encode(const EtcdRequest& request);
void encode(const EtcdRequest& request, std::string& to);  // appends
Bytes encode(const EtcdRequest& request, Arena& arena);    // that know of an EtcdSentPlace
std::optional<EtcdRequest> decode_etcd_request(std::string_view bytes);

// gRPC's deadline travels with a request, as the time that is left of it (its header grpc-timeout): a server
// does nothing more for a call that is past it.  `request`, as encoded, with that before it; and taken off again,
// kForever if there is none.
Bytes with_etcd_timeout(Arena& arena, std::string_view request, Duration left, EtcdSentPlace kept = {});
Duration take_etcd_timeout(std::string_view& bytes);

std::string encode(const EtcdReply& reply);
void encode(const EtcdReply& reply, std::string& to);
Bytes encode(const EtcdReply& reply, Arena& arena);
std::optional<EtcdReply> decode_etcd_reply(std::string_view bytes);
bool decode(std::string_view bytes, EtcdReply& reply);  // a new one; false: malformed

// For tests and messages: put k=v lease=7, txn if version(k)=0 then put k=v else range k, …
std::string to_string(const EtcdRequest& request);
std::string to_string(const EtcdReply& reply);

}  // namespace picklock
