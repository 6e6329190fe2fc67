// A published Go lock whose Lock() gives back a channel: wait for a value on it, and you hold.
//
//   Lock     value = rand.Int63(); SET name value NX PX timeout
//            taken: starts the goroutine `expire`, sends true on `get`; else starts `check`
//   check    every 10 ms the same SET; once taken: sends true on `get` and returns
//   expire   every timeout/2 a bare PEXPIRE; told by `stop`: compare-and-delete, closes the pool
//   UnLock   sends on `stop`
//
// From:      a published comparison of Redis, etcd and ZooKeeper locks in Go; redigo's reply.go, conn.go,
//            pool.go.
// Promises:  at most one unexpired lease per name, while the server keeps its data and its clock.
// Does not:  stop a holder that wakes after its lease has expired, bound a wait, nest, give tokens.
// Abandoned: `check` polls on, takes the lock later and tells a channel without a listener: a
//            grant without a holder, for one timeout.
//
// The defaults are what it was meant to be: OK read as success, a channel for each Lock(), seeded values.
// preset = "as-published" is the listing as it stands; it does not show how `get` is made, and a plain
// make(chan bool) has no room.  Bugs of the code as written, each an option and a test:
//   success = "integer"        redis.Int finds a string in the reply OK: no success is ever seen, and the
//                              lock polls against its own key, which it takes again at each expiry
//   get = "unbuffered"         Lock() waits for ever to send to itself, the lock held and renewed
//   get = "buffered"           what an abandoned Lock() was sent is received by the next one
//   poll-grant = "not-renewed" after a wait there are no renewals, and UnLock, unheard, waits for ever
//   renewal = "unchecked"      renews a successor's key; a lease that is gone goes unnoticed
//   io-timeout = "none"        a connection that hangs stops renewals and UnLock
//   values = "unseeded"        before Go 1.20 every process draws the same values: all are the owner
//   closes = "at-return"       defer in a loop: a connection of the pool is kept for every tick
//   release-closes-pool        the first release closes the pool of the whole process
//   unlock-waits = false       UnLock returns before DEL is sent; its failure is ignored
//   errors = "as-held"         a server that refuses is polled like a lock that another holds; no caller is told
//   value-of = "object"        the next Lock() on the object overwrites the value which a release still needs
// and, without an option: an answer that stays away is never cleared up, a second UnLock() waits for
// ever.  Left out: a timeout of 1 ms, at which time.NewTicker(0) panics and ends the process.
#pragma once

#include <memory>

#include "algorithms/go_channel.hpp"
#include "algorithms/lock.hpp"
#include "algorithms/preset.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

enum class GoSuccess : std::uint8_t {
  ok,      // answer of SET
  integer  // redis.Int(OK) is an error and 0
};
constexpr auto enum_names(GoSuccess) { return name_list("ok", "integer"); }

enum class GoPollGrant : std::uint8_t { not_renewed, renewed };
constexpr auto enum_names(GoPollGrant) { return name_list("not-renewed", "renewed"); }

enum class GoRenewal : std::uint8_t {
  unchecked,  // PEXPIRE, even on another's key
  checked     // compare-and-PEXPIRE; a refusal sets lost()
};
constexpr auto enum_names(GoRenewal) { return name_list("unchecked", "checked"); }

enum class GoValues : std::uint8_t { random, unseeded };
constexpr auto enum_names(GoValues) { return name_list("random", "unseeded"); }

// Moment at which a goroutine gives its connections back to the pool.
enum class GoCloses : std::uint8_t { at_return, each_use };
constexpr auto enum_names(GoCloses) { return name_list("at-return", "each-use"); }

// Meaning of an attempt that fails by an error or by silence.
enum class GoErrors : std::uint8_t {
  as_held,  // `false` was meant for it, but is never sent
  reported  // false on `get`: Lock() has failed
};
constexpr auto enum_names(GoErrors) { return name_list("as-held", "reported"); }

// Place of the value by which renewals and releases know their key.
enum class GoValueOf : std::uint8_t { object, call };
constexpr auto enum_names(GoValueOf) { return name_list("object", "call"); }

struct GoRedisLockOptions {
  ArticlePreset preset = ArticlePreset::as_meant;
  Duration ttl = seconds(1);  // `timeout`
  Duration poll = milliseconds(10);
  GoSuccess success = GoSuccess::ok;
  GoGet get = GoGet::per_call;
  bool stop_buffered = false;
  GoPollGrant poll_grant = GoPollGrant::not_renewed;
  GoRenewal renewal = GoRenewal::unchecked;
  std::optional<Duration> io_timeout;
  GoValues values = GoValues::random;
  std::int64_t pool_size = 0;  // 0: unlimited
  GoCloses closes = GoCloses::at_return;
  bool release_closes_pool = true;
  bool unlock_waits = false;
  GoErrors errors = GoErrors::as_held;
  GoValueOf value_of = GoValueOf::object;
  static GoRedisLockOptions of(ArticlePreset preset);
  void fields(FieldVisitor& v);
};

// redigo's Pool, as far as it runs out: all locks of a process share one.
struct GoPool {
  std::int64_t size = 0, in_use = 0;
  bool closed = false;
};

// One of its connections, until it is given back.
class GoConnection {
 public:
  explicit GoConnection(std::shared_ptr<GoPool> pool) : pool_(std::move(pool)) {
    usable_ = !pool_->closed && (pool_->size == 0 || pool_->in_use < pool_->size);
    if (usable_) ++pool_->in_use;
  }
  GoConnection(GoConnection&& other) noexcept
      : pool_(std::move(other.pool_)), usable_(std::exchange(other.usable_, false)) {}
  GoConnection& operator=(GoConnection&&) = delete;
  ~GoConnection() {
    if (usable_) --pool_->in_use;
  }
  bool usable() const { return usable_; }  // false: every command on it is an error

 private:
  std::shared_ptr<GoPool> pool_;
  bool usable_ = false;
};

class GoRedisLock final : public Lock {
 public:
  GoRedisLock(const LockContext& context, const GoRedisLockOptions& options);
  // A patience that ends is a select with time.After beside the channel: the Lock() itself goes on.
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  std::optional<MonoTime> deadline(const Hold& hold) const override;
  Event* lost() override { return options_.renewal == GoRenewal::checked ? &lost_ : nullptr; }

 private:
  using Get = GoAnswers::Channel;
  std::string next_value();
  const std::string& value(const std::string& of_call) const {
    return options_.value_of == GoValueOf::object ? value_ : of_call;
  }
  enum class Attempt : std::uint8_t { taken, held, failed };
  Task<Attempt> attempt(std::vector<GoConnection>* mine, std::string of_call);  // makes one SET
  Task<Nothing> lock(Get get);
  Task<void> check(Get get, std::string of_call);
  Task<void> expire(std::string of_call);
  Task<bool> renew(std::string mine);  // false: the key is no longer ours
  Task<Outcome<>> remove(std::string mine);

  Redis redis_;
  std::string name_;
  GoRedisLockOptions options_;
  std::shared_ptr<GoPool> pool_;
  std::uint64_t& values_drawn_;
  GoChannel<bool> stop_;
  GoAnswers answers_;
  std::string value_;                       // value of the last Lock()
  Acquired failure_ = Acquired::refusal();  // reason of a failed attempt
  std::optional<MonoTime> deadline_;
  Event lost_;
  Event removed_;
  std::optional<Outcome<>> removal_;
};

}  // namespace picklock
