// The watches that a server's clients have left, and the events on their way to the clients.
//
// An event leaves before any reply from which its client could know of the change. In the broken twin
// `watch-after-reply` it waits until the server works off its next message.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/zookeeper/server_context.hpp"
#include "sim/zookeeper/watches.hpp"

namespace picklock {

// Keeps the watches of a server's connections, and the events that have not left yet.
class ZooServerEvents {
 public:
  ZooServerEvents(const ZooServerContext& context, const ZooTree& tree) : context_(context), tree_(tree) {}

  void add(ConnectionId connection, const ZooRequest& read, ZooCode answered) {
    watches_.add(connection, read, answered);
  }
  void set_watches(ConnectionId connection, const ZooRequest& request);
  void fire(std::span<const ZooEffect> effects);
  void forget(ConnectionId connection) { watches_.forget(connection); }
  void clear();

  bool any_late() const { return !late_.empty(); }
  void send_late();

  std::size_t watches() const { return watches_.size(); }

 private:
  void tell(std::size_t told);

  const ZooServerContext& context_;
  const ZooTree& tree_;
  ZooWatches watches_;
  std::vector<ZooWatches::Fired> late_;
};

}  // namespace picklock
