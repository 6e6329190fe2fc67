// RedisCron keeps the time of a server's background cycle: its grid of ticks, the deadline it sleeps towards, and
// whether main owes it a turn.
//
// It ticks hz times a second on a grid whose phase is drawn.  It leaves ticks out at which nothing could happen.  They
// would delete nothing and draw nothing, so the difference cannot be seen.
#pragma once

#include <optional>
#include <utility>

#include "sim/redis/config.hpp"
#include "sim/redis/process.hpp"

namespace picklock {

class RedisCron {
 public:
  // Work to be done, from which the cron computes its next tick.
  class Agenda {
   public:
    virtual std::int64_t next_deadline_ms() const = 0;  // earliest deadline of keys it deletes itself, or kNoExpiry
    virtual bool log_is_busy() const = 0;               // the append-only file has bytes to write or to sync
    virtual bool needs_seconds() const = 0;             // replication has something to do each second

   protected:
    ~Agenda() = default;
  };

  RedisCron(RedisProcess& process, const RedisConfig& config, const Agenda& agenda)
      : process_(process), config_(config), agenda_(agenda) {}

  void boot();
  Task<void> keep_time(Service service);  // the task "cron": it wakes main when a tick has work

  // --- for main
  bool is_due() const { return due_; }
  bool take_due() { return std::exchange(due_, false); }
  bool take_second() { return std::exchange(second_due_, false); }  // the tick began a second of replication
  std::int64_t ticks_at(MonoTime now) const { return floor_div((now - phase_).ns, period_.ns); }

  // --- what changes the cron's sleep
  void look_again() { bell_.ring(); }
  void seconds_are_needed() {
    if (!counts_seconds_) bell_.ring();
  }
  void log_has_work() {
    if (!watches_log_) bell_.ring();
  }
  bool sleeps_past(std::int64_t deadline_ms) const { return deadline_ms < deadline_ms_; }
  // True if it sleeps for a deadline alone: without one it need not wake.
  bool sleeps_for_deadline() const { return !watches_log_ && !counts_seconds_ && bell_.has_timer(); }
  void drop_deadline() {
    bell_.drop_timer();
    deadline_ms_ = kNever_ms;
  }

  std::int64_t ns_since_tick(MonoTime now) const { return (now - phase_).ns % period_.ns; }

 private:
  std::optional<MonoTime> next_tick(const Host& host);
  bool has_work() const;
  std::int64_t first_instant_ms(std::int64_t deadline_ms) const;  // earliest instant at which the cycle deletes the key

  RedisProcess& process_;
  const RedisConfig& config_;
  const Agenda& agenda_;
  Bell bell_;
  MonoTime phase_{};
  Duration period_{};
  bool due_ = false, second_due_ = false;

  // Deadline that its sleep is based on.
  std::int64_t deadline_ms_ = kNever_ms;
  bool watches_log_ = false, counts_seconds_ = false;
  std::int64_t last_second_ = 0;
};

}  // namespace picklock
