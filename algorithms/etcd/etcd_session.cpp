#include "algorithms/etcd/etcd_session.hpp"

#include <utility>

#include "base/check.hpp"

namespace picklock {

Task<Outcome<>> EtcdSession::open(std::shared_ptr<EtcdSession> session, Host host) {
  const auto granted = co_await session->etcd_.grant(session->ttl_);
  if (!granted.yes()) co_return etcd_failure(granted);  // a lease that no client knows ends by itself
  session->lease_ = granted.value().id;
  session->renewals_ = session->etcd_.keep_alive(session->lease_);
  host.spawn("session", drain(host, session));
  co_return Outcome<>::of({});
}

Task<void> EtcdSession::drain(Host, std::shared_ptr<EtcdSession> session) {
  for (;;) {
    const auto answer = co_await session->renewals_->next();
    if (!answer) break;
  }
  session->done_.set();
}

void EtcdSession::stop_renewing() {
  if (renewals_) renewals_->cancel();
}

Task<Outcome<>> EtcdSession::close() {
  stop_renewing();
  const auto revoked = co_await etcd_.revoke(lease_);
  if (!revoked.yes()) co_return etcd_failure(revoked);
  co_return Outcome<>::of({});
}

std::optional<MonoTime> EtcdSession::deadline() const {
  return renewals_ ? std::optional(renewals_->deadline()) : std::nullopt;
}

namespace {

struct SharedPlace {
  std::shared_ptr<std::shared_ptr<EtcdSession>> place = std::make_shared<std::shared_ptr<EtcdSession>>();
};

}  // namespace

EtcdSessionOwner::EtcdSessionOwner(const LockContext& context, Duration ttl, bool shared)
    : host_(context.host), etcd_(context.get<Etcd>()), ttl_(ttl) {
  if (!shared) {
    place_ = std::make_shared<std::shared_ptr<EtcdSession>>();
    return;
  }
  PICKLOCK_CHECK(context.process != nullptr);
  place_ = context.process->get<SharedPlace>().place;
}

Task<std::shared_ptr<EtcdSession>> EtcdSessionOwner::session() {
  if (*place_ && (*place_)->alive()) co_return *place_;
  const auto fresh = std::make_shared<EtcdSession>(host_, etcd_, ttl_);
  const auto opened = co_await EtcdSession::open(fresh, host_);
  if (!opened.yes()) co_return nullptr;
  // Another thread may have been quicker; then this one's lease ends unused.
  if (!*place_ || !(*place_)->alive()) *place_ = fresh;
  co_return *place_;
}

void EtcdLossWatch::begin(std::shared_ptr<EtcdSession> session) {
  lost_.clear();
  host_.spawn("session", tell(host_, this, std::move(session), ++hold_));
}

Task<void> EtcdLossWatch::tell(Host, EtcdLossWatch* self, std::shared_ptr<EtcdSession> session, std::uint64_t hold) {
  co_await session->done().wait();
  if (self->hold_ == hold) self->lost_.set();
}

}  // namespace picklock
