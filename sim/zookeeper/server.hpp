// A ZooKeeper server as a process of a simulated world: ZAB, the tree, sessions, watches, clients.
//
//   ZooServer server;
//   server.set_up({.options = options, .servers = {zk1, zk2, zk3}});   // before it is installed
//   world.install(zk1, server);
//
// A request of a client is answered from the server's own tree, if it only reads; a write goes to the leader,
// which judges it (PrepRequestProcessor) and proposes what it will do, refusals too; the answer leaves once the
// client's own server has applied that.  Requests of one connection are answered in their order, while its
// writes are under way together.  A server that loses its leader, or its quorum, closes all client connections.
//
// Two tasks: "main" takes what arrives and what falls due; "disk" writes the log, the epochs and snapshots, and
// syncs them in order, several log entries at once (SyncRequestProcessor).  Files: zk.log, zk.snapshot,
// acceptedEpoch, currentEpoch.  At boot what stands in them is synced before anybody hears of it.
//
// From:      server/{PrepRequestProcessor,FinalRequestProcessor,ZooKeeperServer,ContainerManager}.java,
//            server/quorum/{Leader,Follower,Learner}ZooKeeperServer.java of 3.8.
// Left out:  throttling of clients and their number (a server takes as many requests as come), local sessions,
//            read-only mode, the four-letter words; the length of a transfer and of loading a snapshot.  The sync
//            at boot hides the loss of what a killed process had written, if its machine loses power before the
//            kernel writes it back.  A server closes a connection whose client is silent only when the session ends.
//            Containers in which nothing was ever created stay (at HEAD they go after five minutes,
//            znode.container.maxNeverUsedIntervalMs).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/service.hpp"
#include "sim/quorum/journal.hpp"
#include "sim/task/combinators.hpp"
#include "sim/zookeeper/inspect.hpp"
#include "sim/zookeeper/judge.hpp"
#include "sim/zookeeper/server_options.hpp"
#include "sim/zookeeper/sessions.hpp"
#include "sim/zookeeper/tree_changes.hpp"
#include "sim/zookeeper/watches.hpp"
#include "sim/zookeeper/zab/peer.hpp"

namespace picklock {

struct ZooServerSetup {
  ZooServerOptions options;
  std::vector<NodeId> servers;  // voters; the place of a server in both lists together is its sid, from 1 on
  std::vector<NodeId> observers;
  ZooJudge* judge = nullptr;  // of this ensemble; outlives the run
  ZooFlaw flaw = ZooFlaw::none;
  ZabFlaw zab_flaw = ZabFlaw::none;
  std::size_t snapshot_every = 100'000;        // applied transactions
  std::vector<ZooDirectory> directories = {};  // there from the beginning
};

class ZooServer final : public Program, private ZabMachine {
 public:
  ZooServer() = default;
  ZooServer(const ZooServer&) = delete;
  ZooServer& operator=(const ZooServer&) = delete;

  void set_up(ZooServerSetup setup) { setup_ = std::move(setup); }
  void boot(World& world, NodeId node) override;
  std::uint64_t fingerprint(const World& world, NodeId node) const override;

  // As it stands, for tests and judges; of a process that has died, as it stood.
  const ZooTree& tree() const { return tree_; }
  const ZabPeer& zab() const { return *zab_; }
  bool serves() const { return zab_ && zab_->serves(); }
  bool leads() const { return zab_ && zab_->leads(); }
  std::size_t clients() const { return clients_.size(); }
  std::size_t watches() const { return watches_.size(); }

 private:
  class Nap;
  using Ticket = std::uint64_t;  // of a request that this server has passed on; 0: none
  struct Waiting {
    ZooRequest request;
    Ticket ticket = 0;  // 0: a read, executed when its turn comes
    bool answered = false;
    ZooReply reply;  // of a read: ok, or why it is refused
  };
  struct Client {
    std::int64_t session = 0;  // 0: not attached so far
    std::int64_t timeout_ms = 0;
    std::int64_t seen = 0;  // zxid, as it said when it connected
    std::deque<Waiting> queue;
  };
  struct Link {  // to a leader, or from a learner
    ConnectionId connection = kNoConnection;
    ZabLink id = 0;
    std::uint8_t end = 0;
  };
  struct VoteLink {  // for the notifications to and from another server
    ConnectionId connection = kNoConnection, opening = kNoConnection;
    std::uint8_t end = 0;                     // of `connection`
    ZabMs since = 0;                          // of the attempt to open one
    std::optional<ZabMessage> waiting, last;  // not sent yet; sent
  };
  using Clients = std::map<ConnectionId, Client>;

  // server.cpp: the process
  Task<void> serve(Service service);
  void arrived(Message& message);
  void arrived_on_own_link(Message& message);
  void time_passed();
  ZabMs due() const;
  void flush();
  void perform(const ZabOutput& output);
  void transmit(ConnectionId connection, std::uint8_t end, const ZabMessage& message);
  ZabSid sid_of(NodeId node) const;
  NodeId node_of(ZabSid sid) const;
  ZabMs now_ms() const { return service_->host().monotonic_now().ns / 1'000'000; }
  ZabMs draw_ms(const Law& law) { return service_->host().draw_duration(Purpose::election, law).ms(); }
  World& world() { return service_->world(); }

  // server_votes.cpp
  void notify(ZabSid to, const ZabMessage& message);
  void connect_for_votes(ZabSid to);
  void vote_link_opened(ZabSid to);
  void vote_link_accepted(ConnectionId connection, ZabSid from);
  void use_for_votes(VoteLink& link, ConnectionId connection, std::uint8_t end);
  void tell_vote(VoteLink& link);
  void end_vote_link(VoteLink& link);
  bool arrived_on_vote_link(const Message& message);

  // server_disk.cpp
  Task<ZabStored> load(Service service);
  Task<void> write(Service service);
  Task<void> write_epoch(Service service, FileId file, ZabEpoch epoch, bool sync);

  // server_clients.cpp
  void heard_client(const Message& message);
  void greet(ConnectionId connection, Client& client, const ZooRequest& request);
  void attach(ConnectionId connection, Client& client, std::int64_t session, std::int64_t timeout_ms);
  void refuse(ConnectionId connection);
  bool touch(std::int64_t session, std::int64_t timeout_ms);
  Ticket pass_on(ConnectionId connection, std::int64_t session, const ZooRequest& request, std::uint32_t hold);
  void pump(ConnectionId connection, Client& client);
  ZooReply execute(ConnectionId connection, const ZooRequest& request);
  void complete(Ticket ticket, const ZooReply& reply);
  void send(ConnectionId connection, const ZooReply& reply);
  void tell(const std::vector<ZooWatches::Fired>& fired);
  void drop(ConnectionId connection);  // by the server
  void forget(ConnectionId connection);
  void send_late_events();
  ZooJudge::ConnectionName name_of(ConnectionId c) const { return {sid_, c}; }

  // server_leader.cpp
  // Whose connection a write came on: this server's own, or a learner's link.  A learner that has connected anew
  // is another owner, as another LearnerHandler is; what it sent before then may only be refused.
  using Owner = std::uint64_t;
  static constexpr Owner kSelf = 0;
  void submit(ZabSid origin, Owner owner, Ticket ticket, std::int64_t session, std::uint32_t hold,
              const ZooRequest& request);
  void propose(ZabSid origin, Ticket ticket, std::int64_t session, std::int32_t xid, const ZooTxn& txn);
  bool reattach(Owner owner, std::int64_t session, std::int64_t timeout_ms);
  void expire_sessions();
  void remove_containers();
  bool note_touch(std::int64_t session, std::int64_t timeout_ms);
  void record_role();

  // ZabMachine
  void apply(const ZabEntry& entry) override;
  std::string snapshot() override { return tree_.snapshot(); }
  void restore(std::string_view snapshot, ZabZxid zxid) override;
  void keep_truncated(const ZabEntry& entry) override;
  void truncates(ZabZxid last) override;
  void leads(ZabEpoch epoch) override;
  void follows(ZabSid leader) override;
  void steps_back() override;
  void from_learner(ZabSid sid, ZabLink link, std::string_view body) override;
  void from_leader(std::string_view body) override;
  void synced(std::string_view body) override;
  std::string touched() override;
  ZabMs takes_to_listen() override { return draw_ms(setup_.options.start_leading); }
  ZabMs takes_to_serve() override { return draw_ms(setup_.options.start_serving); }
  void heard_touches(ZabSid sid, std::string_view body) override;

  ZooServerSetup setup_;
  ZooJudge own_judge_;  // nobody reads it
  ZooJudge* judge_ = nullptr;
  ZabSid sid_ = 0;
  std::optional<Service> service_;
  std::optional<ZabPeer> zab_;
  ZooTree tree_;
  ZooTreeChanges changes_{tree_};
  ZooWatches watches_;
  std::optional<ZooSessionTracker> tracker_;  // of a leader; of every server in a broken twin
  ZooTouchTable touches_;                     // of a learner
  Clients clients_;
  std::map<Ticket, ConnectionId> tickets_;
  std::vector<Link> links_;
  std::vector<VoteLink> votes_;  // by sid - 1
  std::uint64_t last_ticket_ = 0;
  std::uint32_t sessions_made_ = 0, steps_ = 0, writes_ = 0, next_container_check_ = 0;
  ZabMs containers_at_ = kZabNever;

  WaitId nap_ = 0;  // of the main task; 0: it is awake
  ZabMs nap_until_ = 0;
  std::deque<ZabRecord> to_write_;
  ZabPosition written_ = 0;  // the last position that was taken from to_write_
  std::optional<Event> something_to_write_;
  Journal log_, snapshots_;
  FileId accepted_file_ = 0, current_file_ = 0;

  // Reused by every message.
  ZabMessage packet_;
  ZooRequest request_;
  std::string packed_;
  std::vector<ZooEffect> effects_;
  std::vector<ZooWatches::Fired> fired_, late_;
};

}  // namespace picklock
