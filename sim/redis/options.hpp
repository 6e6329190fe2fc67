// Options of a simulated Redis server, with the names and defaults of redis.conf (7.0).
//
// A real server counts the times of replication in whole seconds; fractions are cut off.
#pragma once

#include <array>

#include "sim/task/fields.hpp"

namespace picklock {

enum class AppendOnly : std::uint8_t {
  no,        // nothing on disk: a restart comes back empty
  everysec,  // write() before the replies, fsync in the background once a second
  always     // write() and fsync before the replies
};
constexpr auto enum_names(AppendOnly) { return name_list("no", "everysec", "always"); }

// The clock with which a server measures its time out of service after a restart.
enum class RestartClock : std::uint8_t { monotonic, wall };
constexpr auto enum_names(RestartClock) { return name_list("monotonic", "wall"); }

struct RedisOptions {
  AppendOnly appendonly = AppendOnly::no;
  std::int64_t hz = 10;
  bool auto_aof_load = true;
  bool expire_at_deadline = false;
  bool watch_sees_expiry = true;

  Duration repl_timeout = seconds(60);
  Duration repl_ping_replica_period = seconds(10);
  Duration repl_diskless_sync_delay = seconds(5);
  std::int64_t repl_backlog_size = 1 << 20;
  std::int64_t min_replicas_to_write = 0;
  Duration min_replicas_max_lag = seconds(10);
  bool replica_read_only = true;
  std::int64_t replica_priority = 100;
  // An option of the operators, not of the server: "delayed restarts" of the Redlock page.
  Duration restart_delay{};
  RestartClock restart_delay_clock = RestartClock::monotonic;

  void fields(FieldVisitor& v) {
    constexpr std::int64_t kSecond = 1'000'000'000, kYear = 31'536'000 * kSecond;
    v.field({.name = "appendonly", .help = "append-only file: none, synced once a second, or synced before each reply"},
            appendonly);
    v.field({.name = "hz", .help = "runs a second of the background cycle", .least = 1, .most = 500}, hz);
    v.field({.name = "auto-aof-load", .help = "load the append-only file at a restart, if there is one"},
            auto_aof_load);
    v.field({.name = "expire-at-deadline",
             .help = "delete expired keys at their deadline (7.4) instead of a millisecond later (7.0)"},
            expire_at_deadline);
    v.field({.name = "watch-sees-expiry",
             .help = "abort EXEC if a watched key has expired (6.0.9 on); else an expiry is no modification"},
            watch_sees_expiry);
    v.field({.name = "repl-timeout",
             .help = "silence after which either end gives a replication link up, in whole seconds",
             .least = kSecond,
             .most = kYear},
            repl_timeout);
    v.field({.name = "repl-ping-replica-period",
             .help = "time between a master's pings to its replicas, in whole seconds",
             .least = kSecond,
             .most = kYear},
            repl_ping_replica_period);
    v.field({.name = "repl-diskless-sync-delay",
             .help = "delay before a master sends a snapshot, in whole seconds",
             .least = 0,
             .most = kYear},
            repl_diskless_sync_delay);
    v.field({.name = "repl-backlog-size",
             .help = "bytes of the stream that a master keeps for returning replicas",
             .least = 1,
             .most = std::int64_t{1} << 40},
            repl_backlog_size);
    v.field({.name = "min-replicas-to-write",
             .help = "good replicas without which a master refuses writes; 0: it never refuses",
             .least = 0,
             .most = 1000},
            min_replicas_to_write);
    v.field({.name = "min-replicas-max-lag",
             .help = "longest silence of a good replica, in whole seconds; 0s: writes are never refused",
             .least = 0,
             .most = kYear},
            min_replicas_max_lag);
    v.field({.name = "replica-read-only", .help = "refuse writes of clients on a replica"}, replica_read_only);
    v.field({.name = "replica-priority",
             .help = "rank for promotion, the smallest first; 0: never this one",
             .least = 0,
             .most = 1000},
            replica_priority);
    v.field({.name = "restart-delay", .help = "time out of service after each restart", .least = 0, .most = kYear},
            restart_delay);
    v.field({.name = "restart-delay-clock", .help = "clock that measures restart-delay"}, restart_delay_clock);
  }
  bool operator==(const RedisOptions&) const = default;
};

}  // namespace picklock
