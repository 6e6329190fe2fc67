#include "algorithms/redlock/redlock_rb.hpp"

namespace picklock {

Hold RedlockRb::propose(std::int64_t attempt) {
  if (attempt == 1) value_of_call_ = Redlock::propose(attempt).value;
  return Hold(value_of_call_);
}

Task<Outcome<MonoTime>> RedlockRb::extend(Hold hold) {
  if (!may_extend()) co_return Outcome<MonoTime>::refusal();
  const Instant asked = read_clock();
  BallotQuestion prolong = question(BallotQuestion::What::prolong_or_set, hold.value);
  const Ballot ballot = co_await ask(std::move(prolong));
  const Duration left = validity_since(asked);
  co_return has_quorum(ballot) && left > Duration{} ? extended(hold, left) : not_extended(ballot, left);
}

}  // namespace picklock
