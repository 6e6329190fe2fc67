// Clients' reads and writes that one etcd member has taken and not yet answered.
//
// A write waits for its entry to be applied, a linearizable read for a round of confirmation; a serializable read is
// answered from memory.
//
// From:      etcd, server/etcdserver/v3_server.go.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/etcd/member_calls.hpp"
#include "sim/etcd/member_leader.hpp"
#include "sim/etcd/member_proposals.hpp"
#include "sim/etcd/member_replies.hpp"
#include "sim/etcd/member_rounds.hpp"

namespace picklock {

class EtcdRequests final : private EtcdCallOwner {
 public:
  EtcdRequests(const EtcdMemberContext& me, const EtcdState& state, const EtcdLeaderView& leader,
               const EtcdReplies& replies, EtcdCalls& calls, EtcdProposals& proposals, EtcdRounds& rounds)
      : me_(me),
        state_(state),
        leader_(leader),
        replies_(replies),
        calls_(calls),
        proposals_(proposals),
        rounds_(rounds) {}

  // A read or a write; `left` of the client's deadline.
  void hear(Message&& message, EtcdRequest&& request, Duration left);
  // The connection has ended, and with it every request on it.
  void drop(ConnectionId connection);

 private:
  struct Waiting {
    std::uint64_t id = 0;
    Message asker;        // the request without its body
    EtcdRequest request;  // request of a read
  };
  void applied(std::uint64_t id, EtcdReply&& reply) override;
  void confirmed(std::uint64_t id) override;
  void failed(std::uint64_t id, EtcdError why) override;
  void timed_out(std::uint64_t id, MonoTime asked) override;
  std::vector<Waiting>::iterator find(std::uint64_t id);
  void answer(std::uint64_t id, EtcdReply&& reply);

  const EtcdMemberContext& me_;
  const EtcdState& state_;
  const EtcdLeaderView& leader_;
  const EtcdReplies& replies_;
  EtcdCalls& calls_;
  EtcdProposals& proposals_;
  EtcdRounds& rounds_;
  std::vector<Waiting> waiting_;  // unordered
};

}  // namespace picklock
