#include "sim/zookeeper/server_events.hpp"

namespace picklock {

void ZooServerEvents::set_watches(ConnectionId connection, const ZooRequest& request) {
  std::vector<ZooWatches::Fired> fired;
  watches_.set_watches(connection, request, tree_, fired);
  tell(fired);
}

void ZooServerEvents::fire(std::span<const ZooEffect> effects) {
  std::vector<ZooWatches::Fired> fired;
  for (const ZooEffect& e : effects) watches_.fire(e, fired);
  tell(fired);
}

void ZooServerEvents::tell(const std::vector<ZooWatches::Fired>& fired) {
  for (const ZooWatches::Fired& f : fired) {
    context_.judge.fired({context_.self, static_cast<ConnectionId>(f.client)}, tree_.last_zxid());
  }
  late_.insert(late_.end(), fired.begin(), fired.end());
  if (context_.setup.flaw != ZooFlaw::watch_after_reply) send_late();
}

void ZooServerEvents::send_late() {
  for (const ZooWatches::Fired& f : late_) {
    const auto connection = static_cast<ConnectionId>(f.client);
    context_.judge.sent_event({context_.self, connection});
    packed_.clear();
    encode(zoo_notification(f, tree_.last_zxid()), packed_);
    context_.service.push(connection, packed_);
  }
  late_.clear();
}

void ZooServerEvents::clear() {
  watches_.clear();
  late_.clear();
}

}  // namespace picklock
