// A ZooKeeper server as a program of a simulated world: ZAB, the tree, sessions, watches, clients.
//
//   ZooServer server;
//   server.set_up({.options = options, .servers = {zk1, zk2, zk3}});   // call it before the server is installed
//   world.install(zk1, server);
//
// A server answers a client's read from its own tree. It passes a write to the leader, which judges it and proposes
// what it will do, refusals too; the answer leaves once the client's own server has applied the proposal. A server that
// loses its leader, or its quorum, closes all client connections.
//
// From:      server/{PrepRequestProcessor,FinalRequestProcessor,ZooKeeperServer,ContainerManager}.java,
//            server/quorum/{Leader,Follower,Learner}ZooKeeperServer.java of 3.8. Each part says in its head what it
//            takes from them and what it leaves out.
// Left out:  the length of a transfer and of loading a snapshot.
#pragma once

#include <optional>

#include "sim/zookeeper/server_process.hpp"

namespace picklock {

// Keeps what outlives a process of this server: its settings, and the process that runs now or ran last.
class ZooServer final : public Program {
 public:
  ZooServer() = default;
  ZooServer(const ZooServer&) = delete;
  ZooServer& operator=(const ZooServer&) = delete;

  void set_up(ZooServerSetup setup) { setup_ = std::move(setup); }
  void boot(World& world, NodeId node) override;
  std::uint64_t fingerprint(const World& world, NodeId node) const override;

  // Current state, for tests and judges; of a process that has died, its last state. The first boot comes before.
  const ZooTree& tree() const { return process_->tree(); }
  const ZabPeer& zab() const { return process_->zab(); }
  bool serves() const { return process_ && process_->zab().serves(); }
  bool leads() const { return process_ && process_->zab().leads(); }
  std::size_t clients() const { return process_->clients(); }
  std::size_t watches() const { return process_->watches(); }

 private:
  ZooServerSetup setup_;
  ZooJudge own_judge_;            // judge of a server that was given none; its complaints are not read
  ZooProposalReader own_reader_;  // reader of such a server
  ZooServerSteps steps_;
  std::optional<ZooServerProcess> process_;
};

}  // namespace picklock
