// Spring Integration's RedisLockRegistry, with spin locks.
//
//   obtain   the registry of the process has one lock object for each name, made at its first use
//   lock     the object's local lock, for which the threads of the process wait; then a script, `idle` apart: name has this
//            registry's id: PEXPIRE; name is absent: SET id PX ttl
//   unlock   by the thread that has the local lock: a script: name has this registry's id: DEL; then the local lock
//   renewal  with a scheduler: a script: name has this registry's id: PEXPIRE, every third of a lease
//
// The registry's id is in the key, so that threads of one process are told apart by the local lock alone.
//
//   release = "5.1.1"  unlock is a bare DEL: a late one frees another's lock, and nobody hears of it (until PR #2661)
//   release = "6.0.3"  unlock is GET, then DEL (until GH-8699); expireUnusedOlderThan drops an object that no thread has locked yet,
//                      however young it is, so two threads may have an object each, and both get in (until PR #8572)
//   release = "7.1"    the script; an object that was dropped refuses to lock, unless another of its name has come
//                      meanwhile; unlock of an expired lock throws ConcurrentModificationException (GH-9291)
//
// A thread that never comes back keeps the local lock: the lease ends at the server, and every other process gets in, but no
// thread of its own (#2660).
//
// From:      spring-projects/spring-integration, RedisLockRegistry.java; tags 5.1.1.RELEASE, 6.0.3, 7.1.1.
// Promises:  at most one unexpired lease per name, while the server keeps its data and its clock.
// Does not:  renew itself without a scheduler; tell a holder that its lease has ended before it unlocks.
//            Bound a wait by one time: the local lock and the server get the whole of it each (since 5.5).
// Abandoned: the local lock is freed; a script on its way may still set the key, which any thread of the process then
//            finds to be its own.
// Left out:  PUB_SUB_LOCK; a registry whose cache is full; DELEX and SET IFEQ of Redis 8.4, which do what the scripts do.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "algorithms/lock.hpp"
#include "algorithms/redis/renewal.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

enum class SpringRelease : std::uint8_t { v5_1_1, v6_0_3, v7_1 };
constexpr auto enum_names(SpringRelease) { return name_list("5.1.1", "6.0.3", "7.1"); }

struct SpringLockOptions {
  SpringRelease release = SpringRelease::v7_1;
  Duration ttl = seconds(60);
  Duration idle = milliseconds(100);
  bool renewal = false;
  // --- of the application
  std::optional<Duration> expire_unused;  // the age for which it calls expireUnusedOlderThan, before each lock
  void fields(FieldVisitor& v);
};

// A ReentrantLock of one process: held by a thread, as often as it likes.
class LocalLock {
 public:
  explicit LocalLock(const Host& host) : freed_(host, "a lock of this process") {}
  bool try_lock(std::uint32_t thread);
  void unlock();
  bool held_by(std::uint32_t thread) const { return count_ > 0 && thread_ == thread; }
  bool is_locked() const { return count_ > 0; }
  std::int64_t count() const { return count_; }
  Event& freed() { return freed_; }

 private:
  std::uint32_t thread_ = 0;
  std::int64_t count_ = 0;
  Event freed_;
};

// What a registry has for one name: a RedisLock.
struct SpringLockObject {
  explicit SpringLockObject(const Host& host) : local(host) {}
  LocalLock local;
  WallTime locked_at = {};
};

class SpringLockRegistry;

class SpringLock final : public Lock {
 public:
  SpringLock(const LockContext& context, const SpringLockOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Task<Outcome<MonoTime>> extend(Hold hold) override;
  std::optional<MonoTime> deadline(const Hold& hold) const override;

 private:
  using Object = std::shared_ptr<SpringLockObject>;
  Task<Nothing> expire_unused(Duration age);
  Task<bool> lock_locally(Object object, Duration wait);
  Task<Acquired> lock_at_server(Duration wait);
  Task<Outcome<>> remove_key();
  Acquired grant(MonoTime asked);

  Redis redis_;
  std::string name_;
  SpringLockOptions options_;
  std::uint32_t thread_;
  SpringLockRegistry& registry_;
  Object object_;  // the one that this thread has locked
  Hold current_;
  Renewal renewal_;
};

}  // namespace picklock
