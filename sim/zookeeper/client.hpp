// The ZooKeeper client library of one process, behind the verbs of sim/task/zookeeper.hpp.
//
//   ZooClient client;
//   client.boot(world, node, {zk1, zk2, zk3});                    // call it whenever the process starts
//   const ZooKeeper zk = client.connect(seconds(6), watcher);     // the client's tasks call this
//
// Times of a handle, T being the session timeout as negotiated (before that: as asked for), and all of
// them on the process's monotonic clock in milliseconds:
//   silence of 2T/3          the connection is given up
//   no request for T/3       a ping; one second earlier if the library is awake anyway and has sent
//                            nothing for more than a second, and whenever it wakes after ten
//   T / servers              for a connection to be made, from its attempt to the session's answer
//   100 ms                   after the end of a connection, before a task is told (ClientCnxnSocketNIO.cleanup)
//   before each attempt      U[0, 1000) ms but for the first; 1000 ms more once all have been tried
// When a connection ends, all that is under way or queued fails with ConnectionLoss and every watcher
// hears `disconnected`; the next server of the shuffled list is tried, with the session and its watches.
// A session ends when a server says so; with `expiry = "by-itself"` also after a silence of 4T/3.
//
// From:      ClientCnxn, ClientCnxnSocketNIO, StaticHostProvider of ZooKeeper 3.8, and 3.9.3 for
//            expiry by itself (ZOOKEEPER-4508); conn.go of go-zookeeper for `after-expiry`.
// Left out:  authentication, read-only mode, chroots, a request timeout, packets of several writes;
//            go-zookeeper's own pings, which a ticker of T/3 sends whatever else is sent (here by Java's rule: as
//            often when idle, and fewer when not);
//            all handles of a process share one I/O task ("zk-io"), which faults can pause.  Requests of
//            a connected handle leave from the caller's own task.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/service.hpp"
#include "sim/task/fields.hpp"
#include "sim/task/zookeeper.hpp"

namespace picklock {

enum class ZooExpiry : std::uint8_t {
  by_server,  // only a server's answer ends a session
  by_itself   // the silence of all servers for 4/3 of the timeout ends it, too (3.9.3)
};
constexpr auto enum_names(ZooExpiry) { return name_list("by-server", "by-itself"); }

enum class ZooAfterExpiry : std::uint8_t {
  handle_is_dead,  // Java, C
  new_session      // go-zookeeper: the same handle goes on with another session, its watches gone
};
constexpr auto enum_names(ZooAfterExpiry) { return name_list("handle-is-dead", "new-session"); }

struct ZooClientOptions {
  ZooExpiry expiry = ZooExpiry::by_server;
  std::optional<Duration> connect_timeout = std::nullopt;             // go-zookeeper: 1 s; none: T / servers
  Duration clean_up = milliseconds(100);                              // go-zookeeper: none
  Law reconnect_delay = Law::uniform(Duration{}, milliseconds(999));  // go-zookeeper: none
  Duration round_delay = seconds(1);                                  // pause once all servers have been tried
  ZooAfterExpiry after_expiry = ZooAfterExpiry::handle_is_dead;
  void fields(FieldVisitor& v);
  bool operator==(const ZooClientOptions&) const = default;
};
ZooClientOptions go_zookeeper_options();

class ZooClientHandle;

// Keeps the handles of one process, and the I/O task that serves them all.
class ZooClient final : public ZooConnector {
 public:
  ZooClient();
  ~ZooClient();
  // A process begins: the handles of the one before are gone.
  void boot(World& world, NodeId node, std::vector<NodeId> servers, ZooClientOptions options = {});
  ZooKeeper connect(Duration timeout, ZooWatcher watcher) override;

  // --- for its handles
  const ZooClientOptions& options() const { return options_; }
  void wake() { called_.ring_now_or_next(); }

 private:
  Task<void> run(Service service);
  bool handles_dead_time(std::int64_t now_ms) const;  // some silence is over: the inbox decides

  World* world_ = nullptr;
  NodeId node_ = 0;
  std::vector<NodeId> servers_;
  ZooClientOptions options_;
  std::vector<std::unique_ptr<ZooClientHandle>> handles_;
  Bell called_;              // a task of the process wants something
  bool running_ = false;     // the I/O task
  std::uint32_t steps_ = 0;  // number of steps of the I/O task; they name its draws
};

}  // namespace picklock
