#include "algorithms/etcd/etcd_lock_rpc.hpp"

#include <algorithm>
#include <utility>

namespace picklock {

void EtcdLockRpcOptions::fields(FieldVisitor& v) {
  v.field({.name = "ttl", .help = "time to live of the client's own lease, in whole seconds", .least = seconds(1).ns},
          ttl);
  v.field({.name = "retry", .help = "time between two attempts after an error", .least = 1}, retry);
  v.field({.name = "lease", .help = "whose lease it is: kept alive by the client, or 60 s of the server's"}, lease);
  v.field({.name = "token", .help = "what is given as the fencing token"}, token);
}

EtcdLockRpc::EtcdLockRpc(const LockContext& context, const EtcdLockRpcOptions& options)
    : Lock(context.host),
      etcd_(*context.etcd),
      name_(context.name),
      options_(options),
      sessions_(context, options.ttl, false),
      loss_(context.host) {}

Task<Acquired> EtcdLockRpc::acquire(Patience patience) {
  while (!patience.over()) {
    std::shared_ptr<EtcdSession> session;
    if (options_.lease == EtcdRpcLease::own) {
      auto own = co_await sessions_.session();
      session = std::move(own);
    }
    if (session || options_.lease == EtcdRpcLease::server) {
      auto locked = co_await lock(session, patience.remaining());
      if (locked.yes()) {
        if (session) loss_.begin(session);
        co_return locked;
      }
      if (locked.unknown()) patience.note_unknown();
    }
    co_await patience.pause(options_.retry);
  }
  co_return patience.exhausted();
}

Task<Acquired> EtcdLockRpc::lock(std::shared_ptr<EtcdSession> session, Duration patience) {
  const MonoTime asked = host_.monotonic_now();
  // A patience of nothing is one attempt all the same.
  const Duration timeout = patience < kForever ? std::max(patience, milliseconds(100)) : Duration{};
  const auto reply = co_await etcd_.lock(name_, session ? session->lease() : 0, timeout);
  if (reply.unknown()) co_return Acquired::unknown_because(reply.why());
  if (!reply.yes()) {
    if (reply.why() == Why::error) sessions_.drop();  // its lease is gone
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
  if (reply.yes()) co_return Outcome<>::of({});
  co_return reply.unknown() ? Outcome<>::unknown_because(reply.why())
                            : Outcome<>::refusal(reply.why(), reply.error());
}

Task<Outcome<>> EtcdLockRpc::release(Hold hold) {
  loss_.end();
  return erase(std::move(hold.value));
}

std::optional<MonoTime> EtcdLockRpc::deadline(const Hold& hold) const {
  const auto& session = sessions_.current();
  return session && hold.value == my_key_ ? session->deadline() : hold.deadline;
}

}  // namespace picklock
