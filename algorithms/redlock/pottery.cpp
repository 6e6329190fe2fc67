#include "algorithms/redlock/pottery.hpp"

#include "algorithms/redlock/node_redlock_4.hpp"

namespace picklock {

using What = BallotQuestion::What;

PotteryOptions::PotteryOptions() { node_timeout = kTcpGivesUp; }

BallotRules Pottery::rules(What) const { return {.contact = options_.contact, .in_favour = quorum()}; }

Task<Outcome<MonoTime>> Pottery::extend(Hold hold) {
  if (!may_extend()) co_return Outcome<MonoTime>::refusal();
  const Ballot ballot = co_await ask(What::prolong, hold.value);
  co_return has_quorum(ballot) ? extended(hold, options_.ttl) : not_extended(ballot, options_.ttl);
}

Task<Outcome<>> Pottery::release(Hold hold) {
  end_renewal();
  const Ballot ballot = co_await ask(What::release, hold.value);
  co_return released_by_majority(ballot);
}

}  // namespace picklock
