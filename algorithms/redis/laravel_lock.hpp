// The Redis lock of Laravel's cache, and the unique jobs of its queue.
//
//   get      one attempt: SET name owner EX seconds NX; the owner is 16 random characters for each Cache::lock()
//   block    attempts 250 ms apart, until the wall clock says that the time is over
//   refresh  a script: name has this owner: EXPIRE
//   release  a script: name has this owner: DEL
//   force    DEL
//
//   release = "5.7"   acquire is SETNX, then EXPIRE; the value is 1 and release is a bare DEL, so a late one frees another's
//                     lock (#26213)
//   release = "5.8"   owners and the script (PR #26645); still SETNX, then EXPIRE
//   release = "13.4"  SET EX NX
//   release = "13.5"  the same; an attempt of a job after its first one leaves the unique lock alone (PR #59567)
//
// `unique-job`: the lock of a job that is unique until it is processed (ShouldBeUniqueUntilProcessing).  It is taken when the job is
// dispatched, and freed by force when a worker begins the job, without a look at its owner.  A job that fails is tried again
// `job-retry` later; up to 13.4 that attempt frees the lock once more, even if another has it by then.
//
// From:      laravel/framework, src/Illuminate/Cache/{Lock,RedisLock,LuaScripts}.php, Bus/UniqueLock.php,
//            Queue/CallQueuedHandler.php; tags 5.7.9, 5.8.0, 13.4.0, commit 1741307c.
// Promises:  at most one unexpired lease per name, while the server keeps its data and its clock; of a unique job: one job that
//            waits, unless the lock is freed by force.
// Does not:  expire, unless its caller says for how long (`expires`): the default of Cache::lock() is 0, for ever.
//            Renew itself, or tell a holder anything: release answers false, which few read.
// Abandoned: a SET on its way leaves an owner that no process knows; the name is free again after `ttl`, or never.
// Left out:  the key's prefix; serializers and compression of phpredis; the owner that later releases keep for a job.
#pragma once

#include <optional>
#include <string>

#include "algorithms/lock.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

enum class LaravelRelease : std::uint8_t { v5_7, v5_8, v13_4, v13_5 };
constexpr auto enum_names(LaravelRelease) { return name_list("5.7", "5.8", "13.4", "13.5"); }

struct LaravelLockOptions {
  LaravelRelease release = LaravelRelease::v13_5;
  Duration ttl = seconds(10);  // whole seconds
  bool expires = true;
  Duration sleep = milliseconds(250);
  // --- of the application
  bool unique_job = false;
  std::optional<Duration> job_retry;  // none: the job succeeds
  void fields(FieldVisitor& v);
};

class LaravelLock final : public Lock {
 public:
  LaravelLock(const LockContext& context, const LaravelLockOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Task<Outcome<>> force_release() override;
  Task<Outcome<MonoTime>> extend(Hold hold) override;
  std::optional<MonoTime> deadline(const Hold& hold) const override;

 private:
  bool sets_twice() const { return options_.release <= LaravelRelease::v5_8; }
  std::string owner() const;
  Task<Acquired> get();
  bool time_is_over(WallTime started, Duration wait) const;
  static Task<void> try_job_again(Host host, LaravelLock* self);

  Redis redis_;
  std::string name_;
  LaravelLockOptions options_;
  Hold current_;
};

}  // namespace picklock
