#include "algorithms/redlock/redsync.hpp"

#include <algorithm>

#include "algorithms/redis/redis_servers.hpp"

namespace picklock {

using What = BallotQuestion::What;

void RedsyncOptions::fields(FieldVisitor& v) {
  terms(v, "none = 5 % of ttl");
  extending(v);
  v.field({.name = "set-nx-on-extend", .help = "an extension sets keys that are gone"}, set_nx_on_extend);
}

RedlockOptions RedsyncOptions::as_used() const {
  RedlockOptions o = *this;
  o.node_timeout = node_timeout.value_or(std::max(ttl / 20, Duration{1}));
  return o;
}

Redsync::Redsync(const LockContext& context, const RedsyncOptions& options)
    : Redlock(context, options.as_used()), options_(options) {
  const auto servers = context.get<RedisServers>().servers;
  pools_.assign(servers.begin(), servers.end());
}

Hold Redsync::propose(std::int64_t attempt) {
  if (attempt == 1) value_of_call_ = Redlock::propose(attempt).value;
  return Hold(value_of_call_);
}

Task<Ballot> Redsync::ask_patiently(What what, const std::string& value) {
  return ask_servers(host_, pools_, question(what, value), rules(what));
}

Task<Outcome<MonoTime>> Redsync::extend(Hold hold) {
  if (!may_extend()) co_return Outcome<MonoTime>::refusal();
  const Instant asked = read_clock();
  const Ballot ballot =
      co_await ask_patiently(options_.set_nx_on_extend ? What::prolong_or_set : What::prolong, hold.value);
  const Duration left = validity_since(asked);
  co_return has_quorum(ballot) && left > Duration{} ? extended(hold, left) : not_extended(ballot, left);
}

Task<Outcome<>> Redsync::release(Hold hold) {
  end_renewal();
  const Ballot ballot = co_await ask_patiently(What::release, hold.value);
  co_return released_by_majority(ballot);
}

}  // namespace picklock
