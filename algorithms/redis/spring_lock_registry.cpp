#include "algorithms/redis/spring_lock_registry.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "algorithms/random_guid.hpp"
#include "algorithms/redis/polling_lock.hpp"
#include "algorithms/redis/redis_scripts.hpp"
#include "algorithms/redis/redis_servers.hpp"
#include "base/fnv.hpp"
#include "sim/task/combinators.hpp"

namespace picklock {
namespace {

// Gives the local lock back unless the server has granted the key; also when the acquire is abandoned.
class UnlockAtEnd {
 public:
  explicit UnlockAtEnd(LocalLock& lock) : lock_(&lock) {}
  UnlockAtEnd(const UnlockAtEnd&) = delete;
  UnlockAtEnd& operator=(const UnlockAtEnd&) = delete;
  ~UnlockAtEnd() {
    if (lock_ != nullptr) lock_->unlock();
  }
  void keep_it() { lock_ = nullptr; }

 private:
  LocalLock* lock_;
};

Task<Nothing> until_freed(Host, std::shared_ptr<LocalLock> local) {
  co_await local->freed().wait();
  co_return Nothing{};
}

Task<Nothing> until_cancelled(Host, std::shared_ptr<SpringRenewal> renewal) {
  co_await renewal->end().wait();
  co_return Nothing{};
}

}  // namespace

// --- the local lock

bool LocalLock::try_lock(std::uint32_t thread) {
  if (count_ > 0 && thread_ != thread) return false;
  thread_ = thread;
  ++count_;
  return true;
}

void LocalLock::unlock() {
  if (--count_ == 0) freed_.notify();
}

// --- the object of one name

void SpringLockObject::stop_renewal() {
  if (const auto newest = std::exchange(renewal, nullptr)) newest->cancel();
}

// --- the registry of a process

class SpringLockRegistry {
 public:
  explicit SpringLockRegistry(const Host& host) : host_(host), id_(random_uuid(host)) {}
  const std::string& id() const { return id_; }

  std::shared_ptr<SpringLockObject> obtain(const std::string& name, SpringRelease release) {
    auto& object = objects_[name];
    if (object) return object;
    object = std::make_shared<SpringLockObject>();
    object->local = release == SpringRelease::v7_1_0 ? local_of(name) : std::make_shared<LocalLock>(host_);
    if (release >= SpringRelease::v7_1) object->locked_at = host_.wall_now();
    return object;
  }
  std::shared_ptr<SpringLockObject> find(const std::string& name) const {
    const auto found = objects_.find(name);
    return found == objects_.end() ? nullptr : found->second;
  }
  void drop(const std::string& name) { objects_.erase(name); }

 private:
  // DefaultLockRegistry, which outlives the objects.
  std::shared_ptr<LocalLock> local_of(const std::string& name) {
    auto& local = locals_[name];
    if (!local) local = std::make_shared<LocalLock>(host_);
    return local;
  }

  Host host_;
  std::string id_;
  std::map<std::string, std::shared_ptr<SpringLockObject>, std::less<>> objects_;
  std::map<std::string, std::shared_ptr<LocalLock>, std::less<>> locals_;
};

// --- options

void SpringLockOptions::fields(FieldVisitor& v) {
  v.field({.name = "release", .help = "release of Spring Integration"}, release);
  v.field({.name = "ttl", .help = "expireAfter of the registry", .least = milliseconds(1).ns}, ttl);
  v.field({.name = "idle", .help = "pause between two attempts", .least = 0}, idle);
  v.field({.name = "renewal", .help = "a scheduler renews the key at once and every third of a lease (since 6.4)"},
          renewal);
  v.field({.name = "expire-unused",
           .help = "age for which the application calls expireUnusedOlderThan before each lock; none: it does not",
           .least = 0},
          expire_unused);
}

SpringLock::SpringLock(const LockContext& context, const SpringLockOptions& options)
    : Lock(context.host),
      redis_(context.get<RedisServers>()[0]),
      name_(context.name),
      options_(options),
      thread_(context.thread),
      registry_(context.process->get<SpringLockRegistry>(context.host)) {}

// --- lock

Task<Acquired> SpringLock::acquire(Patience patience) {
  const Duration wait = patience.remaining();
  if (options_.expire_unused) (void)co_await expire_unused(*options_.expire_unused);
  const Object object = registry_.obtain(name_, options_.release);
  if (options_.expire_unused) co_await host_.yield("a lock object was obtained, and is not locked yet");
  const bool locally = co_await lock_locally(object, wait);
  if (!locally) co_return Acquired::refusal();
  UnlockAtEnd local(*object->local);
  if (options_.release == SpringRelease::v7_1 && !registry_.find(name_)) {
    co_return Acquired::refusal(Why::error, "the lock was evicted from the cache");
  }
  auto taken = co_await lock_at_server(wait, object);
  if (!taken.yes()) co_return taken;
  local.keep_it();
  object->locked_at = host_.wall_now();
  object_ = object;
  co_return taken;
}

// Drops an object that is so old, unless this process has acquired it: as its local lock says, or, up to 6.0.3, as the
// key's value does.
Task<Nothing> SpringLock::expire_unused(Duration age) {
  const Object object = registry_.find(name_);
  if (!object || !is_old(*object, age)) co_return Nothing{};
  bool acquired = object->local->is_locked();
  if (options_.release <= SpringRelease::v6_0_3) {
    const auto value = co_await redis_.get(name_);
    acquired = value.yes() && value.value() == registry_.id();
  }
  if (!acquired && registry_.find(name_) == object) registry_.drop(name_);
  co_return Nothing{};
}

// An object that was never locked is as old as the clock up to 6.0.3, and of no age until it has one at its birth.
bool SpringLock::is_old(const SpringLockObject& object, Duration age) const {
  if (!object.locked_at) return options_.release <= SpringRelease::v6_0_3;
  const Duration unused = host_.wall_now() - *object.locked_at;
  return options_.release == SpringRelease::v7_1 ? unused >= age : unused > age;
}

Task<bool> SpringLock::lock_locally(Object object, Duration wait) {
  const MonoTime begun = host_.monotonic_now();
  while (!object->local->try_lock(thread_)) {
    const Duration left = wait == kForever ? wait : wait - (host_.monotonic_now() - begun);
    if (left <= Duration{}) co_return false;
    if (left == kForever) {
      co_await object->local->freed().wait();
    } else {
      const auto freed = co_await with_timeout(host_, until_freed(host_, object->local), left);
      (void)freed;
    }
  }
  co_return true;
}

// It waits by the wall clock, and for the whole time once more.
Task<Acquired> SpringLock::lock_at_server(Duration wait, Object object) {
  const WallTime begun = host_.wall_now();
  for (;;) {
    const MonoTime asked = host_.monotonic_now();
    const auto reply = co_await spring_obtain(redis_, name_, registry_.id(), options_.ttl);
    if (!reply.yes()) co_return passed_on<Hold>(reply);  // CannotAcquireLockException
    if (!reply.value().is_nil()) co_return grant(asked, object);
    if (wait < kForever && host_.wall_now() - begun >= wait) co_return Acquired::refusal();
    co_await host_.sleep(options_.idle);
  }
}

Acquired SpringLock::grant(MonoTime asked, const Object& object) {
  Hold hold(registry_.id());
  hold.deadline = object->due = asked + options_.ttl;
  host_.announce_deadline(DeadlineKind::lease, *hold.deadline);
  if (options_.renewal) {  // applies to a nested lock, too: the old renewal goes on, and no unlock knows it
    object->renewal = std::make_shared<SpringRenewal>(host_);
    host_.spawn("renewal", keep_renewing(host_, redis_, key(), object, object->renewal));
  }
  return Acquired::of(std::move(hold));
}

// --- unlock

Task<Outcome<>> SpringLock::release(Hold) {
  if (!object_ || !object_->local->held_by(thread_)) co_return Outcome<>::refusal();  // IllegalStateException
  const Object object = object_;
  UnlockAtEnd local(*object->local);
  if (object->local->count() > 1) co_return Outcome<>::of({});
  const Outcome<> removed = co_await remove_key();
  // A key that could not be removed goes on being renewed, until a renewal is refused.
  if (removed.yes()) object->stop_renewal();
  co_return removed;
}

Task<Outcome<>> SpringLock::remove_key() {
  if (options_.release >= SpringRelease::v7_0) {
    const Outcome<> deleted = co_await delete_if_equals(redis_, name_, registry_.id());
    co_return deleted;
  }
  if (options_.release == SpringRelease::v6_0_3) {
    const auto value = co_await redis_.get(name_);
    if (value.unknown()) co_return passed_on<Nothing>(value);
    if (!value.yes() || value.value() != registry_.id()) co_return Outcome<>::refusal();  // IllegalStateException
  }
  const auto deleted = co_await redis_.del(name_);
  if (deleted.unknown()) co_return deleted;
  co_return Outcome<>::of({});  // the library ignores DEL's answer
}

// --- renewal

SpringLock::KeyLease SpringLock::key() const { return {name_, registry_.id(), options_.ttl}; }

Task<Outcome<MonoTime>> SpringLock::renew(Host host, Redis redis, KeyLease key, Object object) {
  const MonoTime asked = host.monotonic_now();
  const Outcome<> renewed = co_await expire_if_equals(redis, key.name, key.id, key.ttl);
  if (renewed.why() == Why::refused) object->stop_renewal();
  if (!renewed.yes()) co_return passed_on<MonoTime>(renewed);
  const MonoTime due = asked + key.ttl;
  object->due = object->due ? std::max(*object->due, due) : due;
  host.announce_deadline(DeadlineKind::lease, due);
  co_return Outcome<MonoTime>::of(due);
}

// Errors are logged, and end nothing.
Task<void> SpringLock::keep_renewing(Host host, Redis redis, KeyLease key, Object object,
                                     std::shared_ptr<SpringRenewal> mine) {
  while (!mine->cancelled()) {
    host.declare_state(fnv1a(key.name, fnv1a("renewing")));
    co_await host.pass(mark::renews);
    const auto renewed = co_await renew(host, redis, key, object);
    (void)renewed;
    if (mine->cancelled()) co_return;
    const Duration delay = key.ttl / 3;
    host.announce_deadline(DeadlineKind::renewal, host.monotonic_now() + delay);
    host.declare_state(fnv1a(key.name, fnv1a("waiting")));
    const auto ended = co_await with_timeout(host, until_cancelled(host, mine), delay);
    (void)ended;
  }
}

// renewLock
Task<Outcome<MonoTime>> SpringLock::extend(Hold) {
  const Object object = registry_.obtain(name_, options_.release);
  const auto renewed = co_await renew(host_, redis_, key(), object);
  co_return renewed;
}

std::optional<MonoTime> SpringLock::deadline(const Hold& hold) const {
  return object_ && object_->local->held_by(thread_) ? object_->due : hold.deadline;
}

}  // namespace picklock
