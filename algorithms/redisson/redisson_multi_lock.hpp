// Redisson's multi-lock: several locks taken as one, one after the other, or none; and RedLock, the
// same with a majority of independent servers.
//
//   tryLock(wait, lease)  each member: tryLock(what is left of wait, 2 × wait, or the lease without
//                         a wait); one that fails: unlock those got, begin again while time is left
//   lock(lease)           tryLock again and again, with wait = 1.5 s a member, or about the lease
//   unlock()              one member after the other, until one of them throws
//   at the end            PEXPIRE lease on every member got
//   RedLock               n/2 members rounded up less one may fail; each is given wait/n
//
// From:      Redisson, RedissonMultiLock and RedissonRedLock (deprecated since 3.12.5); 3.16.8, 3.52 and 4.7 by
//            `release`.  (tryLock(0, lease) of 3.16.8 is never granted; ours is, as in 4.7.)
// Promises:  while every member is held until the end of the acquire, what RedissonLock does, for
//            all names (RedLock: for one name, while a majority of the servers keep their data).
// Does not:  look at the time after the last reply, nor subtract it from the lease; no allowance for
//            drift.  Two multi-locks that share names in opposite order block each other until one
//            runs out of time.
// Abandoned: members got so far stay as RedissonLock leaves them.
//
// Known bugs, each an option:
//   member-lease  #2172 (until 3.11.1): tryLock(-1, lease) gave members a lease of 2 × -1: PEXPIRE
//                 with a negative time deletes the key, and all clients acquire
//   final-expiry  the PEXPIRE at the end has no owner check and its answer is not looked at: after a
//                 pause it prolongs a successor's lock, and the acquire is a yes (until now)
//   lease-unit    lock(lease, SECONDS) converts its lease anew at each retry: granted at the third try,
//                 a lease of ten seconds is one of four months (not in 3.16.8)
//   unlock-order  "until-error" (since 3.27.2): an unlock that throws leaves the members behind it locked, and
//                 renewed; RedLock swallows errors and goes on
//   try-lock-timeout  "refused" (since 4.7, #5019): a member whose request has no answer says false, where it threw; what that
//                 request took is not unlocked, and counts twice once the member is taken again
//   validity      "checked" is the repair that RedLock never got
//   #1636         a dead server costs every acquire its full timeouts (no option: until now)
#pragma once

#include <vector>

#include "algorithms/redisson/redisson_lock.hpp"

namespace picklock {

enum class MemberLease : std::uint8_t {
  of_the_call,    // no waitTime: the members get the lease itself
  twice_any_wait  // #2172: twice the waitTime, even if that is -1
};
constexpr auto enum_names(MemberLease) { return name_list("of-the-call", "twice-any-wait"); }

enum class FinalExpiry : std::uint8_t { unguarded, if_owned };
constexpr auto enum_names(FinalExpiry) { return name_list("unguarded", "if-owned"); }

// The unit in which lock() was told its lease.
enum class LeaseUnit : std::uint8_t {
  milliseconds,
  seconds  // converted to milliseconds once more by each retry: a thousandfold (until now)
};
constexpr auto enum_names(LeaseUnit) { return name_list("milliseconds", "seconds"); }

enum class RedLockValidity : std::uint8_t { unchecked, checked };
constexpr auto enum_names(RedLockValidity) { return name_list("unchecked", "checked"); }

// Order in which unlock() gives back the members.
enum class MultiUnlock : std::uint8_t {
  until_error,  // since 3.27.2: one after the other, up to the first exception
  all           // before: all at once; then the first exception is thrown
};
constexpr auto enum_names(MultiUnlock) { return name_list("until-error", "all"); }

struct RedissonMultiOptions {
  RedissonOptions lock;
  MemberLease member_lease = MemberLease::of_the_call;
  FinalExpiry final_expiry = FinalExpiry::unguarded;
  LeaseUnit lease_unit = LeaseUnit::milliseconds;
  MultiUnlock unlock_order = MultiUnlock::until_error;
  static RedissonMultiOptions of(RedissonRelease release);
  void fields(FieldVisitor& v);
};

struct RedissonRedLockOptions {
  RedissonMultiOptions multi;
  std::int64_t servers = 3;
  RedLockValidity validity = RedLockValidity::unchecked;
  void fields(FieldVisitor& v);
};

class RedissonMultiLock : public Lock {
 public:
  RedissonMultiLock(const LockContext& context, const RedissonMultiOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  std::optional<MonoTime> deadline(const Hold& hold) const override;

 protected:
  RedissonMultiLock(const Host& host, const RedissonMultiOptions& options) : Lock(host), options_(options) {}
  virtual std::size_t may_fail() const { return 0; }
  virtual bool unlocks_all() const { return options_.unlock_order == MultiUnlock::all; }
  virtual Duration member_wait(Duration left) const { return left; }
  virtual bool valid(MonoTime begun) const {
    (void)begun;
    return true;
  }

  RedissonMultiOptions options_;
  std::vector<std::unique_ptr<RedissonLock>> members_;

 private:
  using Members = std::vector<std::size_t>;
  Duration wait_of_lock(Duration lease);
  std::optional<Duration> lease_for_members(std::optional<Duration> wait) const;
  Task<Acquired> try_lock(std::optional<Duration> wait, Duration lease);
  Task<Outcome<>> finish(Members got, Duration lease);
  Task<Outcome<>> unlock(Members which);
  Task<Outcome<>> unlock_until_error(Members which);
  bool of_3_16_8() const { return options_.lock.release == RedissonRelease::v3_16_8; }

  Members got_;
  std::optional<MonoTime> deadline_;
};

class RedissonRedLock final : public RedissonMultiLock {
 public:
  RedissonRedLock(const LockContext& context, const RedissonRedLockOptions& options);

 protected:
  std::size_t may_fail() const override { return (members_.size() - 1) / 2; }
  bool unlocks_all() const override { return true; }
  Duration member_wait(Duration left) const override;
  bool valid(MonoTime begun) const override;

 private:
  RedLockValidity validity_;
};

}  // namespace picklock
