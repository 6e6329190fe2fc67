// Watches of the clients that are connected to one server.
//
// A watch belongs to a connection, fires once, and is then gone.  It fires when *this* server applies
// the transaction; its event goes onto the connection before any answer that lets the client
// see the change (WatchManager, DataTree.setWatches of ZooKeeper 3.8).  A client that has reconnected
// brings its watches along: what it has missed fires at once, as far as the tree still shows it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/zookeeper/tree.hpp"
#include "sim/zookeeper/wire.hpp"

namespace picklock {

class ZooWatches {
 public:
  using Client = std::uint64_t;  // the server's own name of a connection
  struct Fired {
    Client client = 0;
    ZooEventType type = ZooEventType::none;
    std::string path;
    bool operator==(const Fired&) const = default;
  };

  // Leaves the watch that an executed read asks for, if it does: exists in any case, get_data and
  // get_children only if the node is there.
  void add(Client client, const ZooRequest& read, ZooCode answered);
  // Watches that a transaction fires: per effect the node's own watches, then those on its parent's children;
  // each in the order in which they were left.  Appends.
  void fire(const ZooEffect& effect, std::vector<Fired>& fired);
  // A set_watches request: fires what was missed, leaves the rest.  Appends.
  void set_watches(Client client, const ZooRequest& request, const ZooTree& tree, std::vector<Fired>& fired);
  void forget(Client client);  // its connection has ended
  void clear();
  std::size_t size() const;

 private:
  using Table = std::map<std::string, std::vector<Client>, std::less<>>;
  static void leave(Table& table, std::string_view path, Client client);
  // Takes all watches of `path` out of the table and fires them, except of those clients told already.
  static void trigger(Table& table, std::string_view path, ZooEventType type, std::vector<Fired>& fired,
                      std::size_t told_from);
  Table data_;   // exists and get_data
  Table child_;  // get_children
};

// Notification in the client's form: a reply that answers nothing.
ZooReply zoo_notification(ZooWatches::Fired fired, std::int64_t zxid);

}  // namespace picklock
