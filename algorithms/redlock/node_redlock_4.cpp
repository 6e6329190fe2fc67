#include "algorithms/redlock/node_redlock_4.hpp"

namespace picklock {

using What = BallotQuestion::What;

Hold NodeRedlock4::propose(std::int64_t attempt) {
  if (attempt == 1) value_of_call_ = Redlock::propose(attempt).value;
  return Hold(value_of_call_);
}

Task<Outcome<MonoTime>> NodeRedlock4::extend(Hold hold) {
  if (expired(hold) || !may_extend()) co_return Outcome<MonoTime>::refusal();
  for (std::int64_t n = 1;; ++n) {
    const Instant asked = read_clock();
    const Ballot ballot = co_await ask(What::prolong, hold.value);
    const Duration left = validity_since(asked);
    if (has_quorum(ballot) && left > Duration{}) co_return extended(hold, left);
    (void)co_await undo(hold, ballot);  // the caller is still working
    if (n == attempts_) co_return Outcome<MonoTime>::refusal();
    co_await host_.sleep(retry_delay());
  }
}

Task<Outcome<>> NodeRedlock4::release(Hold hold) {
  end_renewal();
  const Ballot ballot = co_await ask(What::release, hold.value);
  co_return released_by_majority(ballot);
}

}  // namespace picklock
