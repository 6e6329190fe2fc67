// Messages between etcd's clients and members, and their bytes.
//
// Messages travel as values.  Bytes serve the log, digests and pictures; they carry what etcd's RPCs mean, not how
// protobuf spells it.  Decoding does not trust its input.
//
// From:     etcd's api/etcdserverpb/rpc.proto (3.4 to 3.6).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/task/etcd_values.hpp"

namespace picklock {

struct EtcdLeaseCheckpoint {  // checkpoint that the leader sends to the other members
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
  bool require_leader = true;  // see EtcdWatchCreate
  bool operator==(const EtcdLeaseStream&) const = default;
};
struct EtcdPing {  // ping of the transport; any living member answers, leader or not
  bool operator==(const EtcdPing&) const = default;
};
// Every request that a member receives.  Its place in the list is its code on the wire.
using EtcdRequest = std::variant<EtcdRange, EtcdPut, EtcdDelete, EtcdTxn, EtcdCompaction, EtcdLeaseGrant,
                                 EtcdLeaseRevoke, EtcdLeaseQuery, EtcdLeaseRenew, EtcdLeaseCheckpoint, EtcdWatchCreate,
                                 EtcdWatchCancel, EtcdLockCall, EtcdUnlockCall, EtcdLeaseStream, EtcdPing>;

// Request of a client.  gRPC's deadline travels with a request, as the time that is left of it (its header
// grpc-timeout): a member does nothing more for a call that is past it.
struct EtcdTimedRequest {
  EtcdRequest request;
  Duration left = kForever;
  bool operator==(const EtcdTimedRequest&) const = default;
};

// A member forwards a request to the leader, and gets the reply (leasehttp).
struct EtcdForwarded {
  std::uint32_t member = 0;  // its sender
  std::uint64_t id = 0;      // number there of the call that waits for the reply
  std::uint32_t hold = 0;    // hold that the request belongs to
  EtcdRequest request;
  bool operator==(const EtcdForwarded&) const = default;
};
struct EtcdForwardedReply {
  std::uint32_t member = 0;        // its sender
  std::uint64_t id = 0;            // id of the request
  std::optional<EtcdReply> reply;  // nothing: this member has no answer
  bool operator==(const EtcdForwardedReply&) const = default;
};

// True if it goes through the log.  All else is answered from a member's memory: after a confirmation by
// a quorum (linearizable reads), without one (serializable), or by a member that takes itself for the leader (leases).
bool goes_through_log(const EtcdRequest& request);

EtcdRequest to_request(EtcdCall&& call);

// gRPC's Unavailable: a client may ask another member.
bool is_unavailable(EtcdError e);

// Each appends.  The bytes of what members forward to each other begin as none of Raft's messages does.
void encode(const EtcdRequest& request, std::string& to);
void encode(const EtcdTimedRequest& request, std::string& to);
void encode(const EtcdReply& reply, std::string& to);
void encode(const EtcdForwarded& forwarded, std::string& to);
void encode(const EtcdForwardedReply& reply, std::string& to);
std::string encode(const EtcdRequest& request);
std::string encode(const EtcdReply& reply);
std::optional<EtcdRequest> decode_etcd_request(std::string_view bytes);
std::optional<EtcdTimedRequest> decode_etcd_timed_request(std::string_view bytes);
std::optional<EtcdReply> decode_etcd_reply(std::string_view bytes);

// For tests and messages: put k=v lease=7, txn if version(k)=0 then put k=v else range k, …
std::string to_string(const EtcdRequest& request);
std::string to_string(const EtcdReply& reply);

}  // namespace picklock
