// Redisson's lock on one server, and the same with a fencing token.
//
//   acquire  script: no such key, or my field in it: HINCRBY 1, PEXPIRE lease; else its PTTL
//   wait     publish/subscribe, for no longer than the PTTL
//   release  script: HINCRBY -1; at 0 DEL and PUBLISH
//   renewal  PEXPIRE by the client's watchdog, every third of a lease, unless there is a leaseTime
//
// From:      Redisson, RedissonLock and RedissonFencedLock; 3.16.8, 3.52 and 4.7 by `release` (fenced: since 3.19).
// Promises:  at most one unexpired lease per name, while the server keeps its data and its clock.
// Does not:  tell its holder that the lease is lost; stop one that wakes after it.
// Abandoned: what the script has granted has no holder.  With a leaseTime it is free when that is over;
//            without one it is renewed until the process dies (#7272), unless the reply never came.
//
// Known bugs, each an option and a scenario:
//   #7367        acquire-resend    an acquire sent twice counts 2; one unlock leaves 1, until that lease is over
//   (before 3.24.1) unlock-latch   an unlock sent twice: "not locked by current thread"
//   #7272        renewal-start     a grant whose caller has gone is renewed for ever
//   #3266, #3194 renewal-error     one failed renewal is the last
//   (until 3.43) renewal-refused   a thread that has lost the lock ends the renewals of the next one
//   (since 3.37) unlock-resend     an unlock without an answer is not sent again: held for one more lease
//   #5761        waiter            a message between the look and the registration is missed
//   #3484, #4818 lease-field       another call's lease; of 4.7 too, while no unlock has been answered since
//   #3994, #4706, #4822, #5256 slaves-sync
// Options of the fenced lock, all until now:
//   lease-ignored   lockAndGetToken(lease) renews nevertheless
//   token-from      getToken() reads the counter as it is by then: a stale holder gets its successor's
//   unsynced        lockAndGetToken without an acknowledgement of any replica leaves its grant at the server
//   endless-key     lockAndGetToken takes another's lock without expiry for its own, with token -1
//   expire          expire() reaches the counter too, and so does a multi-lock's last step: when the lease
//                   is over, the tokens begin again.  (So they do after delete() of the object: not modelled.)
#pragma once

#include "algorithms/redisson/redisson_base_lock.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

class RedissonLock : public RedissonBaseLock {
 public:
  RedissonLock(const LockContext& context, const RedissonOptions& options)
      : RedissonLock(context, context.name, 0, options) {}
  RedissonLock(const LockContext& context, std::string_view name, std::size_t server, const RedissonOptions& options)
      : RedissonBaseLock(context, name, server, options) {}

 protected:
  RedisCommand acquire_command(Duration lease, std::optional<Duration> wait) override;
  RedisCommand unlock_command(const std::string& request_id) override;
  RedisCommand force_command() override;
};

// Source of a holder's token.
enum class RedissonTokenFrom : std::uint8_t {
  the_grant,  // lockAndGetToken
  get_token   // lock, then getToken(): the value of the counter by then
};
constexpr auto enum_names(RedissonTokenFrom) { return name_list("the-grant", "get-token"); }

// Call that sets the lease once the lock is granted with a leaseTime.
enum class FencedExpire : std::uint8_t {
  never,
  with_counter,  // expire(lease), as the multi-lock does that has this lock for a member
  lock_alone     // the same, repaired
};
constexpr auto enum_names(FencedExpire) { return name_list("never", "with-counter", "lock-alone"); }

// Treatment by lockAndGetToken of a grant that no replica has acknowledged.
enum class FencedUnsynced : std::uint8_t {
  kept,   // until now: an exception, and the grant stays, unrenewed; lock() undoes it and tries again
  undone  // the repair: as lock()
};
constexpr auto enum_names(FencedUnsynced) { return name_list("kept", "undone"); }

// Answer of lockAndGetToken to another's lock whose key has no expiry: its reply is {-1, -1}, {-1, token} a grant.
enum class FencedEndlessKey : std::uint8_t {
  granted,  // until now: a grant, with -1 for a token
  refused   // the repair
};
constexpr auto enum_names(FencedEndlessKey) { return name_list("granted", "refused"); }

struct RedissonFencedOptions {
  RedissonOptions lock;
  RedissonTokenFrom token_from = RedissonTokenFrom::the_grant;
  bool lease_ignored = true;  // lockAndGetToken(leaseTime) renews nevertheless, until now
  FencedExpire expire = FencedExpire::never;
  FencedUnsynced unsynced = FencedUnsynced::kept;
  FencedEndlessKey endless_key = FencedEndlessKey::granted;
  void fields(FieldVisitor& v);
};

class RedissonFencedLock final : public RedissonLock {
 public:
  RedissonFencedLock(const LockContext& context, const RedissonFencedOptions& options);
  Task<Acquired> acquire(Patience patience) override;

 protected:
  RedisCommand acquire_command(Duration lease, std::optional<Duration> wait) override;
  std::optional<std::int64_t> token_in(const RedisReply& reply) const override;
  std::optional<std::int64_t> refused_ttl_ms(const RedisReply& reply) const override;
  bool undoes_unsynced() const override;

 private:
  RedissonFencedOptions fenced_;
  std::string counter_;
};

}  // namespace picklock
