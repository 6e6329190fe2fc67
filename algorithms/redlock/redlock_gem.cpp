#include "algorithms/redlock/redlock_gem.hpp"

namespace picklock {

using What = BallotQuestion::What;

namespace {

bool has_error(const Ballot& ballot) { return ballot.count(Vote::unreached) + ballot.count(Vote::abstained) != 0; }

}  // namespace

// retry_count, 3 by default, was the number of attempts, and became that of further ones.
RedlockGemOptions RedlockGemOptions::of(RedlockGemRelease release) {
  RedlockGemOptions o;
  o.release = release;
  if (release == RedlockGemRelease::v0_2) o.attempts = 3;
  return o;
}

void RedlockGemOptions::fields(FieldVisitor& v) {
  const RedlockGemRelease before = release;
  if (v.leading({.name = "release", .help = "release of the gem; it sets the default of attempts"}, release)) {
    change_settings(*this, of(before), of(release), &RedlockGemOptions::attempts);
  }
  terms(v);
  extending(v);
  v.field({.name = "extend-only-if-locked", .help = "an extension leaves keys alone that are gone"},
          extend_only_if_locked);
}

RedlockGem::RedlockGem(const LockContext& context, const RedlockGemOptions& options)
    : Redlock(context, options), options_(options) {}

Redlock::Instant RedlockGem::read_clock() const {
  if (options_.release == RedlockGemRelease::v0_2) return {host_.wall_now().ns};
  return Redlock::read_clock();
}

bool RedlockGem::error_ends_the_call() const {
  return options_.release == RedlockGemRelease::v0_2 || options_.release == RedlockGemRelease::v2_0_1;
}

BallotRules RedlockGem::rules(What what) const {
  BallotRules rules = Redlock::rules(what);
  if (what != What::release && error_ends_the_call()) rules.unanswered = 1;
  return rules;
}

Task<Acquired> RedlockGem::attempt(Hold hold) {
  const Instant asked = read_clock();
  const Ballot ballot = co_await ask(What::prolong_or_set, hold.value);
  if (error_ends_the_call() && has_error(ballot)) co_return Acquired::unknown_because(Why::disconnected);  // raised
  const Duration validity = validity_since(asked);
  if (has_quorum(ballot) && validity >= Duration{}) {
    const Acquired entered = co_await enter(hold, ballot, validity);
    co_return entered;
  }
  const bool undone = co_await undo(hold, ballot);
  co_return undone ? Acquired::refusal() : Acquired::unknown_because(Why::timed_out);
}

bool RedlockGem::ends_the_call(const Acquired& failed) const { return failed.why() == Why::disconnected; }

Task<Outcome<MonoTime>> RedlockGem::extend(Hold hold) {
  const Instant asked = read_clock();
  const Ballot ballot = co_await ask(options_.extend_only_if_locked ? What::prolong : What::prolong_or_set, hold.value);
  if (error_ends_the_call() && has_error(ballot)) co_return Outcome<MonoTime>::unknown_because(Why::disconnected);
  const Duration left = validity_since(asked);
  if (has_quorum(ballot) && left >= Duration{}) co_return extended(hold, left);
  (void)co_await undo(hold, ballot);  // the caller is still working
  co_return Outcome<MonoTime>::refusal();
}

}  // namespace picklock
