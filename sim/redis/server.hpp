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
// From:      redis 7.0, as measured, and its source as far as timing and durability go.
// Left out:  RDB, AOF rewriting, the time that loading takes, output buffer limits; the active cycle's
//            limit on CPU time.  A corrupt append-only file, at which a real server refuses to start, is an
//            error of the simulation.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/core/disk.hpp"
#include "sim/core/service.hpp"
#include "sim/core/world.hpp"
#include "sim/redis/inspect.hpp"
#include "sim/redis/log_writer.hpp"
#include "sim/redis/options.hpp"
#include "sim/redis/sessions.hpp"

namespace picklock {

// Serves one node at a time.  Used again for further runs it keeps its buffers and nothing else.
class RedisServer final : public Program {
 public:
  // The scripts that EVAL finds by name; they must outlive the server.
  explicit RedisServer(std::span<const RedisScript* const> scripts = {}, const RedisOptions& options = {})
      : options_(options), database_(scripts), sessions_(database_) {}

  void set_options(const RedisOptions& options) { options_ = options; }  // before a boot
  void boot(World& world, NodeId node) override;
  void clock_stepped(World& world, NodeId node) override;
  std::uint64_t fingerprint(const World& world, NodeId node) const override;

  RedisInspect inspect(const World& world, NodeId node) const;  // empty unless it lives

 private:
  class Nap;
  class Outbox;

  Task<void> serve(Service service);
  void execute(const Service& service, const Message& request, Outbox& outbox);
  void expire_actively(const Service& service);
  void take_notes(const Service& service, std::int64_t now_ms, std::uint32_t hold);

  void load(World& world, NodeId node);
  Task<void> flush(Service service);  // the end of a turn, as far as the disk is concerned
  Task<void> sync_in_background(Service service);

  Task<void> cron(Service service);
  std::optional<MonoTime> next_tick(const Host& host);
  bool cron_has_work(const Host& host) const;
  std::int64_t first_instant_ms(std::int64_t deadline_ms) const;  // when the cycle may delete it

  RedisOptions options_;
  RedisDatabase database_;
  RedisSessions sessions_;
  RedisOutputs out_;
  std::optional<LogWriter> log_;  // with appendonly
  FileId file_ = 0;

  // Who sleeps: set while it does.  Never looked at after the process has died.
  Nap *main_nap_ = nullptr, *cron_nap_ = nullptr, *sync_nap_ = nullptr;
  bool in_turn_ = false;
  bool cron_due_ = false;  // main shall do the cron's work in its next turn

  // What the cron's sleep is based on.
  MonoTime cron_phase_{};
  Duration cron_period_{};
  std::int64_t cron_deadline_ms_ = 0;  // the earliest it knows of
  bool cron_watches_log_ = false;
};

}  // namespace picklock
