#include "algorithms/redlock/node_redlock_5.hpp"

namespace picklock {

using What = BallotQuestion::What;

void NodeRedlock5Options::fields(FieldVisitor& v) {
  RedlockOptions::fields(v);
  v.field({.name = "count-from", .help = "beginning of a lease for the client: the attempt or the call"}, count_from);
  v.field({.name = "settles-on-tie", .help = "gives up where all have voted and neither side has a majority"},
          settles_on_tie);
  v.field({.name = "release-failed", .help = "servers at which a failed attempt is undone"}, release_failed);
}

Hold NodeRedlock5::propose(std::int64_t attempt) {
  if (attempt == 1) {
    called_ = read_clock();
    value_of_call_ = Redlock::propose(attempt).value;
  }
  return Hold(value_of_call_);
}

Task<Ballot> NodeRedlock5::ask(BallotQuestion question) {
  const std::uint32_t enough = question.what == What::set ? quorum() : 0;
  return ask_servers(host_, servers_, std::move(question), {options_.contact, enough, options_.settles_on_tie});
}

Task<Acquired> NodeRedlock5::attempt(Hold hold) {
  const Instant asked = options_.count_from == LeaseFrom::call ? called_ : read_clock();
  BallotQuestion set = question(What::set, hold.value);
  const Ballot ballot = co_await ask(std::move(set));
  if (has_quorum(ballot)) {
    const Acquired entered = co_await enter(hold, ballot, validity_since(asked));
    co_return entered;
  }
  const bool undone = co_await undo_where(options_.release_failed, hold, ballot);
  co_return undone ? Acquired::refusal() : Acquired::unknown_because(Why::timed_out);
}

Task<Outcome<MonoTime>> NodeRedlock5::extend(Hold hold) {
  if (expired(hold) || !may_extend()) co_return Outcome<MonoTime>::refusal();
  const Instant asked = read_clock();
  BallotQuestion prolong = question(What::prolong, hold.value);
  const Ballot ballot = co_await ask(std::move(prolong));
  co_return has_quorum(ballot) ? extended(hold, options_.ttl) : not_extended(ballot, validity_since(asked));
}

}  // namespace picklock
