#include "algorithms/etcd/etcd_rw_mutex.hpp"

#include <utility>

#include "algorithms/etcd/etcd_mutex.hpp"

namespace picklock {
void EtcdRwMutexOptions::fields(FieldVisitor& v) {
  v.field({.name = "ttl", .help = "time to live of the session's lease, in whole seconds", .least = seconds(1).ns},
          ttl);
  v.field({.name = "retry", .help = "time between two attempts after an error", .least = 1}, retry);
  v.field({.name = "recheck", .help = "Lock looks for its own key after the wait"}, recheck);
  v.field({.name = "failed-wait", .help = "treatment of the key if a request fails during the wait"}, failed_wait);
  v.field({.name = "shared-session", .help = "one session for all locks of the process"}, shared_session);
}

EtcdRwMutex::EtcdRwMutex(const LockContext& context, const EtcdRwMutexOptions& options)
    : EtcdSessionLock(context, {.ttl = options.ttl, .pause = options.retry, .shared = options.shared_session}),
      directory_(std::string(context.name) + (context.sharing == Sharing::shared ? "/read" : "/write")),
      blockers_(std::string(context.name) + (context.sharing == Sharing::shared ? "/write" : "/")),
      options_(options) {}

Task<Outcome<>> EtcdRwMutex::create_key(EtcdLeaseId lease) {
  my_key_ = directory_ + "/" + std::to_string(host_.wall_now().ns);
  EtcdTxn txn;
  txn.compares = {{my_key_, EtcdTarget::version, EtcdRelation::equal, 0}};
  txn.then = {EtcdPut(my_key_, "", lease)};
  const auto reply = co_await etcd_.txn(txn);
  if (!reply.yes()) co_return etcd_failure(reply);
  if (!reply.value().succeeded) co_return Outcome<>::refusal();
  my_revision_ = reply.value().header.revision;
  co_return Outcome<>::of({});
}

// The latest of them that was there before mine, and again until there is none.  A watch that has ended, for
// whatever reason, is as good as a deletion: waitEvents() gives back nothing, and no error.
Task<Outcome<>> EtcdRwMutex::wait_for_earlier() {
  for (;;) {
    EtcdRange last(etcd_prefix(blockers_));
    last.sort = EtcdSort::mod, last.descending = true, last.limit = 1;
    last.max_mod = my_revision_ - 1;
    const auto reply = co_await etcd_.range(last);
    if (!reply.yes()) co_return etcd_failure(reply);
    if (reply.value().kvs.empty()) co_return Outcome<>::of({});
    const std::string key = reply.value().kvs.front().key;
    const auto gone = co_await etcd_wait_delete(host_, etcd_, key, my_revision_);
    (void)gone;
  }
}

Task<Outcome<>> EtcdRwMutex::look_for_own_key() {
  const EtcdRange own(my_key_);
  const auto still = co_await etcd_.range(own);
  if (!still.yes()) co_return etcd_failure(still);
  if (!still.value().kvs.empty()) co_return Outcome<>::of({});
  drop_session();
  co_return Outcome<>::refusal(Why::error, "mutex: session is expired");
}

Task<Acquired> EtcdRwMutex::lock(std::shared_ptr<EtcdSession> session, Duration patience) {
  const MonoTime began = host_.monotonic_now();
  const auto created = co_await create_key(session->lease());
  if (!created.yes()) {
    if (created.why() == Why::error) drop_session();  // its lease is gone
    // A key that no client knows of stands in the way of others, and takes its turn, until the session ends.
    co_return created.unknown() ? Acquired::unknown_because(created.why()) : Acquired::refusal();
  }
  const Duration left = patience - (host_.monotonic_now() - began);
  const auto waited = co_await with_timeout(host_, wait_for_earlier(), patience < kForever ? left : kForever);
  Outcome<> held = waited ? *waited : Outcome<>::refusal();
  if (held.yes() && options_.recheck) {
    auto there = co_await look_for_own_key();
    held = std::move(there);
  }
  if (held.yes()) {
    Hold hold(my_key_);
    hold.token = my_revision_;
    hold.deadline = session->deadline();
    co_return Acquired::of(std::move(hold));
  }
  if (waited && !waited->yes() && options_.failed_wait == EtcdFailedWait::leaves_key) {
    co_return Acquired::unknown_because(Why::disconnected);  // it takes its turn, without a holder
  }
  const auto left_line = co_await erase(my_key_);
  if (left_line.unknown()) co_return Acquired::unknown_because(left_line.why());
  co_return Acquired::refusal();
}

Task<Outcome<>> EtcdRwMutex::erase(std::string key) {
  const EtcdDelete by_name(std::move(key));
  const auto reply = co_await etcd_.del(by_name);
  if (!reply.yes()) co_return etcd_failure(reply);
  co_return Outcome<>::of({});  // the library does not ask if there was anything to delete
}

Task<Outcome<>> EtcdRwMutex::unlock(Hold hold) { return erase(std::move(hold.value)); }

}  // namespace picklock
