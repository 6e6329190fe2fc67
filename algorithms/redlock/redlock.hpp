// Redlock, as the Redis documentation describes it: servers that share nothing, of which a majority grants.
//
//   acquire  1. read the clock
//            2. SET name value NX PX ttl at all servers, each with a timeout that is short beside ttl
//            3. read the clock again: the time spent and an allowance for drift are taken off ttl
//            4. granted if a majority said yes and some of ttl is left; that is the validity
//            5. else delete name if it has this value, at all servers, also at those that did not answer;
//               then again after a random pause, with a new value
//   release  delete name if it has this value, at all servers
//   extend   PEXPIRE name if it has this value, at all servers; it counts under the conditions of 4
//
// From:      Redis documentation, "Distributed Locks with Redis".
// Promises:  at most one valid lease per name, while clocks run at equal rates (differences within
//            the drift allowed for), no server loses keys, and no client works beyond its validity.
// Does not:  stop a holder that wakes after its lease has expired (Kleppmann 2016); survive a server
//            that restarts empty, unless it stays out for one ttl (redis.restart-delay).
// Abandoned: the values already set stay at their servers for one ttl.
//
// The other files of this folder derive their locks from this one; each says in its head how it differs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/lock.hpp"
#include "algorithms/redis/renewal.hpp"
#include "algorithms/redlock/ballot.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

struct RedlockOptions {
  std::int64_t servers = 5;
  Duration ttl = seconds(10);
  Contact contact = Contact::parallel;
  std::optional<Duration> node_timeout = milliseconds(50);
  std::int64_t drift_ppm = 10'000;
  Duration drift_constant = milliseconds(2);
  std::int64_t attempts = 0;
  Law retry = Law::uniform(Duration{}, milliseconds(200));
  std::int64_t extensions = 3;
  bool renewal = false;
  std::optional<Duration> renewal_interval;
  void fields(FieldVisitor& v) {
    terms(v);
    extending(v);
  }
  // Visits the options of acquiring; `no_node_timeout` says what a node-timeout of none means.
  void terms(FieldVisitor& v, std::string_view no_node_timeout = "none = the client's request timeout");
  void extending(FieldVisitor& v);  // visits the options of extending
};

// Servers at which a failed attempt is undone.
enum class ReleaseFailed : std::uint8_t {
  everywhere,  // undoes it also where the SET had no answer
  granted,     // undoes it only where it was granted: a late SET leaves an orphan
  nowhere      // its own leftovers then vote against the next attempt
};
constexpr auto enum_names(ReleaseFailed) { return name_list("everywhere", "granted", "nowhere"); }

class Redlock : public Lock {
 public:
  Redlock(const LockContext& context, const RedlockOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Task<Outcome<MonoTime>> extend(Hold hold) override;
  std::optional<MonoTime> deadline(const Hold& hold) const override;
  Event* lost() override { return options_.renewal ? &renewal_.lost() : nullptr; }

 protected:
  struct Instant {  // a reading of the clock that the lock counts by
    std::int64_t ns = 0;
  };

  // --- A product overrides the steps that it takes otherwise.

  virtual Instant read_clock() const;                                         // the monotonic clock
  virtual Hold propose(std::int64_t attempt);                                 // 1, 2, …: a new value for each
  virtual BallotRules rules(BallotQuestion::What what) const;                 // wait for all servers
  virtual bool has_quorum(const Ballot& ballot) const;                        // a majority of all servers
  virtual Task<Acquired> attempt(Hold hold);                                  // steps 1 to 5
  virtual Task<Acquired> enter(Hold hold, Ballot ballot, Duration validity);  // the servers have granted
  virtual Task<bool> undo(Hold hold, Ballot ballot);         // step 5; true if surely no majority is left
  virtual bool ends_the_call(const Acquired& failed) const;  // no: ask again

  // --- Parts of steps.

  BallotQuestion question(BallotQuestion::What what, const std::string& value) const;
  Task<Ballot> ask(BallotQuestion::What what, const std::string& value);
  Duration validity_since(Instant asked) const;  // remaining lease of a request made at `asked`
  std::uint32_t quorum() const { return static_cast<std::uint32_t>(servers_.size() / 2 + 1); }
  bool expired(const Hold& hold) const;  // uses the clock that the lock counts by
  bool may_extend() const { return options_.extensions == 0 || extended_ < options_.extensions; }
  Outcome<MonoTime> extended(const Hold& hold, Duration left);
  Outcome<MonoTime> not_extended(const Ballot& ballot, Duration left) const;
  Task<bool> undo_where(ReleaseFailed where, Hold hold, Ballot ballot);
  // The answer of a library whose release needs a majority.
  Outcome<> released_by_majority(const Ballot& ballot) const;
  Duration retry_delay() const { return host_.draw_duration(Purpose::retry_delay, options_.retry); }
  void end_renewal() { renewal_.end(); }

  std::string name_;
  std::vector<Redis> servers_;

 private:
  RedlockOptions options_;
  RedisNumber ttl_ms_;
  Renewal renewal_;
  Hold current_;
  Instant valid_until_;        // end of the current hold's validity
  std::int64_t extended_ = 0;  // number of extensions of the current hold
};

}  // namespace picklock
