#include "algorithms/redis/spring_lock_registry.hpp"

#include <map>
#include <utility>

#include "algorithms/random_guid.hpp"
#include "algorithms/redis/polling_lock.hpp"
#include "algorithms/redis/redis_scripts.hpp"
#include "algorithms/redis/redis_servers.hpp"
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

Task<Nothing> until_freed(Host, std::shared_ptr<SpringLockObject> object) {
  co_await object->local.freed().wait();
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

// --- the registry of a process

class SpringLockRegistry {
 public:
  explicit SpringLockRegistry(const Host& host) : host_(host), id_(random_uuid(host)) {}
  const std::string& id() const { return id_; }

  std::shared_ptr<SpringLockObject> obtain(const std::string& name) {
    auto& object = objects_[name];
    if (!object) object = std::make_shared<SpringLockObject>(host_);
    return object;
  }
  std::shared_ptr<SpringLockObject> find(const std::string& name) const {
    const auto found = objects_.find(name);
    return found == objects_.end() ? nullptr : found->second;
  }
  void drop(const std::string& name) { objects_.erase(name); }

 private:
  Host host_;
  std::string id_;
  std::map<std::string, std::shared_ptr<SpringLockObject>, std::less<>> objects_;
};

// --- options

void SpringLockOptions::fields(FieldVisitor& v) {
  v.field({.name = "release", .help = "release of Spring Integration"}, release);
  v.field({.name = "ttl", .help = "expireAfter of the registry", .least = milliseconds(1).ns}, ttl);
  v.field({.name = "idle", .help = "pause between two attempts", .least = 0}, idle);
  v.field({.name = "renewal", .help = "a scheduler renews the key every third of a lease"}, renewal);
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
      registry_(context.process->get<SpringLockRegistry>(context.host)),
      renewal_(*this, IfRefused::stop_and_tell) {}

// --- lock

Task<Acquired> SpringLock::acquire(Patience patience) {
  const Duration wait = patience.remaining();
  if (options_.expire_unused) (void)co_await expire_unused(*options_.expire_unused);
  const Object object = registry_.obtain(name_);
  if (options_.expire_unused) co_await host_.yield("a lock object was obtained, and is not locked yet");
  const bool locally = co_await lock_locally(object, wait);
  if (!locally) co_return Acquired::refusal();
  UnlockAtEnd local(object->local);
  if (options_.release == SpringRelease::v7_1 && !registry_.find(name_)) {
    co_return Acquired::refusal(Why::error, "the lock was evicted from the cache");
  }
  auto taken = co_await lock_at_server(wait);
  if (!taken.yes()) co_return taken;
  local.keep_it();
  object->locked_at = host_.wall_now();
  object_ = object;
  co_return taken;
}

// Drops an object that is so old, unless this process has acquired it: as its local lock says, or, up to 6.0.3, as the
// key's value does.  One that was never locked is as old as the clock.
Task<Nothing> SpringLock::expire_unused(Duration age) {
  const Object object = registry_.find(name_);
  if (!object || host_.wall_now() - object->locked_at < age) co_return Nothing{};
  bool acquired = object->local.is_locked();
  if (options_.release != SpringRelease::v7_1) {
    const auto value = co_await redis_.get(name_);
    acquired = value.yes() && value.value() == registry_.id();
  }
  if (!acquired && registry_.find(name_) == object) registry_.drop(name_);
  co_return Nothing{};
}

Task<bool> SpringLock::lock_locally(Object object, Duration wait) {
  const MonoTime begun = host_.monotonic_now();
  while (!object->local.try_lock(thread_)) {
    const Duration left = wait == kForever ? wait : wait - (host_.monotonic_now() - begun);
    if (left <= Duration{}) co_return false;
    if (left == kForever) {
      co_await object->local.freed().wait();
    } else {
      const auto freed = co_await with_timeout(host_, until_freed(host_, object), left);
      (void)freed;
    }
  }
  co_return true;
}

// By the wall clock, and the whole time once more.
Task<Acquired> SpringLock::lock_at_server(Duration wait) {
  const WallTime begun = host_.wall_now();
  for (;;) {
    const MonoTime asked = host_.monotonic_now();
    const auto reply = co_await spring_obtain(redis_, name_, registry_.id(), options_.ttl);
    if (!reply.yes()) co_return passed_on<Hold>(reply);  // CannotAcquireLockException
    if (!reply.value().is_nil()) co_return grant(asked);
    if (wait < kForever && host_.wall_now() - begun >= wait) co_return Acquired::refusal();
    co_await host_.sleep(options_.idle);
  }
}

Acquired SpringLock::grant(MonoTime asked) {
  Hold hold(registry_.id());
  hold.deadline = asked + options_.ttl;
  host_.announce_deadline(DeadlineKind::lease, *hold.deadline);
  current_ = hold;
  if (options_.renewal) renewal_.begin(hold, options_.ttl / 3);
  return Acquired::of(std::move(hold));
}

// --- unlock

Task<Outcome<>> SpringLock::release(Hold) {
  if (!object_ || !object_->local.held_by(thread_)) co_return Outcome<>::refusal();  // IllegalStateException
  const Object object = object_;
  UnlockAtEnd local(object->local);
  if (object->local.count() > 1) co_return Outcome<>::of({});
  const Outcome<> removed = co_await remove_key();
  // A key that could not be removed goes on being renewed, until a renewal is refused.
  if (removed.yes() || options_.release != SpringRelease::v7_1) renewal_.end();
  co_return removed;
}

Task<Outcome<>> SpringLock::remove_key() {
  if (options_.release == SpringRelease::v7_1) {
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
  co_return Outcome<>::of({});  // what DEL has answered, nobody looks at
}

// --- renewal

Task<Outcome<MonoTime>> SpringLock::extend(Hold hold) {
  const MonoTime asked = host_.monotonic_now();
  const Outcome<> renewed = co_await expire_if_equals(redis_, name_, registry_.id(), options_.ttl);
  if (!renewed.yes()) co_return passed_on<MonoTime>(renewed);
  const MonoTime due = asked + options_.ttl;
  host_.announce_deadline(DeadlineKind::lease, due);
  if (hold.value == current_.value) current_.deadline = due;
  co_return Outcome<MonoTime>::of(due);
}

std::optional<MonoTime> SpringLock::deadline(const Hold& hold) const {
  return hold.value == current_.value ? current_.deadline : hold.deadline;
}

}  // namespace picklock
