#include "sim/zookeeper/server_events.hpp"

#include <utility>

namespace picklock {

void ZooServerEvents::set_watches(ConnectionId connection, const ZooRequest& request) {
  const std::size_t told = late_.size();
  watches_.set_watches(connection, request, tree_, late_);
  tell(told);
}

void ZooServerEvents::fire(std::span<const ZooEffect> effects) {
  const std::size_t told = late_.size();
  for (const ZooEffect& e : effects) watches_.fire(e, late_);
  if (late_.size() != told) tell(told);
}

// Events behind the first `told` are new.
void ZooServerEvents::tell(std::size_t told) {
  for (; told < late_.size(); ++told) {
    context_.judge.fired({context_.self, static_cast<ConnectionId>(late_[told].client)}, tree_.last_zxid());
  }
  if (context_.setup.flaw != ZooFlaw::watch_after_reply) send_late();
}

void ZooServerEvents::send_late() {
  for (ZooWatches::Fired& f : late_) {
    const auto connection = static_cast<ConnectionId>(f.client);
    context_.judge.sent_event({context_.self, connection});
    ZooReply event = zoo_notification(std::move(f), tree_.last_zxid());
    picklock::send(context_.world(), {connection, 1}, Payload::of(context_.world().tasks.arena(), std::move(event)));
  }
  late_.clear();
}

void ZooServerEvents::clear() {
  watches_.clear();
  late_.clear();
}

}  // namespace picklock
