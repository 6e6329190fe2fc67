// Spring Integration's RedisLockRegistry, with spin locks.
//
//   obtain   the registry of the process has one lock object for each name, made at its first use
//   lock     the object's local lock, for which the threads of the process wait; then a script, `idle` apart: name has this
//            registry's id: PEXPIRE; name is absent: SET id PX ttl
//   unlock   by the thread that has the local lock: a script: name has this registry's id: DEL; then the local lock
//   renewal  with a scheduler: a script: name has this registry's id: PEXPIRE, at once, and a third of a lease after each answer
//
// The registry's id is in the key, so that threads of one process are told apart by the local lock alone.
//
//   release = "5.1.1"  unlock is a bare DEL: a late one frees another's lock, and its caller is told nothing (until PR #2661)
//   release = "6.0.3"  unlock is GET, then DEL (until GH-8699); expireUnusedOlderThan drops an object that no thread has locked yet,
//                      however young it is, so two threads may have an object each, and both get in (until PR #8572)
//   release = "7.0"    (6.4 to 7.0.5) the script; an object that was never locked is never dropped; one that was locked long ago
//                      is, also while a thread has obtained it and does not have it yet: two threads get in.  Unlock of an
//                      expired lock throws ConcurrentModificationException (GH-9291)
//   release = "7.1.0"  objects of one name share their local lock (DefaultLockRegistry): the threads take turns
//   release = "7.1"    (7.0.6, 7.1.1 and later) each object has its own local lock again; its age counts from when it was made; one
//                      that was dropped refuses to lock, unless another of its name has come meanwhile: then two threads get in
//
// Renewals exist since 6.4.  The object knows its newest renewal alone: a nested lock schedules one more, and the unlock cancels
// that one; those before it go on until the process ends, and prolong whatever the registry has under the name, also what no
// thread of it holds (spring_leaked_renewal).  A refused renewal cancels the object's newest, even another's.
//
// A thread that never comes back keeps the local lock: the lease ends at the server, and every other process gets in, but no
// thread of its own (#2660).
//
// From:      spring-projects/spring-integration, RedisLockRegistry.java; tags 5.1.1.RELEASE, 6.0.3, 6.4.0, 7.0.0 to 7.0.6, 7.1.0,
//            7.1.1; TaskScheduler.scheduleWithFixedDelay(task, delay), which begins as soon as possible.
// Promises:  at most one unexpired lease per name, while the server keeps its data and its clock.
// Does not:  renew itself without a scheduler; tell a holder that its lease has ended before it unlocks.
//            Bound a wait by one time: the local lock and the server get the whole of it each (since 5.5).
// Abandoned: the local lock is freed; a script on its way may still set the key, which any thread of the process then
//            finds to be its own.
// Left out:  PUB_SUB_LOCK; a registry whose cache is full; a TTL of one call (7.0); DELEX and SET IFEQ of Redis 8.4,
//            which do what the scripts do; names that share a local lock in 7.1.0 because their hashes meet (GH-11146).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "algorithms/lock.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

enum class SpringRelease : std::uint8_t { v5_1_1, v6_0_3, v7_0, v7_1_0, v7_1 };
constexpr auto enum_names(SpringRelease) { return name_list("5.1.1", "6.0.3", "7.0", "7.1.0", "7.1"); }

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

// A renewal that was scheduled: a ScheduledFuture.
class SpringRenewal {
 public:
  explicit SpringRenewal(const Host& host) : cancelled_(host, "the end of a renewal") {}
  bool cancelled() const { return cancelled_.is_set(); }
  void cancel() { cancelled_.set(); }
  Event& end() { return cancelled_; }

 private:
  Event cancelled_;
};

// A registry's object for one name: a RedisLock.
struct SpringLockObject {
  void stop_renewal();
  std::shared_ptr<LocalLock> local;
  std::optional<WallTime> locked_at;       // time of locking or of making; nothing: never locked
  std::shared_ptr<SpringRenewal> renewal;  // renewFuture: the newest alone
  std::optional<MonoTime> due;             // the end of the lease, as the last script that said yes was asked for it
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
  struct KeyLease {  // renewal request
    std::string name, id;
    Duration ttl;
  };
  Task<Nothing> expire_unused(Duration age);
  Task<bool> lock_locally(Object object, Duration wait);
  bool is_old(const SpringLockObject& object, Duration age) const;
  Task<Acquired> lock_at_server(Duration wait, Object object);
  Task<Outcome<>> remove_key();
  Acquired grant(MonoTime asked, const Object& object);
  // One renewal of the registry's key under the name, on behalf of that object.
  KeyLease key() const;
  static Task<Outcome<MonoTime>> renew(Host host, Redis redis, KeyLease key, Object object);
  static Task<void> keep_renewing(Host host, Redis redis, KeyLease key, Object object,
                                  std::shared_ptr<SpringRenewal> mine);

  Redis redis_;
  std::string name_;
  SpringLockOptions options_;
  std::uint32_t thread_;
  SpringLockRegistry& registry_;
  Object object_;  // the one that this thread has locked
};

}  // namespace picklock
