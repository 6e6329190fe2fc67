#include "sim/zookeeper/zab/message.hpp"

#include <array>

#include "base/packing.hpp"

namespace picklock {
namespace {

constexpr std::array<std::string_view, kZabMessageKinds> kKinds = {
    "notification", "follower-info", "observer-info", "refused", "leader-info", "ack-epoch", "diff",       "trunc",
    "snap",         "proposal",      "commit",        "inform",  "new-leader",  "ack",       "up-to-date", "ping",
    "pong",         "request",       "reply",         "sync",    "sync-done",   "initial"};
constexpr std::array<std::string_view, 4> kRoles = {"looking", "following", "leading", "observing"};

}  // namespace

std::string_view to_string(ZabMessage::Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
std::string_view to_string(ZabRole role) { return kRoles[static_cast<std::size_t>(role)]; }

std::string zab_text(ZabZxid zxid) { return std::to_string(zab_epoch(zxid)) + ":" + std::to_string(zab_counter(zxid)); }

std::string to_string(const ZabMessage& m) {
  using Kind = ZabMessage::Kind;
  std::string text(to_string(m.kind));
  switch (m.kind) {
    case Kind::notification:
      text += " " + std::string(to_string(m.role)) + " for " + std::to_string(m.leader) + " at " + zab_text(m.zxid) +
              " epoch " + std::to_string(m.epoch) + " round " + std::to_string(m.round);
      break;
    case Kind::follower_info:
    case Kind::observer_info:
    case Kind::leader_info:
      text += " epoch " + std::to_string(m.epoch);
      break;
    case Kind::ack_epoch:
      text += " epoch " + std::to_string(m.epoch) + " at " + zab_text(m.zxid);
      break;
    case Kind::refused:
    case Kind::ping:
    case Kind::pong:
    case Kind::request:
    case Kind::reply:
    case Kind::sync:
    case Kind::sync_done:
    case Kind::initial:
      break;
    default:
      text += " " + zab_text(m.zxid);
  }
  if (!m.body.empty()) text += " \"" + std::string(m.body.view()) + "\"";
  return text;
}

void encode(const ZabMessage& m, std::string& to) {
  Packer out(to);
  out.byte(static_cast<std::uint8_t>(m.kind));
  out.byte(static_cast<std::uint8_t>(m.role));
  for (const std::int64_t field : {std::int64_t{m.sid}, std::int64_t{m.leader}, m.zxid, m.round, m.epoch}) {
    out.word(static_cast<std::uint64_t>(field));
  }
  out.word(m.body.size());
  out.bytes(m.body);
  out.finish();
}

bool decode(std::string_view packed, ZabPacket& m) {
  Unpacker u(packed);
  m.kind = static_cast<ZabMessage::Kind>(u.byte_up_to(kZabMessageKinds - 1));
  m.role = static_cast<ZabRole>(u.byte_up_to(static_cast<std::uint8_t>(ZabRole::observing)));
  m.sid = static_cast<ZabSid>(u.word());
  m.leader = static_cast<ZabSid>(u.word());
  m.zxid = static_cast<ZabZxid>(u.word());
  m.round = static_cast<std::int64_t>(u.word());
  m.epoch = static_cast<ZabEpoch>(u.word());
  const std::uint64_t size = u.word();
  m.body = u.rest();
  return u.good() && m.body.size() == size;
}

}  // namespace picklock
