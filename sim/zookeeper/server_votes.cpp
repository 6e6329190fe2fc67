// The connections on which servers tell each other their votes: one for each pair, opened by the larger sid.
//
// Who has something to tell and no connection opens one, and says first who he is.  If his sid is the smaller one,
// that is all it was good for: the other drops what connection it still had to him, which may be long dead, and
// connects in his place.  Whoever accepts a connection from a larger sid gives up the old one likewise: a server
// that has been rebooted is answered at once, and not on a connection that only waits for its TCP to give up.
// A new connection begins with what waits to be sent, or else with what was sent last, for that may be lost.
//
// From:      QuorumCnxManager.{toSend, connectOne, startConnection, handleConnection, SendWorker} of 3.8.
// Left out:  authentication; a smaller sid closes what it has opened itself, here the larger does it for him.

#include <utility>

#include "sim/zookeeper/server.hpp"

namespace picklock {
namespace {

constexpr ZabMs kVoteConnectTimeout = 5000;  // zookeeper.cnxTimeout

}  // namespace

void ZooServer::notify(ZabSid to, const ZabMessage& message) {
  VoteLink& v = votes_[to - 1];
  v.waiting = message;  // SEND_CAPACITY is 1: what was not sent is outdated
  if (v.connection != kNoConnection) return tell_vote(v);
  connect_for_votes(to);
}

void ZooServer::connect_for_votes(ZabSid to) {
  VoteLink& v = votes_[to - 1];
  if (v.opening != kNoConnection) {
    if (now_ms() - v.since < kVoteConnectTimeout) return;
    world().network.close(v.opening, 0);
  }
  v.since = now_ms();
  v.opening = world().network.open(service_->node(), node_of(to), world().current_operation(), world().next_segment());
}

void ZooServer::vote_link_opened(ZabSid to) {
  VoteLink& v = votes_[to - 1];
  const ConnectionId connection = std::exchange(v.opening, kNoConnection);
  ZabMessage me;
  me.kind = ZabMessage::Kind::initial;
  me.sid = sid_;
  transmit(connection, 0, me);
  if (to < sid_) use_for_votes(v, connection, 0);
}

void ZooServer::vote_link_accepted(ConnectionId connection, ZabSid from) {
  if (from == 0 || from > votes_.size() || from == sid_) return;
  VoteLink& v = votes_[from - 1];
  if (from > sid_) return use_for_votes(v, connection, 1);
  end_vote_link(v);
  world().network.close(connection, 1);
  connect_for_votes(from);
}

void ZooServer::use_for_votes(VoteLink& v, ConnectionId connection, std::uint8_t end) {
  end_vote_link(v);
  v.connection = connection;
  v.end = end;
  if (!v.waiting) v.waiting = v.last;
  tell_vote(v);
}

void ZooServer::tell_vote(VoteLink& v) {
  if (!v.waiting) return;
  v.last = std::exchange(v.waiting, std::nullopt);
  transmit(v.connection, v.end, *v.last);
}

void ZooServer::end_vote_link(VoteLink& v) {
  if (v.connection != kNoConnection) world().network.close(v.connection, v.end);
  v.connection = kNoConnection;
}

// False: it is no connection for votes.
bool ZooServer::arrived_on_vote_link(const Message& message) {
  const std::uint8_t end = message.direction == 1 ? 0 : 1;
  for (ZabSid sid = 1; sid <= votes_.size(); ++sid) {
    VoteLink& v = votes_[sid - 1];
    if (v.connection == message.connection && v.end == end) {
      if (message.kind != SegmentKind::data) {
        v.connection = kNoConnection;
      } else if (decode(message.body.view(), packet_)) {
        zab_->heard(packet_, now_ms());
      }
      return true;
    }
    if (v.opening == message.connection && end == 0) {
      if (message.kind == SegmentKind::opened) {
        vote_link_opened(sid);
      } else if (message.kind != SegmentKind::data) {
        v.opening = kNoConnection;
      }
      return true;
    }
  }
  return false;
}

}  // namespace picklock
