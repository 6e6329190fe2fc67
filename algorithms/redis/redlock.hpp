// N independent Redis servers, of which a majority grants.
//   acquire = SET name value NX PX ttl at all, each within its own short timeout; granted if a
//             majority did and the time spent leaves some of ttl; else release at all, pause, again
//   release = compare-and-delete(name, value) at all, also where the SET had no answer
//   extend  = compare-and-PEXPIRE(name, value, ttl) at all; valid as an acquire is
//
// From:      Redis documentation, "Distributed Locks with Redis" (the Redlock algorithm).  The options
//            are the differences of the libraries: antirez/redlock-rb, mike-marcacci/node-redlock 4
//            and 5, go-redsync/redsync, brainix/pottery, SPSCommerce/redlock-py; see redlock_kinds.cpp.
// Promises:  at most one valid lease per name, while clocks run at equal rates (differences within
//            the drift allowed for), no server loses keys, and nobody works beyond the validity.
// Does not:  stop a holder that wakes after its lease has expired (Kleppmann 2016); survive a server
//            that restarts empty, unless it stays out for one ttl (redis.restart-delay).
// Abandoned: the values already set stay at their servers for one ttl.
//
// A fencing token, where one is asked for, comes from a counter at the first server: Redlock itself
// has none (its values are random), and this one is lost with that server.
#pragma once

#include "algorithms/lock.hpp"
#include "algorithms/redis/ballot.hpp"
#include "algorithms/redis/renewal.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

enum class LeaseClock : std::uint8_t { monotonic, wall };
constexpr auto enum_names(LeaseClock) { return name_list("monotonic", "wall"); }

enum class PerWhat : std::uint8_t { attempt, call };
constexpr auto enum_names(PerWhat) { return name_list("attempt", "call"); }

enum class AfterQuorum : std::uint8_t {
  wait,  // for every server's answer or timeout
  go_on  // at once; the others are still asked
};
constexpr auto enum_names(AfterQuorum) { return name_list("wait", "go-on"); }

enum class QuorumOf : std::uint8_t {
  all,
  reachable  // wrong: two halves of a partition each have their majority (redlock-py PR#6)
};
constexpr auto enum_names(QuorumOf) { return name_list("all", "reachable"); }

enum class ReleaseFailed : std::uint8_t {
  everywhere,  // also where the SET had no answer
  granted,     // only where it was granted: a late SET leaves an orphan
  nowhere      // its own leftovers then vote against the next attempt
};
constexpr auto enum_names(ReleaseFailed) { return name_list("everywhere", "granted", "nowhere"); }

enum class ExtendRule : std::uint8_t {
  within_validity,  // a majority, and time left afterwards
  majority,         // a majority, however long it took; counted from its reply
  unchecked         // whatever the servers said; likewise
};
constexpr auto enum_names(ExtendRule) { return name_list("within-validity", "majority", "unchecked"); }

enum class TokenFrom : std::uint8_t {
  nowhere,
  counter,  // INCR at the first server, after the majority and before the last look at the clock
  value     // a number made of the random value: unique and without order (antirez 2016)
};

struct RedlockOptions {
  std::int64_t servers = 5;
  Duration ttl = seconds(10);
  Contact contact = Contact::parallel;
  std::optional<Duration> node_timeout = milliseconds(50);
  LeaseClock clock = LeaseClock::monotonic;
  std::int64_t drift_ppm = 10'000;
  Duration drift_constant = milliseconds(2);
  bool check_validity = true;
  PerWhat value_per = PerWhat::attempt;
  PerWhat count_from = PerWhat::attempt;
  AfterQuorum after_quorum = AfterQuorum::wait;
  bool settles_on_tie = true;
  QuorumOf quorum_of = QuorumOf::all;
  ReleaseFailed release_failed = ReleaseFailed::everywhere;
  bool uniform_expiry = false;
  std::int64_t attempts = 0;
  Law retry = Law::uniform(Duration{}, milliseconds(200));
  ExtendRule extend_rule = ExtendRule::within_validity;
  bool extend_expired = false;
  bool set_on_extend = false;
  std::int64_t extensions = 3;
  bool renewal = false;
  std::optional<Duration> renewal_interval;
  TokenFrom token = TokenFrom::nowhere;  // decided by the kind of lock
  void fields(FieldVisitor& v);
};

class Redlock final : public Lock {
 public:
  Redlock(const LockContext& context, const RedlockOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Task<Outcome<MonoTime>> extend(Hold hold) override;
  std::optional<MonoTime> deadline(const Hold& hold) const override;
  Event* lost() override { return options_.renewal ? &renewal_.lost() : nullptr; }

 private:
  struct Instant {  // a reading of the clock that the lock counts by
    std::int64_t ns = 0;
  };
  Instant read_clock() const;
  Duration validity(Instant since) const;  // left of a lease that was asked for then
  std::uint32_t quorum() const { return static_cast<std::uint32_t>(servers_.size() / 2 + 1); }
  bool has_quorum(const Ballot& ballot) const;
  BallotRules rules(bool may_go_on) const;
  Task<Ballot> ask(BallotQuestion::What what, std::string value);
  Task<Acquired> attempt(Hold hold, Instant since);
  Task<bool> take_token(Hold& hold);
  Task<bool> undo(Hold hold, Ballot ballot);  // true if surely no majority is left
  void granted(const Hold& hold);

  std::string name_;
  std::vector<Redis> servers_;
  RedlockOptions options_;
  Renewal renewal_;
  Hold current_;
  std::int64_t extended_ = 0;  // how often the current hold was
};

}  // namespace picklock
