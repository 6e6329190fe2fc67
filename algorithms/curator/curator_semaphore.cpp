#include "algorithms/curator/curator_semaphore.hpp"

#include <algorithm>
#include <utility>

namespace picklock {

void CuratorSemaphoreMutexOptions::fields(FieldVisitor& v) {
  client.fields(v);
  v.field({.name = "missing-lease", .help = "treatment of a semaphore lease whose node is missing"}, missing_lease);
  v.field({.name = "failed-unlock", .help = "treatment of the semaphore lease if the inner mutex cannot be released"},
          failed_unlock);
}

void CuratorSemaphoreOptions::fields(FieldVisitor& v) {
  mutex.fields(v);
  v.field({.name = "leases", .help = "largest number of holds at a time", .least = 1, .most = 1'000}, leases);
}

CuratorSemaphore::CuratorSemaphore(const LockContext& context, const CuratorSemaphoreOptions& options)
    : Lock(context.host),
      client_(CuratorClient::of(context, options.mutex.client)),
      options_(options),
      leases_path_(curator_path(context.name) + "/leases"),
      mutex_(context, curator_path(context.name) + "/locks", CuratorMutexOptions{.client = options.mutex.client}),
      watcher_(context.host, "a change of the leases"),
      loss_(std::make_shared<CuratorLoss>(context.host, options.mutex.client.reaction)) {
  client_.tell(loss_);
}

std::optional<Duration> CuratorSemaphore::left(const Leasing& a) const {
  if (!a.wait) return std::nullopt;
  return *a.wait - (client_.now() - a.start);
}

Task<Acquired> CuratorSemaphore::acquire(Patience patience) {
  Leasing a;
  a.start = client_.now();
  if (patience.remaining() < kForever) a.wait = patience.remaining();
  Step step = Step::missing;
  for (std::int64_t n = 0; step == Step::missing; ++n) {
    step = co_await acquire_one(&a);
    if (step != Step::missing) break;
    a.code = ZooCode::no_node;
    const bool again = co_await client_.may_retry(n);
    if (!again) step = Step::failed;
  }
  if (step != Step::granted) {
    (void)co_await give_back(&a);
    if (a.in_doubt) co_return Acquired::unknown_because(Why::disconnected);
    if (step == Step::timed_out) co_return Acquired::refusal();
    co_return Acquired::refusal(Why::error, std::string(to_string(a.code)));
  }
  CuratorLockData& lease = a.leases.back();
  if (lease.czxid == 0) {
    const auto stat = co_await client_.exists(lease.path);
    if (stat.yes()) lease.czxid = stat.value().czxid;
  }
  Hold hold(a.leases.front().path);
  if (lease.czxid != 0) hold.token = lease.czxid;
  if (held_.empty()) loss_->granted(client_.state());
  held_.push_back(hold.value);
  co_return Acquired::of(std::move(hold));
}

Task<CuratorSemaphore::Step> CuratorSemaphore::acquire_one(Leasing* a) {
  const auto time = left(*a);
  const Patience patience = time ? Patience::lasting(host_, std::max(*time, Duration{})) : Patience::unlimited(host_);
  const auto locked = co_await mutex_.acquire(patience);
  if (!locked.yes()) {
    a->in_doubt = a->in_doubt || locked.unknown();
    co_return locked.why() == Why::refused ? Step::timed_out : Step::failed;
  }
  const Step step = co_await create_and_wait(a);
  const bool returns = step != Step::granted && options_.mutex.missing_lease == CuratorMissingLease::dropped;
  if (returns) (void)co_await give_back(a);  // the mutex is still held
  const auto unlocked = co_await mutex_.release(locked.value());
  if (unlocked.yes()) co_return step;
  a->in_doubt = a->in_doubt || unlocked.unknown();
  if (step == Step::granted && options_.mutex.failed_unlock == CuratorFailedUnlock::leaks) {
    a->leases.pop_back();
    a->in_doubt = true;  // the service counts it
  }
  co_return Step::failed;
}

Task<CuratorSemaphore::Step> CuratorSemaphore::create_and_wait(Leasing* a) {
  const auto made = co_await client_.create_protected(leases_path_, "lease-", ZooMode::ephemeral_sequential);
  a->code = made.answer.code();
  a->in_doubt = a->in_doubt || made.left_behind;
  if (!made.answer.yes()) co_return Step::failed;
  CuratorLockData lease;
  lease.path = made.answer.value().path;
  lease.czxid = made.answer.value().stat.czxid;
  a->leases.push_back(lease);
  const std::string name = lease.path.substr(leases_path_.size() + 1);
  for (;;) {
    watcher_.forget();
    const auto listed = co_await client_.get_children(leases_path_, watcher_);
    a->code = listed.code();
    if (listed.is(ZooCode::no_node)) co_return Step::missing;
    if (!listed.yes()) co_return Step::failed;
    const auto& names = listed.value().names;
    if (std::find(names.begin(), names.end(), name) == names.end()) co_return Step::missing;
    if (static_cast<std::int64_t>(names.size()) <= options_.leases) co_return Step::granted;
    const auto time = left(*a);
    if (!time) {
      (void)co_await watcher_.next();
      continue;
    }
    if (*time <= Duration{}) co_return Step::timed_out;
    (void)co_await with_timeout(host_, watcher_.next(), *time);
  }
}

Task<Nothing> CuratorSemaphore::give_back(Leasing* a) {
  for (const CuratorLockData& lease : a->leases) {
    const auto removed = co_await client_.remove_guaranteed(lease.path);
    a->in_doubt = a->in_doubt || removed.unknown();
  }
  a->leases.clear();
  co_return Nothing{};
}

Task<Outcome<>> CuratorSemaphore::release(Hold hold) {
  const auto mine = std::find(held_.begin(), held_.end(), hold.value);
  if (mine == held_.end()) co_return Outcome<>::refusal(Why::error, "Not acquired");
  held_.erase(mine);
  if (held_.empty()) loss_->released();
  const auto removed = co_await client_.remove_guaranteed(hold.value);
  if (removed.yes()) co_return Outcome<>::of({});
  co_return removed.unknown() ? Outcome<>::unknown_because(removed.why())
                              : Outcome<>::refusal(removed.why(), removed.error());
}

}  // namespace picklock
