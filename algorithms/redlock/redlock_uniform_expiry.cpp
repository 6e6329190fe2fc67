#include "algorithms/redlock/redlock_uniform_expiry.hpp"

namespace picklock {

Hold RedlockUniformExpiry::propose(std::int64_t attempt) {
  if (attempt == 1) value_of_call_ = Redlock::propose(attempt).value;
  return Hold(value_of_call_);
}

Task<Acquired> RedlockUniformExpiry::enter(Hold hold, Ballot ballot, Duration validity) {
  const MonoTime due = host_.monotonic_now() + validity;
  std::vector<Redis> granting;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (ballot[i] == Vote::in_favour) granting.push_back(servers_[i]);
  }
  BallotQuestion rest{BallotQuestion::What::expire_whosever, name_, {}, validity};
  const BallotRules rules{contact_};
  (void)co_await ask_servers(host_, granting, std::move(rest), rules);
  const Acquired entered = co_await Redlock::enter(hold, ballot, due - host_.monotonic_now());
  co_return entered;
}

Task<bool> RedlockUniformExpiry::undo(Hold hold, Ballot ballot) {
  return undo_where(ReleaseFailed::granted, std::move(hold), std::move(ballot));
}

}  // namespace picklock
