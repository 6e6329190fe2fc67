#include "algorithms/redlock/pottery.hpp"

namespace picklock {

using What = BallotQuestion::What;

Task<Ballot> Pottery::ask(BallotQuestion question) {
  const std::uint32_t enough = question.what == What::set ? quorum() : 0;
  return ask_servers(host_, servers_, std::move(question), {options_.contact, enough});
}

Task<Outcome<MonoTime>> Pottery::extend(Hold hold) {
  if (expired(hold) || !may_extend()) co_return Outcome<MonoTime>::refusal();
  const Instant asked = read_clock();
  BallotQuestion prolong = question(What::prolong, hold.value);
  const Ballot ballot = co_await ask(std::move(prolong));
  co_return has_quorum(ballot) ? extended(hold, options_.ttl) : not_extended(ballot, validity_since(asked));
}

}  // namespace picklock
