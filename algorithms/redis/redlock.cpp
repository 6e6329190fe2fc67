#include "algorithms/redis/redlock.hpp"
#include "algorithms/redis/redis_servers.hpp"

#include "algorithms/redis/polling_lock.hpp"
#include "algorithms/redis/redis_scripts.hpp"
#include "base/fnv.hpp"

namespace picklock {
namespace {

// A number that no other attempt has, and that says nothing about order.
std::int64_t number_of(std::string_view value) { return static_cast<std::int64_t>(fnv1a(value) >> 1); }

}  // namespace

void RedlockOptions::fields(FieldVisitor& v) {
  v.field({.name = "servers", .help = "how many independent servers", .least = 1, .most = 99}, servers);
  v.field({.name = "ttl", .help = "lease that every server grants", .least = milliseconds(1).ns}, ttl);
  v.field({.name = "contact", .help = "how the servers are asked"}, contact);
  v.field(
      {.name = "node-timeout", .help = "how long one server's answer is waited for; none: as any request", .least = 1},
      node_timeout);
  v.field({.name = "clock", .help = "by which the time spent is measured"}, clock);
  v.field({.name = "drift-ppm",
           .help = "share of ttl allowed for clock rates, in millionths",
           .least = 0,
           .most = 1'000'000},
          drift_ppm);
  v.field({.name = "drift-constant", .help = "allowed for the granularity of expiry", .least = 0}, drift_constant);
  v.field({.name = "check-validity", .help = "look at the clock after the last reply"}, check_validity);
  v.field({.name = "value-per", .help = "scope of a random value: one attempt or one call"}, value_per);
  v.field({.name = "count-from", .help = "the beginning of what a lease is counted from"}, count_from);
  v.field({.name = "after-quorum", .help = "reaction once a majority has decided"}, after_quorum);
  v.field({.name = "settles-on-tie", .help = "gives up where all have voted and neither side has a majority"},
          settles_on_tie);
  v.field({.name = "quorum-of", .help = "set of servers of which a majority is needed"}, quorum_of);
  v.field({.name = "release-failed", .help = "where a failed attempt is undone"}, release_failed);
  v.field(
      {.name = "uniform-expiry", .help = "set the rest of the lease at all who granted, whoever owns the key by then"},
      uniform_expiry);
  v.field({.name = "attempts",
           .help = "most attempts of one acquire; 0: until its patience ends",
           .least = 0,
           .most = 1'000'000},
          attempts);
  v.field({.name = "retry", .help = "pause between two attempts", .least = 0}, retry);
  v.field({.name = "extend-rule", .help = "when an extension counts"}, extend_rule);
  v.field({.name = "extend-expired", .help = "asks the servers even if the hold has expired by its own clock"},
          extend_expired);
  v.field({.name = "set-on-extend", .help = "an extension sets keys that are gone"}, set_on_extend);
  v.field({.name = "extensions", .help = "most extensions of one hold; 0: any number", .least = 0, .most = 1'000'000},
          extensions);
  v.field({.name = "renewal", .help = "whether a task of its own extends the hold"}, renewal);
  v.field({.name = "renewal-interval", .help = "time between two extensions; a third of ttl unless given", .least = 1},
          renewal_interval);
}

Redlock::Redlock(const LockContext& context, const RedlockOptions& options)
    : Lock(context.host), name_(context.name), options_(options), renewal_(*this, IfRefused::stop_and_tell) {
  for (const Redis& server : context.get<RedisServers>().servers) {
    servers_.push_back(options.node_timeout ? server.within(*options.node_timeout) : server);
  }
}

Redlock::Instant Redlock::read_clock() const {
  return {options_.clock == LeaseClock::wall ? host_.wall_now().ns : host_.monotonic_now().ns};
}

Duration Redlock::validity(Instant since) const {
  const Duration elapsed{read_clock().ns - since.ns};
  const Duration drift{options_.ttl.ns / 1'000'000 * options_.drift_ppm + options_.drift_constant.ns};
  return options_.ttl - elapsed - drift;
}

bool Redlock::has_quorum(const Ballot& ballot) const {
  const std::uint32_t in_favour = ballot.count(Vote::in_favour);
  if (options_.quorum_of == QuorumOf::all) return in_favour >= quorum();
  std::uint32_t reachable = 0;  // those that answered, be it yes or no
  for (const Vote v : ballot.votes()) reachable += v == Vote::in_favour || v == Vote::against;
  return in_favour > 0 && in_favour >= reachable / 2 + 1;
}

BallotRules Redlock::rules(bool may_go_on) const {
  const bool early = may_go_on && options_.after_quorum == AfterQuorum::go_on;
  return {options_.contact, early ? quorum() : 0, options_.settles_on_tie};
}

Task<Ballot> Redlock::ask(BallotQuestion::What what, std::string value) {
  const bool may_go_on = what == BallotQuestion::What::set;
  return ask_servers(host_, servers_, {what, name_, std::move(value), options_.ttl}, rules(may_go_on));
}

Task<Acquired> Redlock::acquire(Patience patience) {
  const Instant called = read_clock();
  const std::string value_of_call = options_.value_per == PerWhat::call ? owner_value(host_) : std::string();
  std::int64_t attempts = 0;
  while (!patience.over()) {
    Hold proposed(options_.value_per == PerWhat::call ? value_of_call : owner_value(host_));
    const Instant begun = read_clock();
    const Acquired tried = co_await attempt(std::move(proposed), options_.count_from == PerWhat::call ? called : begun);
    if (tried.yes()) co_return tried;
    if (tried.unknown()) patience.note_unknown();
    if (++attempts == options_.attempts) break;
    const Duration delay = host_.draw_duration(Purpose::retry_delay, options_.retry);
    co_await patience.pause(delay);
  }
  co_return patience.exhausted();
}

Task<Acquired> Redlock::attempt(Hold hold, Instant since) {
  const Ballot ballot = co_await ask(BallotQuestion::What::set, hold.value);
  bool won = has_quorum(ballot);
  if (won) won = co_await take_token(hold);
  const Duration left = validity(since);
  if (won && (left > Duration{} || !options_.check_validity)) {
    hold.deadline = host_.monotonic_now() + left;
    if (options_.uniform_expiry) {
      std::vector<Redis> those_who_granted;
      for (std::size_t i = 0; i < servers_.size(); ++i) {
        if (ballot[i] == Vote::in_favour) those_who_granted.push_back(servers_[i]);
      }
      const BallotQuestion rest{BallotQuestion::What::expire_whosever, name_, {}, left};
      (void)co_await ask_servers(host_, those_who_granted, rest, rules(false));
    }
    granted(hold);
    co_return Acquired::of(hold);
  }
  const bool undone = co_await undo(hold, ballot);
  co_return undone ? Acquired::refusal() : Acquired::unknown_because(Why::timed_out);
}

Task<bool> Redlock::take_token(Hold& hold) {
  if (options_.token == TokenFrom::value) hold.token = number_of(hold.value);
  if (options_.token != TokenFrom::counter) co_return true;
  const RedisCommand incr("INCR", name_ + ":token");
  const auto reply = co_await servers_.front().command(incr);
  if (reply.yes()) hold.token = reply.value().integer();
  co_return reply.yes();
}

Task<bool> Redlock::undo(Hold hold, Ballot ballot) {
  std::vector<Redis> where;
  std::vector<Vote> before;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const bool asked = options_.release_failed == ReleaseFailed::everywhere ||
                       (options_.release_failed == ReleaseFailed::granted && ballot[i] == Vote::in_favour);
    if (!asked) continue;
    where.push_back(servers_[i]);
    before.push_back(ballot[i]);
  }
  const BallotQuestion release{BallotQuestion::What::release, name_, hold.value, options_.ttl};
  const Ballot released = co_await ask_servers(host_, where, release, rules(false));
  std::uint32_t left = ballot.possible();
  for (std::size_t i = 0; i < where.size(); ++i) {
    // Where the SET had no answer, finding nothing settles nothing: it may still be on its way.
    const bool settled =
        released[i] == Vote::in_favour || (released[i] == Vote::against && before[i] == Vote::in_favour);
    const bool counted = before[i] != Vote::against && before[i] != Vote::unreached;
    left -= settled && counted;
  }
  co_return left < quorum();
}

void Redlock::granted(const Hold& hold) {
  current_ = hold;
  extended_ = 0;
  host_.announce_deadline(DeadlineKind::validity, *hold.deadline);
  if (options_.renewal) renewal_.begin(hold, options_.renewal_interval.value_or(options_.ttl / 3));
}

std::optional<MonoTime> Redlock::deadline(const Hold& hold) const {
  return hold.value == current_.value ? current_.deadline : hold.deadline;
}

Task<Outcome<MonoTime>> Redlock::extend(Hold hold) {
  const auto due = deadline(hold);
  const bool expired = due && *due <= host_.monotonic_now();
  if (expired && !options_.extend_expired) co_return Outcome<MonoTime>::refusal();
  if (options_.extensions != 0 && extended_ >= options_.extensions) co_return Outcome<MonoTime>::refusal();
  const Instant begun = read_clock();
  const auto what = options_.set_on_extend ? BallotQuestion::What::prolong_or_set : BallotQuestion::What::prolong;
  const Ballot ballot = co_await ask(what, hold.value);
  const Duration left = validity(begun);
  const bool counts = options_.extend_rule == ExtendRule::unchecked ||
                      (has_quorum(ballot) && (options_.extend_rule == ExtendRule::majority || left > Duration{}));
  if (!counts) {
    const bool open = ballot.possible() >= quorum() && left > Duration{};
    co_return open ? Outcome<MonoTime>::unknown_because(Why::timed_out) : Outcome<MonoTime>::refusal();
  }
  const bool looks = options_.extend_rule == ExtendRule::within_validity;
  const MonoTime until = host_.monotonic_now() + (looks ? left : options_.ttl);
  ++extended_;
  if (hold.value == current_.value) current_.deadline = until;
  host_.announce_deadline(DeadlineKind::validity, until);
  co_return Outcome<MonoTime>::of(until);
}

Task<Outcome<>> Redlock::release(Hold hold) {
  renewal_.end();
  const Ballot ballot = co_await ask(BallotQuestion::What::release, hold.value);
  const std::uint32_t unanswered = ballot.count(Vote::abstained) + ballot.count(Vote::unreached);
  if (unanswered >= quorum()) co_return Outcome<>::unknown_because(Why::timed_out);
  co_return ballot.count(Vote::in_favour) > 0 ? Outcome<>::of({}) : Outcome<>::refusal();
}

}  // namespace picklock
