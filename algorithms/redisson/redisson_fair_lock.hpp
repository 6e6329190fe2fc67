// Redisson's fair lock: waiters queue in a list, and only the head may enter.
//
//   acquire  script: drop heads whose time is over; if there is no lock and I am the head, or there is
//            none, enter; else queue up, waited for until the one before me + `fair-wait`, or + the waitTime
//   tryLock() of its own script: enters in the same way, and never queues (`zero-patience`)
//   release  DEL, and PUBLISH to the new head alone
//   give up  leave the queue, before tryLock answers false; after an exception it stays, and is waited for: until 4.6 also
//            after a request without an answer (#5019, `try-lock-timeout`)
//
// From:      Redisson, RedissonFairLock; 3.16.8, 3.52 and 4.7 by `release`.
// Promises:  what RedissonLock does, and entry in the order of the first asks, among living waiters, for `fair-wait`.
// Does not:  notice a dead head before its time is over: the rest waits up to `fair-wait` for each.  The lock is free
//            meanwhile, and those who are told to wait for the rest of its lease, 0 ms, ask without a pause.
//            Keep the order of a queue that is not empty for a lease and one `fair-wait`, 330 s by default: each entry
//            brings the times of all behind it nearer by `fair-wait`, so the head has that of the first client that
//            queued; then living heads are dropped, and queue up at the end (redisson_fair_busy_queue).
//            Times are the clients' wall clocks: a fast one drops heads that are alive.  A head without a time
//            blocks the queue (in 3.16.8 its script fails: not modelled).
// Abandoned: it stays in the queue like a dead waiter.
//
// Known bugs: fair-scores = "drifting" (#1104, #2099; repaired by PR#2100 in 3.11.1): each attempt moves
// a waiter's time further out, to hours.  fair-ttl = "own" (#3004, until 3.31): a waiter past its time is told to
// wait for a negative time, that is for a message, and after it was dropped none is sent to it.
#pragma once

#include "algorithms/redisson/redisson_lock.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

enum class FairScores : std::uint8_t { kept, drifting };
constexpr auto enum_names(FairScores) { return name_list("kept", "drifting"); }

enum class FairTtl : std::uint8_t { lock, own };
constexpr auto enum_names(FairTtl) { return name_list("lock", "own"); }

// The call that an acquire without patience stands for.
enum class ZeroPatience : std::uint8_t {
  try_lock_0,  // tryLock(0, unit): queues, is refused, and leaves the queue by a second request
  try_lock     // tryLock(): one request, which does not queue
};
constexpr auto enum_names(ZeroPatience) { return name_list("try-lock-0", "try-lock"); }

struct RedissonFairOptions {
  RedissonOptions lock;
  Duration fair_wait = seconds(300);
  FairScores scores = FairScores::kept;
  FairTtl ttl = FairTtl::lock;
  ZeroPatience zero_patience = ZeroPatience::try_lock_0;
  ScriptResend give_up_resend = ScriptResend::on_timeout;  // 3.24 to 4.6: with_replicas
  static RedissonFairOptions of(RedissonRelease release);
  void fields(FieldVisitor& v);
};

class RedissonFairLock final : public RedissonBaseLock {
 public:
  RedissonFairLock(const LockContext& context, const RedissonFairOptions& options);

 protected:
  RedisCommand acquire_command(Duration lease, std::optional<Duration> wait) override;
  RedisCommand unlock_command(const std::string& request_id) override;
  RedisCommand force_command() override;
  std::string channel_name() const override;
  Task<Outcome<>> gave_up(std::optional<Duration> wait) override;

 private:
  std::string now_ms() const;
  std::string wait_ms(std::optional<Duration> wait) const;
  bool asks_once(std::optional<Duration> wait) const {
    return wait && wait->ns == 0 && fair_.zero_patience == ZeroPatience::try_lock;
  }

  RedissonFairOptions fair_;
  std::string queue_, timeouts_;
};

}  // namespace picklock
