// A published lock on a Jedis connection, whose value is the name of the thread.
//
//   acquire  loop: SET name thread-name NX EX seconds; refused: sleep 2 s
//   granted  starts a thread: compare-and-EXPIRE to 5 s at once, then every 30 s, while a static flag is set
//   release  compare-and-delete, whose answer is not read
//
// From:      a published description of Redis and ZooKeeper locks in Java; Jedis, Connection.java.
// Promises:  at most one unexpired lease per name, while the server keeps its data and its clock.
// Does not:  stop a holder that wakes after its lease has expired, bound a wait, nest: a thread that
//            asks again waits for its own key to expire.
// Abandoned: a SET whose answer stays away throws; its key stays for the lease.
//
// The defaults are the code as written.  Its bugs, each an option and a test:
//   renewal-period = "30s", renewal-ttl = "5s"   the lock ends 5 s after the grant, whatever was asked for:
//                         short leases get longer, long ones shorter, and the holder hears of neither
//   stop = "never"        no thread of renewal ever ends; it also prolongs what its thread takes later.
//                         "flag": clearing the static flag ends the renewals of all locks of the process
//   owner = "thread-name" "pool-1-thread-1" is in every process: one JVM renews and deletes another's lock
//   connection = "shared" the renewal and its caller share a Jedis, which no two threads may use: one reads
//                         the other's reply.  A caller that finds a number where OK should be throws, and
//                         what it was granted is an orphan
//   unlock-in-finally, throws-ppm   a section that throws never gets to unlock
// The demonstration of the source sleeps by TimeUnit.SECONDS.toSeconds(5), which does not sleep: its
// sections are over at once, and nothing of this is seen.  Left out: the bytes of two commands mixing
// in one buffer (here replies are exchanged, whole).
#pragma once

#include <deque>
#include <memory>

#include "algorithms/lock.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

enum class JedisOwner : std::uint8_t { thread_name, unique };
constexpr auto enum_names(JedisOwner) { return name_list("thread-name", "unique"); }

// Event that ends a renewal.
enum class JedisStop : std::uint8_t {
  never,
  flag,    // a release clears the static flag
  release  // a release of its own hold
};
constexpr auto enum_names(JedisStop) { return name_list("never", "flag", "release"); }

enum class JedisSharing : std::uint8_t { shared, own };
constexpr auto enum_names(JedisSharing) { return name_list("shared", "own"); }

struct JedisThreadNameOptions {
  Duration ttl = seconds(3);
  Duration retry = seconds(2);
  Duration renewal_ttl = seconds(5);
  Duration renewal_period = seconds(30);
  JedisStop stop = JedisStop::never;
  JedisOwner owner = JedisOwner::thread_name;
  JedisSharing connection = JedisSharing::shared;
  Duration timeout = seconds(50);
  std::int64_t throws_ppm = 0;
  bool unlock_in_finally = false;
  void fields(FieldVisitor& v);
};

// A Jedis that several threads use: replies come in the order of the commands, and go to the thread that
// reads first.
class JedisConnection {
 public:
  JedisConnection(const Host& host, const Redis& redis) : host_(host), redis_(redis) {}
  JedisConnection(const JedisConnection&) = delete;
  JedisConnection& operator=(const JedisConnection&) = delete;
  const Host& host() const { return host_; }
  // The reply that this thread reads.
  Task<Outcome<RedisReply>> call(RedisCommand command);

 private:
  struct Reader;
  class Reading;
  Host host_;
  Redis redis_;
  std::deque<Reader*> readers_;  // readers in the order in which they will read
};

class JedisThreadName final : public Lock {
 public:
  JedisThreadName(const LockContext& context, const JedisThreadNameOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;

 private:
  JedisConnection& renewals_connection() { return options_.connection == JedisSharing::shared ? callers_ : renewers_; }
  bool may_renew(std::uint32_t tenure) const;
  Task<void> renew(std::uint32_t tenure, std::string owner);

  std::string name_;
  JedisThreadNameOptions options_;
  bool& renewal_is_open_;  // the static flag
  JedisConnection callers_;
  JedisConnection renewers_;
  std::string owner_;
  std::uint32_t tenure_ = 0;
};

}  // namespace picklock
