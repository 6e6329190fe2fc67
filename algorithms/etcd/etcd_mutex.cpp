#include "algorithms/etcd/etcd_mutex.hpp"

#include <charconv>
#include <utility>

namespace picklock {
namespace {

// The context of a wait ends with it, also when the wait is given up.
class CancelAtEnd {
 public:
  explicit CancelAtEnd(EtcdWatch& watch) : watch_(watch) {}
  CancelAtEnd(const CancelAtEnd&) = delete;
  CancelAtEnd& operator=(const CancelAtEnd&) = delete;
  ~CancelAtEnd() { watch_.cancel(); }

 private:
  EtcdWatch& watch_;
};

Task<Outcome<>> end_of_patience(Host host, MonoTime when) {
  co_await host.sleep_until(when);
  co_return Outcome<>::refusal();
}

}  // namespace

void EtcdMutexOptions::fields(FieldVisitor& v) {
  v.field({.name = "ttl", .help = "time to live of the session's lease, in whole seconds", .least = seconds(1).ns},
          ttl);
  v.field({.name = "retry", .help = "time between two attempts after an error", .least = 1}, retry);
  v.field({.name = "try-lock", .help = "TryLock polling interval; none: blocking Lock", .least = 1}, try_lock);
  v.field({.name = "recheck", .help = "Lock looks for its own key after the wait (3.5)"}, recheck);
  v.field({.name = "unlock", .help = "whether Unlock compares the key's create revision"}, unlock);
  v.field({.name = "unlock-retry", .help = "whether an Unlock without an answer is sent again"}, unlock_retry);
  v.field({.name = "heeds-session", .help = "a waiter gives up when its session ends"}, heeds_session);
  v.field({.name = "shared-session", .help = "one session for all locks of the process"}, shared_session);
  v.field({.name = "session-per-lock", .help = "a session for each Lock, which ends with it"}, session_per_lock);
  v.field({.name = "token", .help = "revision that serves as fencing token"}, token);
}

std::string etcd_key_of(std::string_view prefix, EtcdLeaseId lease) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, lease, 16).ptr;
  return std::string(prefix).append(digits, end);
}

EtcdCompare etcd_owner_guard(const Hold& hold) { return etcd_created_at(hold.value, hold.token.value_or(-1)); }

Task<Outcome<>> etcd_wait_delete(Host, Etcd& etcd, std::string key, EtcdRevision revision) {
  const auto watch = etcd.watch(EtcdWatchCreate(key, revision));
  const CancelAtEnd cancel(*watch);
  for (;;) {
    const auto reply = co_await watch->next();
    if (!reply) co_return Outcome<>::refusal(Why::error, "lost watcher waiting for delete");
    if (reply->cancelled) {
      const EtcdError why = reply->compacted != 0 ? EtcdError::compacted : reply->error;
      co_return Outcome<>::refusal(Why::error, std::string(to_string(why)));
    }
    for (const EtcdEvent& e : reply->events) {
      if (e.deleted) co_return Outcome<>::of({});
    }
  }
}

Task<Outcome<>> etcd_wait_deletes(Host host, Etcd& etcd, std::string prefix, EtcdRevision most_created,
                                  EtcdRevision* header) {
  for (;;) {
    EtcdRange last(etcd_prefix(prefix));
    last.last_created().max_create = most_created;
    const auto reply = co_await etcd.range(std::move(last));
    if (!reply.yes()) co_return etcd_failure(reply);
    *header = reply.value().header.revision;
    if (reply.value().kvs.empty()) co_return Outcome<>::of({});
    const std::string key = reply.value().kvs.front().key;
    const auto gone = co_await etcd_wait_delete(host, etcd, key, *header);
    if (!gone.yes()) co_return gone;
  }
}

EtcdMutex::EtcdMutex(const LockContext& context, const EtcdMutexOptions& options)
    : EtcdSessionLock(context, {.ttl = options.ttl,
                                .pause = options.try_lock.value_or(options.retry),
                                .shared = options.shared_session,
                                .per_lock = options.session_per_lock}),
      prefix_(std::string(context.name) + "/"),
      options_(options) {}

Task<Acquired> EtcdMutex::lock(std::shared_ptr<EtcdSession> session, Duration patience) {
  my_key_ = etcd_key_of(prefix_, session->lease());
  const EtcdRange owner = EtcdRange(etcd_prefix(prefix_)).first_created();
  EtcdTxn txn;
  txn.compares.push_back(etcd_absent(my_key_));
  txn.then.reserve(2), txn.otherwise.reserve(2);
  txn.then.emplace_back(EtcdPut(my_key_, "", session->lease()));
  txn.then.emplace_back(owner);
  txn.otherwise.emplace_back(EtcdRange(my_key_));
  txn.otherwise.emplace_back(owner);
  const auto reply = co_await etcd_.txn(std::move(txn));
  if (!reply.yes()) {
    if (reply.why() == Why::error) drop_session();  // its lease is gone
    co_return etcd_failure<Hold>(reply);
  }
  const EtcdTxnReply& done = reply.value();
  header_ = my_revision_ = done.header.revision;
  if (!done.succeeded) my_revision_ = std::get<EtcdRangeReply>(done.results[0]).kvs.at(0).create_revision;
  const auto& first = std::get<EtcdRangeReply>(done.results[1]).kvs;
  const bool mine = first.empty() || first[0].create_revision == my_revision_;
  if (!mine && options_.try_lock) {
    auto left = co_await step_out(Acquired::refusal());
    co_return left;
  }
  if (!mine) {
    in_line_ = true;
    const auto waited = co_await wait_in_line(session, my_revision_, patience);
    in_line_ = false;
    const auto own = co_await look_for_own_key(waited);
    if (own.yes() && !own.value()) {  // nothing is left to step out of
      drop_session();
      co_return Acquired::refusal(Why::error, "mutex: session is expired");
    }
    if (!own.yes()) {
      auto left = co_await step_out(etcd_failure<Hold>(own));
      co_return left;
    }
  }
  Hold hold(my_key_);
  hold.token = options_.token == EtcdToken::header ? header_ : my_revision_;
  hold.deadline = session->deadline();
  co_return Acquired::of(std::move(hold));
}

Task<Outcome<>> EtcdMutex::interrupted() {
  if (!std::exchange(in_line_, false)) co_return Outcome<>::refusal();  // its key, if there is one, stays
  const auto left = co_await unlock_once(my_key_, my_revision_);
  co_return left.unknown() ? left : Outcome<>::of({});
}

Task<Outcome<>> EtcdMutex::session_end(std::shared_ptr<EtcdSession> session) {
  co_await session->done().wait();
  co_return Outcome<>::refusal(Why::error, "mutex: session is expired");
}

Task<Outcome<>> EtcdMutex::wait_deletes(EtcdRevision most_created) {
  return etcd_wait_deletes(host_, etcd_, prefix_, most_created, &header_);
}

Task<Outcome<>> EtcdMutex::wait_in_line(std::shared_ptr<EtcdSession> session, EtcdRevision mine, Duration patience) {
  std::vector<Task<Outcome<>>> ends;
  ends.push_back(wait_deletes(mine - 1));
  if (options_.heeds_session) ends.push_back(session_end(session));
  const MonoTime until = host_.monotonic_now() + patience;
  if (patience < kForever) {
    ends.push_back(end_of_patience(host_, until));
  }
  const auto first = co_await first_of(host_, std::move(ends));
  co_return first.second;
}

// True if the own key is still there after a wait; without `recheck` it is not asked for.
Task<Outcome<bool>> EtcdMutex::look_for_own_key(Outcome<> waited) {
  if (!waited.yes()) co_return etcd_failure<bool>(waited);
  if (!options_.recheck) co_return Outcome<bool>::of(true);
  EtcdRange own(my_key_);
  const auto still = co_await etcd_.range(std::move(own));
  if (!still.yes()) co_return etcd_failure<bool>(still);
  header_ = still.value().header.revision;
  co_return Outcome<bool>::of(!still.value().kvs.empty());
}

// Leaves the line; if that cannot be known, the key may yet get the lock.
Task<Acquired> EtcdMutex::step_out(Acquired why) {
  const Outcome<> left = co_await unlock_once(my_key_, my_revision_);
  if (left.unknown()) co_return Acquired::unknown_because(left.why());
  co_return why.unknown() ? Acquired::refusal() : std::move(why);
}

Task<Outcome<>> EtcdMutex::unlock_once(std::string key, EtcdRevision revision) {
  if (options_.unlock == EtcdUnlock::by_name) {
    EtcdDelete by_name(std::move(key));
    const auto reply = co_await etcd_.del(std::move(by_name));
    if (!reply.yes()) co_return etcd_failure(reply);
    co_return Outcome<>::of({});  // Unlock does not ask if there was anything to delete
  }
  EtcdTxn txn;
  txn.compares = {etcd_created_at(key, revision)};
  txn.then = {EtcdDelete(key)};
  const auto reply = co_await etcd_.txn(txn);
  if (!reply.yes()) co_return etcd_failure(reply);
  co_return reply.value().succeeded ? Outcome<>::of({}) : Outcome<>::refusal();
}

Task<Outcome<>> EtcdMutex::force_release() {
  const EtcdRange first = EtcdRange(etcd_prefix(prefix_)).first_created();
  const auto holder = co_await etcd_.range(first);
  if (!holder.yes()) co_return etcd_failure(holder);
  if (holder.value().kvs.empty()) co_return Outcome<>::refusal();
  const auto revoked = co_await etcd_.revoke(holder.value().kvs.front().lease);
  if (!revoked.yes()) co_return etcd_failure(revoked);
  co_return Outcome<>::of({});
}

Task<Outcome<>> EtcdMutex::unlock(Hold hold) {
  const EtcdRevision revision = my_revision_;
  auto released = co_await unlock_once(hold.value, revision);
  if (!released.unknown() || options_.unlock_retry == EtcdUnlockRetry::none) co_return released;
  if (options_.unlock_retry == EtcdUnlockRetry::background) {
    host_.spawn("unlock", unlock_until_answered(host_, this, hold.value, revision));
    co_return released;
  }
  do {
    co_await host_.sleep(options_.retry);
    auto again = co_await unlock_once(hold.value, revision);
    released = std::move(again);
  } while (released.unknown());
  co_return released.why() == Why::refused ? Outcome<>::of({}) : released;  // an earlier release did it
}

Task<void> EtcdMutex::unlock_until_answered(Host host, EtcdMutex* self, std::string key, EtcdRevision revision) {
  for (;;) {
    co_await host.sleep(self->options_.retry);
    const Outcome<> again = co_await self->unlock_once(key, revision);
    if (!again.unknown()) co_return;
  }
}

}  // namespace picklock
