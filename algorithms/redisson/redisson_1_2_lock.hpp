// RedissonLock as it was in version 1.2.0, January 2015: before scripts, before the watchdog.
//
//   acquire  SETNX name {client, thread, 1}, or SET NX PX with a lease; refused: WATCH, GET; mine: MULTI,
//            SET (PSETEX) with the counter plus one, EXEC; else UNWATCH, PTTL
//   wait     subscribes, then: asks, waits on the process's latch for the PTTL, without limit if there is
//            none, asks again
//   release  GET; counter over one: SET with one less; else MULTI, DEL, PUBLISH, EXEC, up to 5 times
//   every operation runs again from its beginning when an answer stays away
//
// From:      Redisson 1.2.0, RedissonLock, RedissonLockEntry, ConnectionManager.
// Promises:  at most one holder per name, while keys do not expire, commands are answered, the server
//            keeps its data.
// Does not:  come free after a crash, unless `lease` says how long a grant lasts.
// Abandoned: a SETNX on its way leaves the lock held by that thread, which may take it again.
//
// Its races, each pinned by a test; tests of the same numbers:
//    1  the lease ends between unlock's GET and its DEL: another's lock is deleted
//    2  the same before the SET of a nested unlock: another's value is overwritten
//    3  the SET of a nested lock without lease, or of a nested unlock, takes the expiry away
//    4  the key expires between SETNX and PTTL: -2 reads as "no limit", and no message will come
//    5  a SETNX whose answer is late runs again, finds itself, and counts 2: one unlock is not enough
//    6  an EXEC whose answer is late runs again, finds another owner, and throws; a SET of a nested unlock
//       runs again as the outer unlock
//    7  subscribe-leak: a tryLock whose subscription came too late leaves its share in it behind
//    8  subscribe-wait = "in-unit": milliseconds are read in the caller's unit, seconds (fixed in 1.2.1)
//    9  WATCH lets an expiry pass, on servers before 6.0.9 (redis.watch-sees-expiry = false): an expired lock
//       is counted up and held again
//   10  isLocked may ask a replica, which may not have heard of the lock yet.  Left out: a Lock has no such
//       question, since nothing may be done on its answer; that hides a caller who nevertheless acts on it
//   11  a message that is lost, and a key without expiry: no waiter is woken
//   12  entries = "equal-by-count": the threads' shared ENTRIES are replaced if their count is the same, also one that
//       has gone and come again: a thread that was slow puts back a latch that no message reaches
// The tests show all there is of 7 and 8: they cost memory and time, and break no claim that is judged.
// Left out: the pool of connections.  One operation of a process has the connection at a time, so that
// transactions of different threads do not mix.
#pragma once

#include "algorithms/lock.hpp"
#include "algorithms/redisson/redisson_1_2_entries.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

class Redisson12Client;

// For how long a tryLock waits for its subscription.
enum class SubscribeWait : std::uint8_t {
  wait_time,
  in_unit  // a thousandfold
};
constexpr auto enum_names(SubscribeWait) { return name_list("wait-time", "in-unit"); }

struct Redisson12Options {
  std::optional<Duration> lease;
  Duration timeout = seconds(60);
  std::int64_t retry_attempts = 5;
  Duration retry_interval = seconds(1);
  bool subscribe_leak = true;
  SubscribeWait subscribe_wait = SubscribeWait::in_unit;
  Redisson12Entries::Equal entries = Redisson12Entries::Equal::by_count;
  void fields(FieldVisitor& v);
};

class Redisson12Lock final : public Lock {
 public:
  Redisson12Lock(const LockContext& context, const Redisson12Options& options);
  // A patience without end is lock(); one of a single attempt tryLock(); any other tryLock(waitTime).
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Task<Outcome<>> force_release() override;

 private:
  struct Asked {
    bool granted = false;
    std::int64_t ttl_ms = 0;
    std::optional<MonoTime> deadline;
  };
  template <class T>
  using Once = Task<Outcome<T>> (Redisson12Lock::*)();
  // Runs an operation, and again if its answer stays away.
  template <class T>
  Task<Outcome<T>> run(Once<T> once);

  Task<Outcome<Asked>> try_lock_once();
  Task<Outcome<Asked>> reenter_once(MonoTime asked, std::int64_t counter);
  Task<Outcome<Asked>> ttl_once();
  Task<Outcome<>> unlock_once();
  Task<Outcome<>> delete_and_publish_once();
  Task<Acquired> wait_and_ask(Patience patience, std::optional<Duration> wait);
  Outcome<Asked> granted(MonoTime asked) const;
  Acquired held(const Asked& asked) const;

  std::string value(std::int64_t counter) const { return owner_ + ':' + std::to_string(counter); }
  // The counter in a value of this thread; nothing: another's.
  std::optional<std::int64_t> my_counter(std::string_view value) const;
  std::string channel_name() const { return "redisson__lock__channel__{" + name_ + "}"; }

  Redisson12Client& client_;
  Redis redis_;
  std::string name_;
  Redisson12Options options_;
  std::string owner_;
};

}  // namespace picklock
