// The messages between servers: notifications of an election, and packets between a learner and its leader.
//
// The packets are those of QuorumPacket and the notifications those of FastLeaderElection.  `refused` stands for the connection refused by a server that does not lead.
#pragma once

#include <string>
#include <string_view>

#include "sim/zookeeper/zab/types.hpp"

namespace picklock {

// All of a message but what it carries.
struct ZabMessageHead {
  enum class Kind : std::uint8_t {
    notification,   // role, sid: the voter's; leader, zxid, round, epoch: the vote
    follower_info,  // sid, epoch: accepted
    observer_info,
    refused,
    leader_info,  // epoch: the new one
    ack_epoch,    // epoch: current, or -1: accepted before; zxid: last logged
    diff,
    trunc,     // zxid: where both stand after it
    snap,      // zxid; body: the state
    proposal,  // zxid; body: the transaction
    commit,    // zxid
    inform,    // zxid; body: both at once, for observers
    new_leader,
    ack,
    up_to_date,  // zxid
    ping,
    pong,  // body of a pong: the sessions touched
    request,
    reply,  // request, reply: messages of the service above, between a learner and its leader
    sync,
    sync_done,
    initial  // sid: the server that opened this connection for notifications
  };
  Kind kind{};
  ZabRole role{};
  ZabSid sid = 0, leader = 0;
  ZabZxid zxid = 0;
  std::int64_t round = 0;
  ZabEpoch epoch = 0;

  bool operator==(const ZabMessageHead&) const = default;
};

struct ZabMessage : ZabMessageHead {
  SharedBytes body;

  bool operator==(const ZabMessage&) const = default;
};

// A message as its receiver looks at it; its body lies in what was received.
struct ZabPacket : ZabMessageHead {
  ZabPacket() = default;
  ZabPacket(const ZabMessageHead& head, std::string_view content) : ZabMessageHead(head), body(content) {}
  ZabPacket(const ZabMessage& m) : ZabPacket(m, m.body) {}  // NOLINT: as its receiver gets it

  std::string_view body;
};
inline constexpr std::size_t kZabMessageKinds = static_cast<std::size_t>(ZabMessage::Kind::initial) + 1;

std::string_view to_string(ZabMessage::Kind kind);
std::string_view to_string(ZabRole role);
std::string to_string(const ZabMessage& message);  // text for tests: "proposal 2:7 \"x\""
std::string zab_text(ZabZxid zxid);                // "2:7"

// Messages travel as values; their bytes are of digests and pictures.
void encode(const ZabMessage& message, std::string& to);  // appends
bool decode(std::string_view packed, ZabPacket& message);

// The actions that a peer asks for, in order.
struct ZabOutput {
  enum class Kind : std::uint8_t {
    notify,   // a notification to server `to`; a newer one takes the place of one that has not left
    connect,  // open a link to the leader `to`
    send,     // send a message on a link
    close     // a link; what was sent on it still arrives
  };
  Kind kind{};
  ZabLink link = 0;
  ZabSid to = 0;
  ZabMessage message;
};

}  // namespace picklock
