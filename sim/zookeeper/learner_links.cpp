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

void ZooLearnerLinks::send(ZabLink id, const ZabMessage& message) {
  const auto found = find(id);
  if (found == links_.end()) return;
  (void)found->link.send(context_.service, Payload::of(context_.world().tasks.arena(), message));
}

void ZooLearnerLinks::close(ZabLink id) {
  const auto found = find(id);
  if (found == links_.end()) return;
  found->link.close(context_.service);
  links_.erase(found);
}

bool ZooLearnerLinks::hear(const Message& message, ZabMs now) {
  const auto found = link_of(links_, message);
  if (found == links_.end()) return false;
  const ZabLink id = found->id;
  if (message.kind == SegmentKind::data) {
    if (const auto* const packet = message.body.get<ZabMessage>()) zab_.received(id, *packet, now);
    return true;
  }
  found->link.hear(message);
  if (message.kind == SegmentKind::opened) {
    zab_.opened(id, now);
  } else {
    links_.erase(found);
    zab_.closed(id, now);
  }
  return true;
}

}  // namespace picklock
