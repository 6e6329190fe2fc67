#include "algorithms/etcd/kubernetes_lease.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace picklock {
namespace {

constexpr const char* kNoRecord = "";  // record of a leader that has released; its duration is one second

}  // namespace

void KubernetesLeaseOptions::fields(FieldVisitor& v) {
  v.field({.name = "ttl",
           .help = "LeaseDuration: how long candidates wait after a change that they observe, in whole seconds",
           .least = seconds(1).ns},
          ttl);
  v.field({.name = "renew-deadline",
           .help = "RenewDeadline: a leader that could not renew for so long steps down; none: two thirds of the ttl",
           .least = 1},
          renew_deadline);
  v.field({.name = "retry", .help = "RetryPeriod: time between two tries; none: two fifteenths of the ttl", .least = 1},
          retry);
  v.field({.name = "jitter-percent",
           .help = "JitterFactor: how much longer a candidate may wait",
           .least = 0,
           .most = 10'000},
          jitter_percent);
  v.field({.name = "release-on-cancel", .help = "whether a leader empties the record before it stops leading"},
          release_on_cancel);
  v.field({.name = "release", .help = "release of client-go, which says how a record is emptied"}, release);
}

KubernetesLease::KubernetesLease(const LockContext& context, const KubernetesLeaseOptions& options)
    : Lock(context.host),
      etcd_(context.get<Etcd>()),
      name_(context.name),
      ttl_(options.record_duration()),
      renew_deadline_(options.renew_deadline.value_or(options.ttl / 3 * 2)),
      retry_(options.retry.value_or(options.ttl / 15 * 2)),
      request_timeout_(std::max(renew_deadline_ / 2, seconds(1))),
      options_(options),
      lost_(context.host, "loss of the lock") {}

const char* KubernetesLease::refusal_of_options() const {
  if (options_.ttl <= renew_deadline_) return "leaseDuration must be greater than renewDeadline";
  if (renew_deadline_.ns <= retry_.ns / 100 * options_.jitter_percent) {
    return "renewDeadline must be greater than retryPeriod*JitterFactor";
  }
  return nullptr;
}

// holder, its LeaseDurationSeconds, and when it renewed by its wall clock
std::string KubernetesLease::record() const {
  return identity_ + " " + std::to_string(ttl_.ns / seconds(1).ns) + " " + std::to_string(host_.wall_now().ns);
}

// setObservedRecord
void KubernetesLease::observe(std::string record, EtcdRevision revision) {
  observed_revision_ = revision;
  const std::size_t blank = record.find(' ');
  observed_holder_ = record.substr(0, blank);
  std::int64_t whole = 1;
  if (blank != std::string::npos) std::from_chars(record.data() + blank + 1, record.data() + record.size(), whole);
  observed_duration_ = seconds(whole);
  observed_at_ = host_.monotonic_now();
}

EtcdAnswer<EtcdRangeReply> KubernetesLease::read() {
  const EtcdRange own(name_);
  return etcd_.range(own, request_timeout_);
}

Task<Outcome<>> KubernetesLease::write(std::string record, EtcdRevision expected) {
  EtcdTxn txn;
  txn.compares = {{name_, EtcdTarget::mod, EtcdRelation::equal, expected}};
  txn.then = {EtcdPut(name_, record)};
  const std::uint64_t term = term_;
  const auto reply = co_await etcd_.txn(std::move(txn), request_timeout_);
  if (reply.unknown()) co_return Outcome<>::unknown_because(reply.why());
  if (!reply.yes() || !reply.value().succeeded) co_return Outcome<>::refusal();
  if (term == term_) observe(std::move(record), reply.value().header.revision);
  co_return Outcome<>::of({});
}

// The end of a term ends what it has under way, as a cancelled context does.
Task<Outcome<>> KubernetesLease::try_acquire_or_renew(std::uint64_t term) {
  const MonoTime began = host_.monotonic_now();
  if (is_leader() && is_valid(began)) {  // need not read what it has written itself
    const auto renewed = co_await write(record(), observed_revision_);
    if (term != term_) co_return Outcome<>::refusal();
    if (renewed.yes()) {
      renewed_at_ = began;
      co_return renewed;
    }
  }
  const auto found = co_await read();
  if (!found.yes() || term != term_) co_return Outcome<>::refusal();
  EtcdRevision expected = 0;
  if (!found.value().kvs.empty()) {
    const EtcdKeyValue& kv = found.value().kvs.front();
    expected = kv.mod_revision;
    if (kv.value != read_) {
      read_ = kv.value;
      observe(kv.value, expected);
    }
    observed_revision_ = expected;
    if (!observed_holder_.empty() && is_valid(began) && !is_leader()) co_return Outcome<>::refusal();
  }
  const auto written = co_await write(record(), expected);
  if (term != term_) co_return Outcome<>::refusal();
  if (written.yes()) renewed_at_ = began;
  co_return written;
}

Task<Acquired> KubernetesLease::acquire(Patience patience) {
  if (const char* const why = refusal_of_options()) co_return Acquired::refusal(Why::error, why);
  // Each term has a new elector: a lease that could not be given up then counts as another's.
  identity_ = "candidate-" + std::to_string(host_.random(Purpose::lock_value));
  const std::uint64_t term = ++term_;
  const Law pause = Law::uniform(retry_.ns, retry_.ns + retry_.ns / 100 * options_.jitter_percent);
  while (!patience.over()) {
    const Outcome<> leads = co_await try_acquire_or_renew(term);
    if (leads.yes()) {
      lost_.clear();
      leads_ = true;
      Hold hold(identity_);
      hold.deadline = renewed_at_ + renew_deadline_;
      host_.announce_deadline(DeadlineKind::lease, *hold.deadline);
      host_.spawn("renewal", renew(host_, this, term));
      co_return Acquired::of(std::move(hold));
    }
    if (leads.unknown()) patience.note_unknown();
    co_await patience.pause(host_.draw_duration(Purpose::retry_delay, pause));
  }
  co_return patience.exhausted();
}

// wait.PollUntilContextTimeout: its ticks do not wait for a try that takes longer.
Task<bool> KubernetesLease::renewed_in_time(std::uint64_t term) {
  const MonoTime until = host_.monotonic_now() + renew_deadline_;
  MonoTime tick = host_.monotonic_now() + retry_;
  while (host_.monotonic_now() < until && term_ == term) {
    const Duration left = until - host_.monotonic_now();
    const auto tried = co_await with_timeout(host_, try_acquire_or_renew(term), left);
    if (tried && tried->yes()) co_return true;
    co_await host_.sleep_until(std::min(tick, until));
    while (tick <= host_.monotonic_now()) tick = tick + retry_;
  }
  co_return false;
}

Task<void> KubernetesLease::renew(Host host, KubernetesLease* self, std::uint64_t term) {
  while (self->term_ == term) {
    co_await host.pass(mark::renews);
    const bool renewed = co_await self->renewed_in_time(term);
    if (self->term_ != term) co_return;
    if (!renewed) {
      self->steps_down_ = true;
      if (self->options_.release_on_cancel) (void)co_await self->give_up();
      // Only now does Run() cancel the leader's context.
      ++self->term_;
      self->leads_ = self->steps_down_ = false;
      self->lost_.set();
      co_return;
    }
    host.announce_deadline(DeadlineKind::lease, self->renewed_at_ + self->renew_deadline_);
    co_await host.sleep(self->retry_);
  }
}

Task<Outcome<>> KubernetesLease::give_up() {
  const auto emptied = co_await with_timeout(host_, write_empty(), renew_deadline_);
  co_return emptied.value_or(Outcome<>::unknown_because(Why::timed_out));
}

Task<Outcome<>> KubernetesLease::write_empty() {
  EtcdRevision expected = observed_revision_;
  if (options_.release == KubernetesRelease::v0_34) {
    const auto found = co_await read();
    if (!found.yes()) co_return Outcome<>::unknown_because(Why::timed_out);
    if (found.value().kvs.empty()) co_return Outcome<>::refusal();
    expected = found.value().kvs.front().mod_revision;  // the observed record stays the same
  }
  if (!is_leader()) co_return Outcome<>::refusal();
  const auto emptied = co_await write(kNoRecord, expected);
  // It cannot tell who wrote in between: it may have been its own renewal.
  co_return emptied.refused() ? Outcome<>::unknown_because(Why::timed_out) : emptied;
}

Task<Outcome<>> KubernetesLease::release(Hold) {
  if (steps_down_) co_await lost_.wait();
  if (!leads_) co_return Outcome<>::refusal();
  leads_ = false;
  ++term_;
  if (!options_.release_on_cancel) co_return Outcome<>::unknown_because(Why::timed_out);
  const auto given_up = co_await give_up();
  co_return given_up;
}

std::optional<MonoTime> KubernetesLease::deadline(const Hold& hold) const {
  return hold.value == identity_ && is_leader() ? renewed_at_ + renew_deadline_ : hold.deadline;
}

}  // namespace picklock
