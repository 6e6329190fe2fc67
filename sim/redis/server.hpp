// The Redis server: the pure database (database.hpp) as a process of a simulated world.
//
//   RedisServer server(scripts);
//   server.set_options({.appendonly = AppendOnly::everysec});
//   world.install(node, server);
//
// Like the real one it is a single thread, the task "main".  A turn of its loop executes what had been received when
// it began, writes the append-only file, and only then lets replies and messages of publish/subscribe leave.  Three
// more tasks only keep time for it: "cron", "fsync" and, in a cluster, "cluster".
//
// RedisServer keeps its parts and the request that main executes; each part keeps its own state:
//   RedisConfig       options                          RedisSessions     clients, by connection
//   RedisProcess      machine, clocks, outbox          RedisMasterSide   stream and replicas
//   RedisCron         when there is background work    RedisReplicaSide  role and link to a master
//   RedisStore        keys, their file, the journal    RedisWaits        clients that wait for replicas
//                                                      RedisBusSeat      the node's place in a cluster
//
// Replication is asynchronous: a master answers without waiting for replicas.
//
//   server.set_master(node);                a replica from its first boot on; or, as a command,
//   REPLICAOF name-of-node 6379             which CONFIG REWRITE makes survive a restart
//
// From:      redis 7.0, as measured, and its source as far as timing and durability go.
// Left out:  RDB files: no save points, so without appendonly a restart is empty, as with `save ""`.  It
//            hides that a real server with the default save points may come back with old data.
//            AOF rewriting, the time that forks, transfers and loading take, output buffer limits; the
//            active cycle's limit on CPU time.  CLIENT KILL does not find connections on which nothing
//            was ever asked.  CLIENT PAUSE, FAILOVER, SHUTDOWN, replica-serve-stale-data no.
//            A corrupt append-only file, at which a real server refuses to start, is an error of the
//            simulation.
#pragma once

#include <optional>
#include <span>

#include "sim/core/first_heard.hpp"
#include "sim/core/service.hpp"
#include "sim/core/world.hpp"
#include "sim/redis/bus_seat.hpp"
#include "sim/redis/config.hpp"
#include "sim/redis/control.hpp"
#include "sim/redis/cron.hpp"
#include "sim/redis/inspect.hpp"
#include "sim/redis/master_side.hpp"
#include "sim/redis/process.hpp"
#include "sim/redis/replica_side.hpp"
#include "sim/redis/sessions.hpp"
#include "sim/redis/store.hpp"
#include "sim/redis/waits.hpp"

namespace picklock {

// Serves one node at a time.  Used again for further runs it keeps its buffers and nothing else.
class RedisServer final : public Program, private RedisControl, private RedisCron::Agenda {
 public:
  // The scripts that EVAL finds by name; they must outlive the server.
  explicit RedisServer(std::span<const RedisScript* const> scripts = {}, const RedisOptions& options = {});
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  // Options of its configuration file; before a boot.  A run begins with the options given here; a
  // change by CONFIG REWRITE holds until the end of the run.
  void set_options(const RedisOptions& options) {
    config_.give(options);
    store_.journal().begin_run();
  }
  // 0: a master.  in_place: its first synchronization does not wait for repl-diskless-sync-delay, as if
  // the run had begun after it; then it lasts the four round trips of its handshake.
  void set_master(NodeId master, bool in_place = true) { config_.give_master(master, in_place); }
  void set_flaws(const RedisFlaws& flaws) { config_.give_flaws(flaws); }
  void set_bus(RedisBus* bus) { bus_.take(bus); }  // a cluster's bus; null: none.  It must outlive the server.
  void boot(World& world, NodeId node) override;
  void clock_stepped(World& world, NodeId node) override;
  std::uint64_t fingerprint(const World& world, NodeId node) const override;

  RedisInspect inspect(const World& world, NodeId node) const;  // empty unless it lives
  NodeId master() const { return replica_side_.master(); }      // 0: it is one itself
  const MasterLink& link() const { return replica_side_.link(); }
  const ReplicationStream& stream() const { return master_side_.stream(); }
  const RedisReplicas& replicas() const { return master_side_.replicas(); }
  // The judge asks when a command on behalf of a hold was first served here.
  const FirstHeard& first_heard() const { return store_.journal().first_heard(); }

 private:
  enum class Phase : std::uint8_t { out_of_service, between_turns, in_turn };

  Task<void> serve(Service service);
  Task<void> stay_out_of_service(Service service);  // closes the connection of each request
  void hear_news(const Message& message);           // a connection was opened or has ended
  void handle(const Message& request);              // data on a connection that can be served
  // Its connection has been closed here, or waits for replicas: then the message is kept.
  bool cannot_be_served(Message& message) {
    return message.direction == 0 && (sessions_.is_shut(message.connection) || waits_.keep_if_waiting(message));
  }
  void execute(const Message& request);
  RedisReply reply_in_cluster(RedisSession& session, const RedisCommandView& command, std::int64_t now_ms);
  void do_cron_work(const Service& service);
  void tick_bus();
  void follow_bus();

  // Answer to the cron.
  std::int64_t next_deadline_ms() const override;
  bool log_is_busy() const override { return store_.log().is_busy(); }
  bool needs_seconds() const override { return !replica_side_.is_master() || !replicas().all().empty(); }

  // --- server_control.cpp: what clients let be done to the server
  RedisReply control(RedisControlCommand command, RedisCall& call) override;
  std::string_view mode() const override { return bus_.is_taken() ? "cluster" : "standalone"; }
  RedisReply answer_now_or_later(std::optional<RedisReply> reply);
  RedisReply client_kill(RedisCall& call);
  RedisReply config_command(RedisCall& call);
  RedisReply info(RedisCall& call) const;
  std::string info_on_replication() const;
  RedisReply psync(RedisCall& call);
  RedisReply replconf(RedisCall& call);
  RedisReply replicaof(RedisCall& call);
  RedisReply role() const;
  RedisReply wait(RedisCall& call);
  void become_replica(NodeId master);

  RedisConfig config_;
  RedisProcess process_;
  RedisCron cron_;
  RedisStore store_;
  RedisSessions sessions_;
  RedisMasterSide master_side_;
  RedisReplicaSide replica_side_;
  RedisWaits waits_;
  RedisBusSeat bus_;
  Outbox* packets_ = nullptr;         // packets for the bus; lives in the frame of main
  const Message* request_ = nullptr;  // request that is being executed
  bool answers_later_ = false;        // the request's reply does not leave with this turn, or never
  Phase phase_ = Phase::between_turns;
};

}  // namespace picklock
