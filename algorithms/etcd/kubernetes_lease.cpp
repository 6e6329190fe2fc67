#include "algorithms/etcd/kubernetes_lease.hpp"

#include <utility>

namespace picklock {

void KubernetesLeaseOptions::fields(FieldVisitor& v) {
  v.field(
      {.name = "ttl", .help = "LeaseDuration: how long candidates wait after a change that they observe", .least = 1},
      ttl);
  v.field({.name = "renew-deadline",
           .help = "RenewDeadline: a leader that could not renew for so long steps down",
           .least = 1},
          renew_deadline);
  v.field({.name = "retry", .help = "RetryPeriod: time between two tries", .least = 1}, retry);
  v.field({.name = "jitter-percent",
           .help = "JitterFactor: how much longer a candidate may wait",
           .least = 0,
           .most = 10'000},
          jitter_percent);
  v.field({.name = "release-on-cancel", .help = "a release empties the record"}, release_on_cancel);
}

KubernetesLease::KubernetesLease(const LockContext& context, const KubernetesLeaseOptions& options)
    : Lock(context.host),
      etcd_(context.get<Etcd>()),
      name_(context.name),
      options_(options),
      lost_(context.host, "loss of the lock") {}

// holder, and when it renewed by its wall clock
std::string KubernetesLease::record() const { return identity_ + " " + std::to_string(host_.wall_now().ns); }

void KubernetesLease::observe(std::string record, EtcdRevision revision) {
  observed_revision_ = revision;
  if (record == observed_) return;
  observed_ = std::move(record);
  observed_holder_ = observed_.substr(0, observed_.find(' '));
  observed_at_ = host_.monotonic_now();
}

Task<Outcome<>> KubernetesLease::write(std::string record, EtcdRevision expected) {
  EtcdTxn txn;
  txn.compares = {{name_, EtcdTarget::mod, EtcdRelation::equal, expected}};
  txn.then = {EtcdPut(name_, record)};
  const auto reply = co_await etcd_.txn(std::move(txn), options_.renew_deadline / 2);
  if (reply.unknown()) co_return Outcome<>::unknown_because(reply.why());
  if (!reply.yes() || !reply.value().succeeded) co_return Outcome<>::refusal();
  observe(std::move(record), reply.value().header.revision);
  co_return Outcome<>::of({});
}

Task<Outcome<>> KubernetesLease::try_acquire_or_renew() {
  const MonoTime began = host_.monotonic_now();
  if (is_leader() && is_valid(began)) {  // need not read what it has written itself
    const auto renewed = co_await write(record(), observed_revision_);
    if (renewed.yes()) {
      renewed_at_ = began;
      co_return renewed;
    }
  }
  const EtcdRange own(name_);
  const auto found = co_await etcd_.range(own, options_.renew_deadline / 2);
  if (!found.yes()) co_return Outcome<>::refusal();
  EtcdRevision expected = 0;
  if (!found.value().kvs.empty()) {
    const EtcdKeyValue& kv = found.value().kvs.front();
    expected = kv.mod_revision;
    observe(kv.value, expected);
    if (!observed_holder_.empty() && is_valid(began) && !is_leader()) co_return Outcome<>::refusal();
  }
  const auto written = co_await write(record(), expected);
  if (written.yes()) renewed_at_ = began;
  co_return written;
}

Task<Acquired> KubernetesLease::acquire(Patience patience) {
  // An elector of its own for each term: a lease that could not be given up is somebody else's.
  identity_ = "candidate-" + std::to_string(host_.random(Purpose::lock_value));
  const std::int64_t longest = options_.retry.ns + options_.retry.ns / 100 * options_.jitter_percent;
  const Law pause = Law::uniform(options_.retry.ns, longest);
  while (!patience.over()) {
    const Outcome<> leads = co_await try_acquire_or_renew();
    if (leads.yes()) {
      lost_.clear();
      Hold hold(identity_);
      hold.deadline = renewed_at_ + options_.renew_deadline;
      host_.announce_deadline(DeadlineKind::lease, *hold.deadline);
      host_.spawn("renewal", renew(host_, this, ++term_));
      co_return Acquired::of(std::move(hold));
    }
    if (leads.unknown()) patience.note_unknown();
    co_await patience.pause(host_.draw_duration(Purpose::retry_delay, pause));
  }
  co_return patience.exhausted();
}

Task<void> KubernetesLease::renew(Host host, KubernetesLease* self, std::uint64_t term) {
  const KubernetesLeaseOptions& options = self->options_;
  while (self->term_ == term) {
    co_await host.pass(mark::renews);
    const MonoTime until = host.monotonic_now() + options.renew_deadline;
    bool renewed = false;
    while (!renewed && host.monotonic_now() < until && self->term_ == term) {
      const Duration left = until - host.monotonic_now();
      const auto tried = co_await with_timeout(host, self->try_acquire_or_renew(), left);
      renewed = tried && tried->yes();
      if (renewed) break;
      const Duration rest = until - host.monotonic_now();
      co_await host.sleep(rest < options.retry ? rest : options.retry);
    }
    if (self->term_ != term) co_return;
    if (!renewed) {
      ++self->term_;
      self->lost_.set();
      co_return;
    }
    host.announce_deadline(DeadlineKind::lease, self->renewed_at_ + options.renew_deadline);
    co_await host.sleep(options.retry);
  }
}

Task<Outcome<>> KubernetesLease::release(Hold) {
  ++term_;
  if (!is_leader()) co_return Outcome<>::refusal();
  if (!options_.release_on_cancel) co_return Outcome<>::of({});
  const auto emptied = co_await write("", observed_revision_);
  co_return emptied;
}

std::optional<MonoTime> KubernetesLease::deadline(const Hold& hold) const {
  return hold.value == identity_ && is_leader() ? renewed_at_ + options_.renew_deadline : hold.deadline;
}

}  // namespace picklock
