#include "algorithms/etcd/etcd_session_lock.hpp"

#include <utility>

namespace picklock {

EtcdSessionLock::EtcdSessionLock(const LockContext& context, const EtcdSessionUse& use)
    : Lock(context.host),
      etcd_(context.get<Etcd>()),
      use_(use),
      sessions_(context, use.ttl, use.shared),
      loss_(context.host) {}

Task<Acquired> EtcdSessionLock::acquire(Patience patience) {
  while (!patience.over()) {
    std::shared_ptr<EtcdSession> session;
    if (use_.per_lock) sessions_.drop();
    if (use_.own) {
      auto own = co_await sessions_.session();
      session = std::move(own);
    }
    if (session || !use_.own) {
      auto locked = co_await lock(session, patience.remaining());
      if (locked.yes()) {
        if (session) loss_.begin(session);
        co_return locked;
      }
      if (locked.unknown()) patience.note_unknown();
      if (use_.per_lock && session) {
        const auto closed = co_await session->close();  // a node still in the queue goes with its lease
        (void)closed;
      }
    }
    co_await patience.pause(use_.pause);
  }
  co_return patience.exhausted();
}

Task<Outcome<>> EtcdSessionLock::release(Hold hold) {
  loss_.end();
  const auto session = sessions_.current();
  const bool ends_session = use_.per_lock && session;
  if (ends_session) session->stop_renewing();
  const auto released = co_await unlock(std::move(hold));
  if (ends_session && !released.unknown()) {
    const auto closed = co_await session->close();
    (void)closed;
  }
  co_return released;
}

std::optional<MonoTime> EtcdSessionLock::deadline(const Hold& hold) const {
  const auto& session = sessions_.current();
  return session && hold.value == my_key_ ? session->deadline() : hold.deadline;
}

}  // namespace picklock
