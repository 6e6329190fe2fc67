#include "algorithms/redlock/redlock_with_mistakes.hpp"

namespace picklock {

void RedlockMistakes::fields(FieldVisitor& v) {
  RedlockOptions::fields(v);
  v.field({.name = "value-per", .help = "scope of a random value: one attempt or one call"}, value_per);
  v.field({.name = "check-validity", .help = "look at the clock after the last reply"}, check_validity);
  v.field({.name = "quorum-of", .help = "servers of which a majority is needed: all, or those that answered"},
          quorum_of);
  v.field({.name = "release-failed", .help = "servers at which a failed attempt is undone"}, release_failed);
}

Hold RedlockWithMistakes::propose(std::int64_t attempt) {
  if (mistakes_.value_per == ValuePer::attempt) return Redlock::propose(attempt);
  if (attempt == 1) value_of_call_ = Redlock::propose(attempt).value;
  return Hold(value_of_call_);
}

bool RedlockWithMistakes::has_quorum(const Ballot& ballot) const {
  if (mistakes_.quorum_of == QuorumOf::all) return Redlock::has_quorum(ballot);
  const std::uint32_t in_favour = ballot.count(Vote::in_favour), reachable = in_favour + ballot.count(Vote::against);
  return in_favour > 0 && in_favour >= reachable / 2 + 1;
}

Task<Acquired> RedlockWithMistakes::attempt(Hold hold) {
  if (mistakes_.check_validity) {
    const Acquired checked = co_await Redlock::attempt(hold);
    co_return checked;
  }
  const Instant asked = read_clock();
  const Ballot ballot = co_await ask(BallotQuestion::What::set, hold.value);
  const Duration validity = validity_since(asked);
  if (has_quorum(ballot)) {
    const Acquired entered = co_await enter(hold, ballot, validity);
    co_return entered;
  }
  const bool undone = co_await undo(hold, ballot);
  co_return undone ? Acquired::refusal() : Acquired::unknown_because(Why::timed_out);
}

Task<bool> RedlockWithMistakes::undo(Hold hold, Ballot ballot) {
  return undo_where(mistakes_.release_failed, std::move(hold), std::move(ballot));
}

}  // namespace picklock
