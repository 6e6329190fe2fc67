#include "algorithms/redlock/redlock.hpp"

#include "algorithms/redis/redis_scripts.hpp"
#include "algorithms/redis/redis_servers.hpp"

namespace picklock {

using What = BallotQuestion::What;

void RedlockOptions::terms(FieldVisitor& v, std::string_view no_node_timeout) {
  const std::string node_timeout_help = "time that one server's answer is waited for; " + std::string(no_node_timeout);
  v.field({.name = "servers", .help = "number of independent servers", .least = 1, .most = Ballot::kMostServers},
          servers);
  v.field({.name = "ttl", .help = "lease that every server grants", .least = milliseconds(1).ns}, ttl);
  v.field({.name = "contact", .help = "order in which the servers are asked"}, contact);
  v.field({.name = "node-timeout", .help = node_timeout_help, .least = 1}, node_timeout);
  v.field({.name = "drift-ppm",
           .help = "share of ttl allowed for clock rates, in millionths",
           .least = 0,
           .most = 1'000'000},
          drift_ppm);
  v.field({.name = "drift-constant", .help = "time allowed for the granularity of expiry", .least = 0}, drift_constant);
  v.field({.name = "attempts",
           .help = "most attempts of one acquire; 0 = until its patience ends",
           .least = 0,
           .most = 1'000'000},
          attempts);
  v.field({.name = "retry", .help = "pause between two attempts", .least = 0}, retry);
}

void RedlockOptions::extending(FieldVisitor& v) {
  v.field({.name = "extensions", .help = "most extensions of one hold; 0 = any number", .least = 0, .most = 1'000'000},
          extensions);
  v.field({.name = "renewal", .help = "a task beside the holder extends the hold"}, renewal);
  v.field({.name = "renewal-interval", .help = "time between two extensions; none = a third of ttl", .least = 1},
          renewal_interval);
}

Redlock::Redlock(const LockContext& context, const RedlockOptions& options)
    : Lock(context.host),
      name_(context.name),
      options_(options),
      ttl_ms_(options.ttl.ms()),
      renewal_(*this, IfRefused::stop_and_tell) {
  for (const Redis& server : context.get<RedisServers>().servers) {
    servers_.push_back(options.node_timeout ? server.within(*options.node_timeout) : server);
  }
}

// --- acquire

Task<Acquired> Redlock::acquire(Patience patience) {
  for (std::int64_t n = 1; !patience.over(); ++n) {
    Hold proposed = propose(n);
    const Acquired tried = co_await attempt(std::move(proposed));
    if (tried.yes() || ends_the_call(tried)) co_return tried;
    if (tried.unknown()) patience.note_unknown();
    if (n == options_.attempts) break;
    co_await patience.pause(retry_delay());
  }
  co_return patience.exhausted();
}

Task<Acquired> Redlock::attempt(Hold hold) {
  const Instant asked = read_clock();                         // 1
  const Ballot ballot = co_await ask(What::set, hold.value);  // 2
  const Duration validity = validity_since(asked);            // 3
  if (has_quorum(ballot) && validity > Duration{}) {          // 4
    const Acquired entered = co_await enter(hold, ballot, validity);
    if (entered.yes()) co_return entered;
  }
  const bool undone = co_await undo(hold, ballot);  // 5
  co_return undone ? Acquired::refusal() : Acquired::unknown_because(Why::timed_out);
}

Redlock::Instant Redlock::read_clock() const { return {host_.monotonic_now().ns}; }

Hold Redlock::propose(std::int64_t) { return Hold(owner_value(host_)); }

BallotQuestion Redlock::question(What what, const std::string& value) const { return {what, name_, value, ttl_ms_}; }

BallotRules Redlock::rules(What) const { return {options_.contact}; }

Task<Ballot> Redlock::ask(What what, const std::string& value) {
  return ask_servers(host_, servers_, question(what, value), rules(what));
}

Duration Redlock::validity_since(Instant asked) const {
  const Duration spent{read_clock().ns - asked.ns};
  const Duration drift{options_.ttl.ns / 1'000'000 * options_.drift_ppm + options_.drift_constant.ns};
  return options_.ttl - spent - drift;
}

bool Redlock::has_quorum(const Ballot& ballot) const { return ballot.count(Vote::in_favour) >= quorum(); }

bool Redlock::ends_the_call(const Acquired&) const { return false; }

Task<Acquired> Redlock::enter(Hold hold, Ballot, Duration validity) {
  hold.deadline = host_.monotonic_now() + validity;
  current_ = hold;
  valid_until_ = {read_clock().ns + validity.ns};
  extended_ = 0;
  host_.announce_deadline(DeadlineKind::validity, *hold.deadline);
  if (options_.renewal) renewal_.begin(hold, options_.renewal_interval.value_or(options_.ttl / 3));
  co_return Acquired::of(std::move(hold));
}

Task<bool> Redlock::undo(Hold hold, Ballot ballot) {
  return undo_where(ReleaseFailed::everywhere, std::move(hold), std::move(ballot));
}

Task<bool> Redlock::undo_where(ReleaseFailed where, Hold hold, Ballot ballot) {
  std::vector<Redis> asked;
  std::vector<Vote> before;
  asked.reserve(servers_.size());
  before.reserve(servers_.size());
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (where == ReleaseFailed::nowhere) continue;
    if (where == ReleaseFailed::granted && ballot[i] != Vote::in_favour) continue;
    asked.push_back(servers_[i]);
    before.push_back(ballot[i]);
  }
  if (asked.empty()) co_return ballot.possible() < quorum();
  BallotQuestion release = question(What::release, hold.value);
  const BallotRules until = rules(What::release);
  const Ballot released = co_await ask_servers(host_, asked, std::move(release), until);
  std::uint32_t left = ballot.possible();
  for (std::size_t i = 0; i < asked.size(); ++i) {
    // An absent key settles nothing if its SET had no answer: the SET may still be on its way.
    const bool settled =
        released[i] == Vote::in_favour || (released[i] == Vote::against && before[i] == Vote::in_favour);
    const bool counted = before[i] != Vote::against && before[i] != Vote::unreached;
    left -= settled && counted;
  }
  co_return left < quorum();
}

// --- extend and release

std::optional<MonoTime> Redlock::deadline(const Hold& hold) const {
  return hold.value == current_.value ? current_.deadline : hold.deadline;
}

bool Redlock::expired(const Hold& hold) const {
  if (hold.value == current_.value) return valid_until_.ns <= read_clock().ns;
  return hold.deadline && *hold.deadline <= host_.monotonic_now();
}

Task<Outcome<MonoTime>> Redlock::extend(Hold hold) {
  if (expired(hold) || !may_extend()) co_return Outcome<MonoTime>::refusal();
  const Instant asked = read_clock();
  const Ballot ballot = co_await ask(What::prolong, hold.value);
  const Duration left = validity_since(asked);
  co_return has_quorum(ballot) && left > Duration{} ? extended(hold, left) : not_extended(ballot, left);
}

Outcome<MonoTime> Redlock::extended(const Hold& hold, Duration left) {
  const MonoTime until = host_.monotonic_now() + left;
  ++extended_;
  if (hold.value == current_.value) {
    current_.deadline = until;
    valid_until_ = {read_clock().ns + left.ns};
  }
  host_.announce_deadline(DeadlineKind::validity, until);
  return Outcome<MonoTime>::of(until);
}

Outcome<MonoTime> Redlock::not_extended(const Ballot& ballot, Duration left) const {
  const bool open = ballot.possible() >= quorum() && left > Duration{};
  return open ? Outcome<MonoTime>::unknown_because(Why::timed_out) : Outcome<MonoTime>::refusal();
}

Task<Outcome<>> Redlock::release(Hold hold) {
  renewal_.end();
  const Ballot ballot = co_await ask(What::release, hold.value);
  const std::uint32_t unanswered = ballot.count(Vote::abstained) + ballot.count(Vote::unreached);
  if (unanswered >= quorum()) co_return Outcome<>::unknown_because(Why::timed_out);
  co_return ballot.count(Vote::in_favour) > 0 ? Outcome<>::of({}) : Outcome<>::refusal();
}

Outcome<> Redlock::released_by_majority(const Ballot& ballot) const {
  if (has_quorum(ballot)) return Outcome<>::of({});
  const std::uint32_t open = ballot.possible() + ballot.count(Vote::unreached);
  return open >= quorum() ? Outcome<>::unknown_because(Why::timed_out) : Outcome<>::refusal();
}

}  // namespace picklock
