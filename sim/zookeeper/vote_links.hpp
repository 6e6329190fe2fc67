// The connections on which the servers of an ensemble tell each other their votes: one for each pair of servers.
//
//   ZooVoteLinks links(context, zab);
//   links.notify(3, notification);              // opens a connection first, if there is none
//   if (links.hear(message, now)) …             // true: the message was theirs, and ZAB has heard it
//   links.accept(connection, sid);              // another server introduced itself on a new connection
//
// The larger sid opens the connection of a pair. A server that has something to tell and has no connection opens one
// and introduces itself. If its sid is the smaller one, the other server closes that connection, drops the one it
// still had to the caller, which may be long dead, and connects to the caller instead. A server that accepts a
// connection from a larger sid gives up its old one too: so a rebooted server is answered at once, and not on a
// connection that waits for its TCP to give up. A new connection begins with the notification that waits, or else with
// the last one sent, because that may be lost.
//
// From:      QuorumCnxManager.{toSend, connectOne, startConnection, handleConnection, SendWorker} of 3.8.
// Left out:  authentication. A smaller sid closes what it has opened itself; here the larger sid does it.
#pragma once

#include <optional>
#include <vector>

#include "sim/core/peer_link.hpp"
#include "sim/zookeeper/server_context.hpp"
#include "sim/zookeeper/zab/peer.hpp"

namespace picklock {

// Keeps the connection for votes to each other server, and the notification that waits for it or was sent last.
class ZooVoteLinks {
 public:
  ZooVoteLinks(const ZooServerContext& context, ZabPeer& zab);

  void notify(ZabSid to, const ZabMessage& notification);
  void accept(ConnectionId connection, ZabSid from);
  bool hear(const Message& message, ZabMs now);

 private:
  struct Link {
    PeerLink link, opening;
    ZabMs since = 0;                          // instant at which the current attempt to open began
    std::optional<ZabMessage> waiting, last;  // not sent yet; already sent
  };

  void connect(ZabSid to);
  void opened(ZabSid to);
  void use(Link& l, const PeerLink& link);
  void tell(Link& l);
  void send(const PeerLink& link, const ZabMessage& message);

  const ZooServerContext& context_;
  ZabPeer& zab_;
  std::vector<Link> links_;  // index: sid - 1
};

}  // namespace picklock
