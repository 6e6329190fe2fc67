#include "algorithms/redlock/redlock_uniform_expiry.hpp"

#include <algorithm>

namespace picklock {

void RedlockUniformExpiryOptions::fields(FieldVisitor& v) {
  RedlockOptions::fields(v);
  v.field({.name = "keeps-minority", .help = "an attempt without a majority releases nothing"}, keeps_minority);
  v.field({.name = "charge", .help = "time that counts against an acquire's patience"}, charge);
}

Task<Acquired> RedlockUniformExpiry::acquire(Patience patience) {
  if (options_.charge == WaitTimeCharge::all) {
    const Acquired acquired = co_await Redlock::acquire(patience);
    co_return acquired;
  }
  Duration wait_time = patience.remaining();
  for (std::int64_t n = 1;; ++n) {
    Hold proposed = propose(n);
    const Acquired tried = co_await attempt(std::move(proposed));
    if (tried.yes()) co_return tried;
    if (tried.unknown()) patience.note_unknown();
    if (n == options_.attempts || wait_time <= Duration{}) co_return patience.exhausted();
    const Duration pause = std::min(retry_delay(), wait_time);
    wait_time -= pause;
    co_await host_.sleep(pause);
  }
}

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
  BallotQuestion rest{BallotQuestion::What::expire_whosever, name_, {}, RedisNumber(validity.ms())};
  const BallotRules until = rules(rest.what);
  (void)co_await ask_servers(host_, granting, std::move(rest), until);
  const Acquired entered = co_await Redlock::enter(hold, ballot, due - host_.monotonic_now());
  co_return entered;
}

Task<bool> RedlockUniformExpiry::undo(Hold hold, Ballot ballot) {
  const bool keeps = options_.keeps_minority && !has_quorum(ballot);
  return undo_where(keeps ? ReleaseFailed::nowhere : ReleaseFailed::granted, std::move(hold), std::move(ballot));
}

}  // namespace picklock
