#include "algorithms/redis/set_nx_px.hpp"
#include "algorithms/redis/redis_servers.hpp"

#include "algorithms/redis/redis_scripts.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kMostReplicas = 16;

}  // namespace

void SetNxPxOptions::fields(FieldVisitor& v) {
  v.field({.name = "ttl", .help = "lease that the server grants", .least = milliseconds(1).ns}, ttl);
  v.field({.name = "count-from", .help = "instant from which the holder counts its lease"}, count_from);
  v.field({.name = "renewal", .help = "whether a task of its own prolongs the lease"}, renewal);
  v.field({.name = "renewal-interval", .help = "time between two renewals; a third of ttl unless given", .least = 1},
          renewal_interval);
  v.field({.name = "wait-replicas",
           .help = "replicas that must acknowledge a grant, or it is undone; 0: no wait",
           .least = 0,
           .most = kMostReplicas},
          wait_replicas);
  v.field({.name = "wait-timeout",
           .help = "longest wait of WAIT for the replicas; the request's own timeout must be longer",
           .least = milliseconds(1).ns},
          wait_timeout);
  polling.fields(v);
}

SetNxPx::SetNxPx(const LockContext& context, const SetNxPxOptions& options)
    : PollingLock(context.host, options.polling),
      redis_(context.get<RedisServers>()[0]),
      name_(context.name),
      options_(options),
      renewal_(*this, IfRefused::stop_and_tell) {}

Hold SetNxPx::propose() {
  Hold hold(owner_value(host_));
  hold.deadline = host_.monotonic_now() + options_.ttl;
  return hold;
}

Task<Acquired> SetNxPx::take(Hold proposed) {
  const MonoTime asked = host_.monotonic_now();
  const auto set = co_await redis_.set_nx_px(name_, proposed.value, options_.ttl);
  if (!set.yes()) co_return passed_on<Hold>(set);
  proposed.deadline = end_of_lease(asked);
  if (options_.wait_replicas == 0) co_return Acquired::of(proposed);
  const Acquired replicated = co_await once_replicated(proposed);
  co_return replicated;
}

// A connection made anew has no write that WAIT could wait for; WAIT counts all connected replicas, perhaps at
// another master: its answer is valid only on the connection of the SET.
Task<Acquired> SetNxPx::once_replicated(Hold taken) {
  const std::uint64_t connection = redis_.arrivals().connections_opened();
  const RedisCommand wait("WAIT", options_.wait_replicas, options_.wait_timeout.ms());
  const auto acknowledged = co_await redis_.command(wait);
  const bool same = redis_.arrivals().connections_opened() == connection;
  if (same && acknowledged.yes() && acknowledged.value().integer() >= options_.wait_replicas) {
    co_return Acquired::of(taken);
  }
  const Outcome<> undone = co_await release(taken);
  if (undone.yes()) co_return Acquired::refusal();
  co_return Acquired::unknown_because(Why::timed_out);
}

void SetNxPx::granted(const Hold& hold) {
  if (!options_.renewal) return;
  renewal_.begin(hold, options_.renewal_interval.value_or(options_.ttl / 3));
}

Task<Outcome<MonoTime>> SetNxPx::extend(Hold hold) {
  const MonoTime asked = host_.monotonic_now();
  const Outcome<> extended = co_await expire_if_equals(redis_, name_, hold.value, options_.ttl);
  if (!extended.yes()) co_return passed_on<MonoTime>(extended);
  const MonoTime due = end_of_lease(asked);
  prolong(hold, due);
  co_return Outcome<MonoTime>::of(due);
}

Task<Outcome<>> SetNxPx::release(Hold hold) {
  renewal_.end();
  const Outcome<> deleted = co_await delete_if_equals(redis_, name_, hold.value);
  co_return deleted;
}

MonoTime SetNxPx::end_of_lease(MonoTime asked) const {
  const MonoTime from = options_.count_from == CountFrom::ask ? asked : host_.monotonic_now();
  return from + options_.ttl;
}

}  // namespace picklock
