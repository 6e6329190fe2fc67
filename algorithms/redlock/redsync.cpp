#include "algorithms/redlock/redsync.hpp"

namespace picklock {

Hold Redsync::propose(std::int64_t attempt) {
  if (attempt == 1) value_of_call_ = Redlock::propose(attempt).value;
  return Hold(value_of_call_);
}

Task<Outcome<MonoTime>> Redsync::extend(Hold hold) {
  const Instant asked = read_clock();
  BallotQuestion prolong = question(BallotQuestion::What::prolong, hold.value);
  const Ballot ballot = co_await ask(std::move(prolong));
  const Duration left = validity_since(asked);
  co_return has_quorum(ballot) && left > Duration{} ? extended(hold, left) : not_extended(ballot, left);
}

}  // namespace picklock
