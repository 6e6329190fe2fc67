#include "algorithms/etcd/etcd_lock_rpc.hpp"

#include <algorithm>
#include <utility>

namespace picklock {

void EtcdLockRpcOptions::fields(FieldVisitor& v) {
  v.field({.name = "ttl", .help = "time to live of the client's own lease, in whole seconds", .least = seconds(1).ns},
          ttl);
  v.field({.name = "retry", .help = "time between two attempts after an error", .least = 1}, retry);
  v.field({.name = "lease-owner", .help = "owner of the lease: the client keeps it alive, or the server grants 60 s"},
          lease_owner);
  v.field({.name = "gives-up", .help = "how long a caller waits for an answer, without telling the server", .least = 1},
          gives_up);
  v.field({.name = "session-per-lock", .help = "a session for each Lock, which ends with it"}, session_per_lock);
  v.field({.name = "token", .help = "revision that serves as fencing token"}, token);
}

EtcdLockRpc::EtcdLockRpc(const LockContext& context, const EtcdLockRpcOptions& options)
    : EtcdSessionLock(context, {.ttl = options.ttl,
                                .pause = options.retry,
                                .per_lock = options.session_per_lock,
                                .own = options.lease_owner == EtcdRpcLease::client}),
      name_(context.name),
      options_(options) {}

Task<Outcome<EtcdLockReply>> EtcdLockRpc::ask(EtcdLeaseId lease, Duration patience) {
  if (options_.gives_up) {
    auto answer = co_await with_timeout(host_, etcd_.lock(name_, lease), *options_.gives_up);
    if (!answer) co_return Outcome<EtcdLockReply>::unknown_because(Why::timed_out);
    co_return std::move(*answer);
  }
  // A patience of zero still allows one attempt.
  const Duration timeout = patience < kForever ? std::max(patience, milliseconds(100)) : Duration{};
  auto answer = co_await etcd_.lock(name_, lease, timeout);
  co_return answer;
}

Task<Acquired> EtcdLockRpc::lock(std::shared_ptr<EtcdSession> session, Duration patience) {
  const MonoTime asked = host_.monotonic_now();
  const EtcdLeaseId lease = session ? session->lease() : 0;
  const auto reply = co_await ask(lease, patience);
  if (reply.unknown()) co_return Acquired::unknown_because(reply.why());
  if (!reply.yes()) {
    if (reply.why() == Why::error) drop_session();  // its lease is gone
    co_return Acquired::refusal(reply.why(), reply.error());
  }
  my_key_ = reply.value().key;
  Hold hold(my_key_);
  hold.token = reply.value().header.revision;
  hold.deadline = session ? session->deadline() : asked + kServersLease;
  if (options_.token == EtcdToken::create_revision) {
    const EtcdRange own(my_key_);
    const auto key = co_await etcd_.range(own);
    if (key.yes() && key.value().kvs.empty()) co_return Acquired::refusal();  // gone already
    if (!key.yes()) {
      const auto left = co_await erase(my_key_);
      co_return left.unknown() ? Acquired::unknown_because(left.why()) : Acquired::refusal();
    }
    hold.token = key.value().kvs.front().create_revision;
  }
  co_return Acquired::of(std::move(hold));
}

Task<Outcome<>> EtcdLockRpc::erase(std::string key) {
  const auto reply = co_await etcd_.unlock(std::move(key));
  if (!reply.yes()) co_return etcd_failure(reply);
  co_return Outcome<>::of({});
}

Task<Outcome<>> EtcdLockRpc::unlock(Hold hold) { return erase(std::move(hold.value)); }

}  // namespace picklock
