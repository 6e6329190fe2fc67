// The Lock of redis-py.
//
//   acquire  a token for the call; SET name token NX PX ttl, again and again, `sleep` apart; refused as soon as the next attempt
//            would come after blocking_timeout; the first command without an answer ends the call with an exception
//   extend   a script: name has this token: its TTL is ttl again (reacquire), or longer by ttl (extend)
//   release  a script: name has this token: DEL.  The object keeps the token until then
//
// A command without an answer is sent again `retries` times, after random pauses that double (redis.retry).  A SET NX that took
// effect refuses its own repetition: the token is not compared, and the call waits for its own key.
//
//   release = "2.10.1"  acquire is SETNX, then PEXPIRE; release is GET, then DEL (PR #1031); every thread that uses the object
//                       sees one token, which release clears after its DEL, even if it is another's by then (PR #489)
//   release = "8.1"     scripts; tokens are local to a thread; release clears its token before it asks, so after an error
//                       the lock cannot be released any more (until PR #4258)
//   release = "main"    clears the token when the server has answered, if it still is that token (PR #4258)
//
// From:      redis/redis-py, redis/lock.py, tag 2.10.1, commit 34817ce2 (8.1), and PR #4258 as merged in 2026.
// Promises:  at most one unexpired lease per name, while the server keeps its data and its clock.
// Does not:  expire, unless its caller gives a timeout (`expires`): the library's own default is a lock for ever.
//            Renew itself, or tell a holder that its lease has ended: release raises then.
// Abandoned: a SET on its way leaves a token that no client knows; the name is free again after `ttl`, or never.
// Left out:  that clocks of a call are read in floating-point seconds; locked(), owned().
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "algorithms/lock.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

enum class RedisPyRelease : std::uint8_t { v2_10_1, v8_1, main };
constexpr auto enum_names(RedisPyRelease) { return name_list("2.10.1", "8.1", "main"); }

enum class RedisPyExtension : std::uint8_t { reacquire, extend };
constexpr auto enum_names(RedisPyExtension) { return name_list("reacquire", "extend"); }

struct RedisPyLockOptions {
  RedisPyRelease release = RedisPyRelease::main;
  Duration ttl = seconds(10);
  bool expires = true;
  Duration sleep = milliseconds(100);
  RedisPyExtension extension = RedisPyExtension::reacquire;
  std::int64_t retries = 10;
  Duration retry_delay = seconds(1);
  // --- of the application
  bool shared_object = false;              // threads of a process use one Lock object, without thread-local tokens
  std::optional<Duration> releases_again;  // pause after an error; nothing: it gives up
  static RedisPyLockOptions of(RedisPyRelease release);
  void fields(FieldVisitor& v);
};

class RedisPyLock final : public Lock {
 public:
  RedisPyLock(const LockContext& context, const RedisPyLockOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Task<Outcome<MonoTime>> extend(Hold hold) override;
  std::optional<MonoTime> deadline(const Hold& hold) const override;

 private:
  struct Object {
    std::string token;  // empty: None
  };
  struct Objects;  // objects shared by threads of one process, by name

  Task<Outcome<RedisReply>> ask(RedisCommand command);  // asks with retries
  Task<Acquired> do_acquire(std::string token);
  Task<Outcome<>> release_once();
  Task<Outcome<>> do_release(std::string token);
  Acquired grant(std::string token, MonoTime asked);

  Redis redis_;
  std::string name_;
  RedisPyLockOptions options_;
  std::shared_ptr<Object> object_;
  Hold current_;
};

}  // namespace picklock
