// A lab for tests: a world with one ZooKeeper server that stands in for an ensemble, and processes
// with client libraries.
//
// The stand-in applies the tree, the sessions and the watches of this folder directly: one server, no
// elections, no replication, no disk.  It keeps its data when its process restarts, and then gives
// every session its full timeout, as a new leader does.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/core/service.hpp"
#include "sim/core/world_lab.hpp"
#include "sim/zookeeper/client.hpp"
#include "sim/zookeeper/inspect.hpp"
#include "sim/zookeeper/sessions.hpp"
#include "sim/zookeeper/tree_changes.hpp"
#include "sim/zookeeper/watches.hpp"

namespace picklock::testing {

class ZooStandIn final : public Program {
 public:
  std::int64_t tick_ms = 2000;
  ZooTree tree;
  std::vector<std::string> log;         // "write" requests as they were executed, with their results
  std::map<std::string, int> requests;  // number of requests by name

  void boot(World& world, NodeId node) override;
  // Executes the request at once, like another client's.
  ZooReply execute(World& world, NodeId node, const ZooRequest& request) {
    return write(Service(world, node), request, 0, 0);
  }
  const ZooSessionTracker& tracker() const { return *tracker_; }
  std::size_t watches() const { return watches_.size(); }

 private:
  Task<void> serve(Service service);
  Task<void> expire(Service service);
  void handle(const Service& service, const Message& message, const ZooRequest& request);
  void connect(const Service& service, ConnectionId connection, const ZooRequest& request);
  ZooReply write(const Service& service, const ZooRequest& request, std::int64_t session, std::uint32_t hold);
  void end(const Service& service, std::int64_t session, std::uint32_t hold);
  ZooReply apply(const Service& service, const ZooTxn& txn);
  void notify(const Service& service, const std::vector<ZooWatches::Fired>& fired);
  void detach(ConnectionId connection);

  ZooTreeChanges changes_{tree};
  ZooWatches watches_;
  std::optional<ZooSessionTracker> tracker_;
  std::map<ConnectionId, std::int64_t> attached_;
  std::int64_t sessions_made_ = 0;
};

// A world with the stand-in, and processes that may run anything.
struct ZooLab : Lab {
  struct Process final : Program {
    std::vector<NodeId> servers;
    ZooClientOptions options;
    ZooClient client;
    std::vector<std::function<void(Process&, World&)>> tasks;  // started at each boot
    NodeId node = 0;
    void boot(World& world, NodeId n) override;
  };

  ZooStandIn server;
  NodeId zk;
  std::deque<Process> processes;

  explicit ZooLab(std::uint64_t seed = 1, std::int64_t tick_ms = 2000);
  ~ZooLab() { world.reset(0); }  // its tasks go before what they refer to
  Process& process(std::string_view name, ZooClientOptions options = {});
  Host host(const Process& p) { return world.host(p.node); }
  Duration now() const { return Duration{world.now().ns}; }
  // Executes the request at once, like another client's.
  ZooReply execute(const ZooRequest& request) { return server.execute(world, zk, request); }
};

}  // namespace picklock::testing
