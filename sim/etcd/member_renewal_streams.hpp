// Streams of renewals (LeaseKeepAlive) at one etcd member: at most one for each connection, one message at a time.
//
// From:      etcd, server/etcdserver/api/v3rpc/{lease,interceptor}.go.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "sim/etcd/member_calls.hpp"
#include "sim/etcd/member_leader.hpp"
#include "sim/etcd/member_replies.hpp"

namespace picklock {

class EtcdRenewals;

class EtcdRenewalStreams {
 public:
  EtcdRenewalStreams(const EtcdReplies& replies, const EtcdLeaderView& leader, EtcdCalls& calls, EtcdRenewals& renewals)
      : replies_(replies), leader_(leader), calls_(calls), renewals_(renewals) {}

  void open(Message message, bool require_leader);
  void hear(Message message, EtcdLeaseId lease);
  // A renewal of this stream was answered.
  void served(ConnectionId connection, std::uint64_t number, bool failed);
  void drop(ConnectionId connection) { streams_.erase(connection); }
  // Ends those that require a leader.
  void lose_leader();

 private:
  struct Stream {
    std::uint64_t number = 0;
    Message opened;  // request without its body; answered when the stream ends
    bool requires_leader = true, busy = false;
    std::deque<std::pair<Message, EtcdLeaseId>> waiting = {};  // requests without their bodies
  };
  void serve(ConnectionId connection);
  void end(ConnectionId connection, EtcdError error);

  const EtcdReplies& replies_;
  const EtcdLeaderView& leader_;
  EtcdCalls& calls_;
  EtcdRenewals& renewals_;
  std::map<ConnectionId, Stream> streams_;
  std::deque<ConnectionId> freed_;  // connections that may go on with their next message
};

}  // namespace picklock
