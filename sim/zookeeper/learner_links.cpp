#include "sim/zookeeper/learner_links.hpp"

#include <algorithm>

namespace picklock {

[[gnu::always_inline]] inline std::vector<ZooLearnerLinks::Link>::iterator ZooLearnerLinks::find(ZabLink id) {
  return std::find_if(links_.begin(), links_.end(), [id](const Link& l) { return l.id == id; });
}

void ZooLearnerLinks::open(ZabLink id, ZabSid leader) {
  links_.push_back({id, {}});
  links_.back().link.open(context_.service, context_.setup.node_of(leader));
}

void ZooLearnerLinks::accept(ConnectionId connection, const ZabPacket& first) {
  const ZabLink id = zab_.accept();
  links_.push_back({id, {}});
  links_.back().link.accept(connection);
  zab_.received(id, first, context_.now_ms());
}

[[gnu::always_inline]] inline Bytes ZooLearnerLinks::packed(const ZabMessage& message) const {
  ZabPackedHead head;
  pack(message, head);
  const Known known{message, static_cast<std::uint32_t>(head.view().size())};
  Bytes bytes = Bytes::knowing(context_.world().arena(), known, head.view().size() + message.body.size());
  copy_short(bytes.data(), head.view().data(), head.view().size());
  copy_short(bytes.data() + head.view().size(), message.body.view().data(), message.body.size());
  return bytes;
}

void ZooLearnerLinks::send(ZabLink id, const ZabMessage& message) {
  const auto found = find(id);
  if (found == links_.end()) return;
  (void)found->link.send(context_.service, packed(message));
}

void ZooLearnerLinks::close(ZabLink id) {
  const auto found = find(id);
  if (found == links_.end()) return;
  found->link.close(context_.service);
  links_.erase(found);
}

// What its sender knew of it, or else what its bytes say.
[[gnu::always_inline]] inline void ZooLearnerLinks::read(ZabLink id, const Bytes& body, ZabMs now) {
  if (const auto* const known = body.known<Known>()) {
    return zab_.received(id, {known->head, body.view().substr(known->head_size)}, now);
  }
  ZabPacket packet;
  if (decode(body.view(), packet)) zab_.received(id, packet, now);
}

bool ZooLearnerLinks::hear(const Message& message, ZabMs now) {
  const auto found = link_of(links_, message);
  if (found == links_.end()) return false;
  const ZabLink id = found->id;
  found->link.hear(message);
  switch (message.kind) {
    case SegmentKind::opened:
      zab_.opened(id, now);
      return true;
    case SegmentKind::data:
      read(id, message.body, now);
      return true;
    default:
      links_.erase(found);
      zab_.closed(id, now);
      return true;
  }
}

}  // namespace picklock
