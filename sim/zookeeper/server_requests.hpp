// The way of a request to the leader: a leader judges it at once, a learner sends it to its leader.
//
//   requests.write(ticket, session, hold, request);
//   requests.end(session);                                   // closes a session without a client's request
//   if (const auto answer = requests.reattach(ticket, session, timeout)) …   // immediate, because this server leads
//
// From:      FollowerRequestProcessor, Learner.request, Learner.validateSession, LearnerHandler.run of ZooKeeper 3.8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/zookeeper/server_context.hpp"
#include "sim/zookeeper/server_proposals.hpp"
#include "sim/zookeeper/server_sessions.hpp"
#include "sim/zookeeper/zab/peer.hpp"

namespace picklock {

// Keeps nothing: it knows how requests and answers are packed between a learner and its leader.
class ZooServerRequests {
 public:
  struct Answer {  // answer to a learner's request
    ZooTicket ticket = 0;
    ZooReply reply;
  };

  ZooServerRequests(const ZooServerContext& context, const ZooTree& tree, ZooServerSessions& sessions,
                    ZooServerProposals& proposals, ZabPeer& zab)
      : context_(context), tree_(tree), sessions_(sessions), proposals_(proposals), zab_(zab) {}

  bool leads() const { return zab_.leads(); }
  bool serves() const { return zab_.serves(); }

  // --- of this server's clients
  void write(ZooTicket ticket, std::int64_t session, std::uint32_t hold, const ZooRequest& request);
  void end(std::int64_t session);
  std::optional<ZooReply> reattach(ZooTicket ticket, std::int64_t session);
  void sync(ZooTicket ticket);  // a learner asks for the sync

  // --- messages that return to a learner
  static std::optional<Answer> answer_in(std::string_view body);
  static ZooTicket synced_in(std::string_view body);

  // --- at the leader: what a learner has sent
  void hear(ZabSid sid, ZabLink link, std::string_view body);

 private:
  const ZooServerContext& context_;
  const ZooTree& tree_;
  ZooServerSessions& sessions_;
  ZooServerProposals& proposals_;
  ZabPeer& zab_;
  ZooRequest request_;  // reused by every message
  std::string packed_;  // reused by every request that a learner passes on
};

}  // namespace picklock
