#include "sim/zookeeper/vote_links.hpp"

#include <utility>

namespace picklock {
namespace {

constexpr ZabMs kVoteConnectTimeout = 5000;  // zookeeper.cnxTimeout

}  // namespace

ZooVoteLinks::ZooVoteLinks(const ZooServerContext& context, ZabPeer& zab)
    : context_(context), zab_(zab), links_(context.setup.members()) {}

void ZooVoteLinks::notify(ZabSid to, const ZabMessage& notification) {
  Link& l = links_[to - 1];
  l.waiting = notification;  // SEND_CAPACITY is 1: what was not sent is outdated
  if (l.link.is_open()) return tell(l);
  connect(to);
}

void ZooVoteLinks::connect(ZabSid to) {
  Link& l = links_[to - 1];
  if (!l.opening.is_closed()) {
    if (context_.now_ms() - l.since < kVoteConnectTimeout) return;
    l.opening.close(context_.service);
  }
  l.since = context_.now_ms();
  l.opening.open(context_.service, context_.setup.node_of(to));
}

void ZooVoteLinks::opened(ZabSid to) {
  Link& l = links_[to - 1];
  const PeerLink link = std::exchange(l.opening, {});
  ZabMessage me;
  me.kind = ZabMessage::Kind::initial;
  me.sid = context_.self;
  send(link, me);
  if (to < context_.self) use(l, link);  // otherwise the other server closes it
}

void ZooVoteLinks::accept(ConnectionId connection, ZabSid from) {
  if (from == 0 || from > links_.size() || from == context_.self) return;
  Link& l = links_[from - 1];
  PeerLink link;
  link.accept(connection);
  if (from > context_.self) return use(l, link);
  l.link.close(context_.service);
  link.close(context_.service);
  connect(from);
}

void ZooVoteLinks::use(Link& l, const PeerLink& link) {
  l.link.close(context_.service);
  l.link = link;
  if (!l.waiting) l.waiting = l.last;
  tell(l);
}

void ZooVoteLinks::tell(Link& l) {
  if (!l.waiting) return;
  l.last = std::exchange(l.waiting, std::nullopt);
  send(l.link, *l.last);
}

void ZooVoteLinks::send(const PeerLink& link, const ZabMessage& message) {
  (void)link.send(context_.service, Payload::of(context_.world().tasks.arena(), message));
}

bool ZooVoteLinks::hear(const Message& message, ZabMs now) {
  for (ZabSid sid = 1; sid <= links_.size(); ++sid) {
    Link& l = links_[sid - 1];
    if (l.link.is_of(message)) {
      l.link.hear(message);
      if (message.kind != SegmentKind::data) return true;
      if (const auto* const packet = message.body.get<ZabMessage>()) zab_.heard(*packet, now);
      return true;
    }
    if (l.opening.is_of(message)) {
      l.opening.hear(message);
      if (message.kind == SegmentKind::opened) opened(sid);
      return true;
    }
  }
  return false;
}

}  // namespace picklock
