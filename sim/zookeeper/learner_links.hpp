// The connections between learners and their leader, on which ZAB's packets travel.
//
//   ZooLearnerLinks links(context, zab);
//   links.open(id, leader);                     // a learner opens a link when ZAB asks
//   links.accept(connection, first_packet);     // a leader accepts the learner that has connected
//   links.send(id, packet);  links.close(id);
//   if (links.hear(message, now)) …             // true: the message was theirs, and ZAB has heard it
//
// From:      Learner.connectToLeader and LearnerHandler of 3.8, as far as they are about connections.
#pragma once

#include <string>
#include <vector>

#include "sim/core/peer_link.hpp"
#include "sim/zookeeper/server_context.hpp"
#include "sim/zookeeper/zab/peer.hpp"

namespace picklock {

// Keeps a learner's connection to its leader, or a leader's connections from its learners, under ZAB's numbers of them.
class ZooLearnerLinks {
 public:
  ZooLearnerLinks(const ZooServerContext& context, ZabPeer& zab) : context_(context), zab_(zab) {}

  void open(ZabLink id, ZabSid leader);
  void accept(ConnectionId connection, const ZabPacket& first);
  void send(ZabLink id, const ZabMessage& message);
  void close(ZabLink id);
  bool hear(const Message& message, ZabMs now);

 private:
  struct Link {
    ZabLink id = 0;
    PeerLink link;
  };
  std::vector<Link>::iterator find(ZabLink id);

  const ZooServerContext& context_;
  ZabPeer& zab_;
  std::vector<Link> links_;
};

}  // namespace picklock
