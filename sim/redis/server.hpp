// The Redis server: the pure database (database.hpp) as a process of a simulated world.
//
//   RedisServer server(scripts);
//   server.set_options({.appendonly = AppendOnly::everysec});
//   world.install(node, server);
//
// Like the real one it is a single thread, the task "main".  A turn of its loop executes what had
// been received when it began, writes the append-only file, and only then lets replies and messages
// of publish/subscribe leave.  Two more tasks only keep time for it: "cron" and "fsync".
//
// Replication (server_replication.cpp, server_replica.cpp) is asynchronous: a master answers without waiting for
// replicas.
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

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/core/disk.hpp"
#include "sim/core/first_heard.hpp"
#include "sim/core/service.hpp"
#include "sim/core/world.hpp"
#include "sim/redis/bus.hpp"
#include "sim/redis/control.hpp"
#include "sim/redis/inspect.hpp"
#include "sim/redis/log_writer.hpp"
#include "sim/redis/options.hpp"
#include "sim/redis/replication.hpp"
#include "sim/redis/replication_stream.hpp"
#include "sim/redis/sessions.hpp"

namespace picklock {

// Mistakes that a server could make, for tests that must notice them.
struct RedisFlaws {
  bool acks_before_applying = false;  // and applies with the next cron of replication
  bool keeps_data_on_resync = false;  // a snapshot is added to what is there
  bool relative_expiry = false;       // deadlines travel as time left, as before 7.0
  bool operator==(const RedisFlaws&) const = default;
};

// Serves one node at a time.  Used again for further runs it keeps its buffers and nothing else.
class RedisServer final : public Program, private RedisControl {
 public:
  // The scripts that EVAL finds by name; they must outlive the server.
  explicit RedisServer(std::span<const RedisScript* const> scripts = {}, const RedisOptions& options = {})
      : given_{options, 0, false}, stored_(given_), database_(scripts), sessions_(database_) {
    database_.set_control(this);
  }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  // What its configuration file says; before a boot.  A run begins with what was given here; what
  // CONFIG REWRITE has changed holds until its end.
  void set_options(const RedisOptions& options) {
    given_.options = stored_.options = options;
    first_heard_.clear();
  }
  // 0: a master.  in_place: its first synchronization does not wait for repl-diskless-sync-delay, as if
  // the run had begun after it; then it lasts the four round trips of its handshake.
  void set_master(NodeId master, bool in_place = true) {
    given_.master = stored_.master = master;
    given_.link_in_place = stored_.link_in_place = in_place;
  }
  void set_flaws(const RedisFlaws& flaws) { flaws_ = flaws; }
  void set_bus(RedisBus* bus) { bus_ = bus; }  // of a cluster; null: none.  It must outlive the server.
  void boot(World& world, NodeId node) override;
  void clock_stepped(World& world, NodeId node) override;
  std::uint64_t fingerprint(const World& world, NodeId node) const override;

  RedisInspect inspect(const World& world, NodeId node) const;  // empty unless it lives
  NodeId master() const { return link_.master; }                // 0: it is one itself
  // For the judge: when a command on behalf of a hold was first served here.
  const FirstHeard& first_heard() const { return first_heard_; }
  const ReplicationStream& stream() const { return stream_; }
  const MasterLink& link() const { return link_; }
  const RedisReplicas& replicas() const { return replicas_; }

 private:
  struct Config {  // a configuration file
    RedisOptions options;
    NodeId master = 0;
    bool link_in_place = false;
  };
  class Nap;
  class Outbox;

  Task<void> serve(Service service);
  Task<void> stay_out_of_service(Service service);  // turns away whoever asks
  Message next_message(World& world);
  void connection_news(const Message& message);
  bool cannot_be_served(Message& message);
  void execute(const Service& service, const Message& request, Outbox& outbox);
  void expire_actively(const Service& service);
  void do_cron_work(const Service& service);
  void send_deliveries();
  void take_notes(std::int64_t now_ms, std::uint32_t hold);
  void record_field(std::string_view key, std::string_view name, std::uint32_t by);
  void record_keys();

  void load(World& world, NodeId node);
  Task<void> flush(Service service);  // the end of a turn, as far as the disk is concerned
  Task<void> sync_in_background(Service service);

  Task<void> cron(Service service);
  std::optional<MonoTime> next_tick(const Host& host);
  bool cron_has_work(const Host& host) const;
  std::int64_t first_instant_ms(std::int64_t deadline_ms) const;  // when the cycle may delete it
  std::int64_t cycle_at(MonoTime now) const;                      // ticks of its grid so far
  std::int64_t own_next_deadline() const;

  // --- server_replication.cpp: as a master
  bool counts_seconds() const {  // replication has something to do each second
    return link_.master != 0 || !replicas_.all().empty();
  }
  void begin_replication();  // at a boot
  void end_turn_of_replication(const Host& host);
  void replication_cron();
  void feed(std::uint32_t hold);  // the effects of out_ to stream and replicas
  void feed_unit(std::string_view unit);
  void send_unit(const RedisReplica& to, std::int64_t start, std::string_view unit);
  void send_snapshots();
  void end_replica(ConnectionId connection);
  void end_replicas();
  void count_good_replicas();
  ReplicationId new_id();
  // … as a replica: server_replica.cpp
  void become_replica(NodeId master);
  void become_master();
  void follow_own_role();  // tells database and judge
  void connect_to_master();
  void lose_master(bool reconnect);
  void say_to_master(const RedisCommand& command, std::uint64_t call);
  void acknowledge(std::int64_t offset) { say_to_master(RedisCommand("REPLCONF", "ACK", offset), 0); }
  void link_news(const Message& message);
  void hear_from_master(const Message& message);
  void take_from_stream(std::string_view body);
  void load_snapshot(std::string_view body);
  void apply_unit(std::string_view unit);
  void apply_received();
  // … and WAIT
  std::optional<MonoTime> next_wait_deadline(const Host& host) const;
  void end_waits(const Host& host);
  void end_wait(std::size_t index, const RedisReply& reply);
  BlockedWait* blocked(ConnectionId connection);

  // --- server_bus.cpp: as a node of a cluster
  Task<void> keep_time_of_bus(Service service);
  void boot_bus();
  void tick_bus();
  void follow_bus();
  void say_whether_bus_serves();
  Task<void> store_bus(Service service);
  std::optional<RedisReply> bus_says(RedisSession& session, const RedisCommandView& command, std::int64_t now_ms);

  // --- server_control.cpp
  RedisReply control(RedisControlCommand command, RedisCall& call) override;
  RedisReply client_command(RedisCall& call);
  RedisReply config_command(RedisCall& call);
  RedisReply info(RedisCall& call) const;
  RedisReply psync(RedisCall& call);
  RedisReply replconf(RedisCall& call);
  RedisReply replicaof(RedisCall& call);
  RedisReply role() const;
  RedisReply wait(RedisCall& call);
  void close(ConnectionId connection);
  std::int64_t now_s() const;
  std::uint64_t run_id() const;
  void apply_config();

  FirstHeard first_heard_;
  Config given_, stored_;  // as the run began; as a restart will read it
  RedisOptions options_;   // as it runs
  RedisFlaws flaws_;
  RedisDatabase database_;
  RedisSessions sessions_;
  RedisOutputs out_;
  std::optional<LogWriter> log_;  // with appendonly
  FileId file_ = 0;

  // Who sleeps: set while it does.  Never looked at after the process has died.
  Nap *main_nap_ = nullptr, *cron_nap_ = nullptr, *sync_nap_ = nullptr;
  Outbox* outbox_ = nullptr;  // of main
  Nap* bus_nap_ = nullptr;    // of its time-keeper
  bool in_turn_ = false;
  bool out_of_service_ = false;
  bool cron_due_ = false;  // main shall do the cron's work in its next turn

  // What the cron's sleep is based on.
  MonoTime cron_phase_{};
  Duration cron_period_{};
  std::int64_t cron_deadline_ms_ = 0;  // the earliest it knows of
  bool cron_watches_log_ = false;

  // Replication.
  World* world_ = nullptr;
  NodeId node_ = 0;
  ReplicationStream stream_;
  RedisReplicas replicas_;
  MasterLink link_;
  std::vector<BlockedWait> waits_;
  std::deque<Message> released_;       // of connections that wait no longer
  std::deque<std::string> unapplied_;  // with acks_before_applying
  std::string unit_, message_;         // kept for their capacity
  const Message* request_ = nullptr;   // that is being executed
  std::uint32_t ids_drawn_ = 0;
  bool had_a_role_ = false;                                  // the judge has been told of one in this run
  static constexpr std::uint32_t kBootOrdinal = 0x80000000;  // of what main does at a boot
  std::int64_t good_replicas_ = 0, last_second_ = 0, seconds_ = 0;
  bool second_due_ = false, counted_seconds_ = false, answers_later_ = false, asks_for_acks_ = false;

  // The cluster's bus.
  RedisBus* bus_ = nullptr;
  FileId bus_file_ = 0;
  std::uint32_t bus_ticks_ = 0;
  bool bus_due_ = false, bus_serves_ = true;
};

}  // namespace picklock
