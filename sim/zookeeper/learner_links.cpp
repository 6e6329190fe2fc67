#include "sim/zookeeper/learner_links.hpp"

#include <algorithm>

namespace picklock {

std::vector<ZooLearnerLinks::Link>::iterator ZooLearnerLinks::find(ZabLink id) {
  return std::find_if(links_.begin(), links_.end(), [id](const Link& l) { return l.id == id; });
}

void ZooLearnerLinks::open(ZabLink id, ZabSid leader) {
  links_.push_back({id, {}});
  links_.back().link.open(context_.service, context_.setup.node_of(leader));
}

void ZooLearnerLinks::accept(ConnectionId connection, const ZabMessage& first) {
  const ZabLink id = zab_.accept();
  links_.push_back({id, {}});
  links_.back().link.accept(connection);
  zab_.received(id, first, context_.now_ms());
}

void ZooLearnerLinks::send(ZabLink id, const ZabMessage& message) {
  const auto found = find(id);
  if (found == links_.end()) return;
  packed_.clear();
  encode(message, packed_);
  const Known known{message, static_cast<std::uint32_t>(message.body.size())};
  (void)found->link.send(context_.service, Bytes::knowing(context_.service.world().arena(), known, packed_));
}

// What its sender knew of it, or else what its bytes say.
bool ZooLearnerLinks::read(const Bytes& body) {
  const auto* const known = body.known<Known>();
  if (known == nullptr) return decode(body.view(), packet_);
  static_cast<ZabMessageHead&>(packet_) = known->head;
  packet_.body.assign(body.view().substr(body.view().size() - known->body_size));
  return true;
}

void ZooLearnerLinks::close(ZabLink id) {
  const auto found = find(id);
  if (found == links_.end()) return;
  found->link.close(context_.service);
  links_.erase(found);
}

bool ZooLearnerLinks::hear(const Message& message) {
  const auto found = link_of(links_, message);
  if (found == links_.end()) return false;
  const ZabLink id = found->id;
  found->link.hear(message);
  switch (message.kind) {
    case SegmentKind::opened:
      zab_.opened(id, context_.now_ms());
      return true;
    case SegmentKind::data:
      if (read(message.body)) zab_.received(id, packet_, context_.now_ms());
      return true;
    default:
      links_.erase(found);
      zab_.closed(id, context_.now_ms());
      return true;
  }
}

}  // namespace picklock
