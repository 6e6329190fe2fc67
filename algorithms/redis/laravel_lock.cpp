#include "algorithms/redis/laravel_lock.hpp"

#include <utility>

#include "algorithms/redis/polling_lock.hpp"
#include "algorithms/redis/redis_scripts.hpp"
#include "algorithms/redis/redis_servers.hpp"

namespace picklock {

void LaravelLockOptions::fields(FieldVisitor& v) {
  v.field({.name = "release", .help = "release of Laravel"}, release);
  v.field({.name = "ttl", .help = "seconds that the caller gives the lock", .least = seconds(1).ns}, ttl);
  v.field({.name = "expires", .help = "whether the caller says for how long; the default of Cache::lock() is for ever"},
          expires);
  v.field({.name = "sleep", .help = "pause between two attempts of block()", .least = 0}, sleep);
  v.field({.name = "unique-job", .help = "the lock of a unique job: its release is forceRelease()"}, unique_job);
  v.field({.name = "job-retry",
           .help = "time until a unique job that failed is tried again; none: it succeeds",
           .least = 0},
          job_retry);
}

LaravelLock::LaravelLock(const LockContext& context, const LaravelLockOptions& options)
    : Lock(context.host), redis_(context.get<RedisServers>()[0]), name_(context.name), options_(options) {}

std::string LaravelLock::owner() const { return options_.release == LaravelRelease::v5_7 ? "1" : owner_value(host_); }

// True if block() throws a LockTimeoutException now: before its pause; up to 5.8 after it, and in whole seconds.
bool LaravelLock::time_is_over(WallTime started, Duration wait) const {
  const WallTime now = host_.wall_now();
  if (!sets_twice()) return now + options_.sleep - started >= wait;
  const auto second = [](WallTime t) { return t.ns / seconds(1).ns; };
  return second(now) - wait.ns / seconds(1).ns >= second(started);
}

Task<Acquired> LaravelLock::acquire(Patience patience) {
  const WallTime started = host_.wall_now();
  const Duration wait = patience.remaining();
  for (;;) {
    const Acquired taken = co_await get();
    if (taken.yes() || !said_no(taken)) co_return taken;  // an error is an exception
    if (wait == Duration{}) co_return taken;
    const bool limited = wait < kForever;
    if (limited && !sets_twice() && time_is_over(started, wait)) co_return taken;
    co_await host_.sleep(options_.sleep);
    if (limited && sets_twice() && time_is_over(started, wait)) co_return taken;
  }
}

Task<Acquired> LaravelLock::get() {
  const MonoTime asked = host_.monotonic_now();
  Hold hold(owner());
  if (options_.expires) hold.deadline = asked + options_.ttl;
  if (sets_twice() || !options_.expires) {
    const auto set = co_await redis_.setnx(name_, hold.value);
    if (!set.yes()) co_return passed_on<Hold>(set);
    if (options_.expires) {
      const auto expiring = co_await redis_.expire(name_, options_.ttl);
      if (expiring.unknown()) co_return passed_on<Hold>(expiring);  // an exception: the key is there, perhaps for ever
    }
  } else {
    const RedisCommand set("SET", name_, hold.value, "EX", options_.ttl.ns / seconds(1).ns, "NX");
    const auto answer = co_await redis_.command(set);
    if (!answer.yes()) co_return passed_on<Hold>(answer);
    if (answer.value().is_nil()) co_return Acquired::refusal();
  }
  if (hold.deadline) host_.announce_deadline(DeadlineKind::lease, *hold.deadline);
  current_ = hold;
  co_return Acquired::of(hold);
}

Task<Outcome<>> LaravelLock::release(Hold hold) {
  if (options_.unique_job || options_.release == LaravelRelease::v5_7) {
    const auto deleted = co_await redis_.del(name_);
    const bool tried_again = options_.unique_job && options_.job_retry.has_value();
    if (tried_again) host_.spawn("retried job", try_job_again(host_, this));
    if (deleted.unknown()) co_return deleted;
    co_return Outcome<>::of({});  // the library ignores DEL's answer
  }
  const Outcome<> deleted = co_await delete_if_equals(redis_, name_, hold.value);
  co_return deleted;
}

Task<void> LaravelLock::try_job_again(Host host, LaravelLock* self) {
  co_await host.sleep(*self->options_.job_retry);
  if (self->options_.release == LaravelRelease::v13_5) co_return;
  const auto deleted = co_await self->redis_.del(self->name_);
  (void)deleted;
}

Task<Outcome<>> LaravelLock::force_release() {
  const auto deleted = co_await redis_.del(name_);
  co_return deleted;
}

Task<Outcome<MonoTime>> LaravelLock::extend(Hold hold) {
  if (!options_.expires || sets_twice()) co_return Outcome<MonoTime>::refusal();  // no such method
  const MonoTime asked = host_.monotonic_now();
  const Outcome<> extended = co_await expire_if_equals(redis_, name_, hold.value, options_.ttl);
  if (!extended.yes()) co_return passed_on<MonoTime>(extended);
  const MonoTime due = asked + options_.ttl;
  host_.announce_deadline(DeadlineKind::lease, due);
  if (hold.value == current_.value) current_.deadline = due;
  co_return Outcome<MonoTime>::of(due);
}

std::optional<MonoTime> LaravelLock::deadline(const Hold& hold) const {
  return hold.value == current_.value ? current_.deadline : hold.deadline;
}

}  // namespace picklock
