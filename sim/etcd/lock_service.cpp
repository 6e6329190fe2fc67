#include "sim/etcd/lock_service.hpp"

#include <charconv>
#include <utility>
#include <vector>

namespace picklock {
namespace {

EtcdClientOptions in_process() {
  EtcdClientOptions options;
  options.request_timeout = kForever;  // the member's own timeouts apply
  return options;
}

std::string key_of(const std::string& prefix, EtcdLeaseId lease) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, lease, 16).ptr;
  return prefix + std::string(digits, end);
}

// An error of the member itself is passed on to the caller as it is.
template <class T>
EtcdReply failed(const Outcome<T>& o) {
  for (int i = 1; i < static_cast<int>(EtcdError::count_); ++i) {
    const auto e = static_cast<EtcdError>(i);
    if (o.error() == to_string(e)) return EtcdReply::failed(e);
  }
  return EtcdReply::failed(EtcdError::timeout);
}

Task<EtcdReply> caller_gone(Host, Event* ended) {
  co_await ended->wait();
  co_return EtcdReply::failed(EtcdError::stopped);
}
Task<EtcdReply> too_late(Host host, Duration timeout) {
  co_await host.sleep(timeout);
  co_return EtcdReply::failed(EtcdError::timeout);
}

}  // namespace

EtcdLockService::EtcdLockService(const Service& service, Channel& loopback, const EtcdLockServiceOptions& options)
    : service_(service), etcd_(service.host(), {&loopback}, in_process()), options_(options) {}

std::shared_ptr<EtcdLockService::Connection> EtcdLockService::connection(ConnectionId id) {
  auto& place = callers_[id];
  if (!place) place = std::make_shared<Connection>(service_.host());
  return place;
}

bool EtcdLockService::handle(Message& message, const EtcdRequest& request) {
  const auto* lock = std::get_if<EtcdLockCall>(&request);
  const auto* unlock = std::get_if<EtcdUnlockCall>(&request);
  if (lock == nullptr && unlock == nullptr) return false;
  const auto caller = connection(message.connection);
  auto kept = std::make_shared<Message>(std::move(message));
  if (lock != nullptr) {
    service_.host().spawn("v3lock", serve_lock(service_.host(), this, std::move(kept), *lock, caller));
  } else {
    service_.host().spawn("v3lock", serve_unlock(service_.host(), this, std::move(kept), *unlock));
  }
  return true;
}

void EtcdLockService::closed(ConnectionId id) {
  const auto found = callers_.find(id);
  if (found == callers_.end()) return;
  found->second->ended.set();
  callers_.erase(found);
}

Task<void> EtcdLockService::serve_lock(Host host, EtcdLockService* self, std::shared_ptr<Message> request,
                                       EtcdLockCall call, std::shared_ptr<Connection> caller) {
  self->service_.world().tasks.serve(*request);
  std::string key;
  std::vector<Task<EtcdReply>> ends;
  ends.push_back(lock(host, self, call, &key));
  ends.push_back(caller_gone(host, &caller->ended));
  if (call.timeout_ns > 0) ends.push_back(too_late(host, Duration{call.timeout_ns}));
  auto first = co_await first_of(host, std::move(ends));
  EtcdReply& reply = first.second;
  // Mutex.Lock deletes its key if the wait has failed for whatever reason.
  if (reply.error != EtcdError::none && reply.error != EtcdError::lock_session_expired && !key.empty()) {
    const EtcdDelete mine(key);
    (void)co_await self->etcd_.del(mine);
  }
  if (!caller->ended.is_set()) self->service_.reply(*request, Payload::of(host.arena(), std::move(reply)));
}

Task<void> EtcdLockService::serve_unlock(Host host, EtcdLockService* self, std::shared_ptr<Message> request,
                                         EtcdUnlockCall call) {
  self->service_.world().tasks.serve(*request);
  const EtcdDelete by_name(call.key);
  const auto deleted = co_await self->etcd_.del(by_name);
  EtcdReply reply;
  if (deleted.yes()) {
    reply.body = EtcdLockReply{deleted.value().header, {}};
  } else {
    reply = failed(deleted);
  }
  self->service_.reply(*request, Payload::of(host.arena(), std::move(reply)));
}

Task<Outcome<EtcdHeader>> EtcdLockService::wait_deletes(Host, EtcdLockService* self, std::string prefix,
                                                        EtcdRevision most_created) {
  using Answer = Outcome<EtcdHeader>;
  for (;;) {
    EtcdRange last = EtcdRange(etcd_prefix(prefix)).last_created();
    last.max_create = most_created;
    const auto found = co_await self->etcd_.range(last);
    if (!found.yes()) co_return Answer::refusal(Why::error, found.error());
    const EtcdRangeReply& reply = found.value();
    if (reply.kvs.empty()) co_return Answer::of(reply.header);
    const auto watch = self->etcd_.watch(EtcdWatchCreate(reply.kvs.front().key, reply.header.revision));
    for (bool gone = false; !gone;) {
      const auto heard = co_await watch->next();
      if (!heard || heard->cancelled) co_return Answer::refusal(Why::error, "lost watcher waiting for delete");
      for (const EtcdEvent& e : heard->events) gone = gone || e.deleted;
    }
    watch->cancel();
  }
}

// `key` is set as soon as it may exist.
Task<EtcdReply> EtcdLockService::lock(Host host, EtcdLockService* self, EtcdLockCall call, std::string* key) {
  EtcdLeaseId lease = call.lease;
  if (lease == 0) {
    const auto granted = co_await self->etcd_.grant(kOwnLease);
    if (!granted.yes()) co_return failed(granted);
    lease = granted.value().id;
  }
  const std::string prefix = call.name + "/";
  *key = key_of(prefix, lease);
  const EtcdRange owner = EtcdRange(etcd_prefix(prefix)).first_created();
  EtcdTxn txn;
  txn.compares = {etcd_absent(*key)};
  txn.then = {EtcdPut(*key, "", lease), owner};
  txn.otherwise = {EtcdRange(*key), owner};
  const auto put = co_await self->etcd_.txn(std::move(txn));
  if (!put.yes()) co_return failed(put);
  const EtcdTxnReply& done = put.value();
  EtcdLockReply held{done.header, *key};
  EtcdRevision mine = done.header.revision;
  if (!done.succeeded) mine = std::get<EtcdRangeReply>(done.results[0]).kvs.at(0).create_revision;
  const auto& first = std::get<EtcdRangeReply>(done.results[1]).kvs;
  if (first.empty() || first[0].create_revision == mine) co_return EtcdReply{EtcdError::none, held};
  const auto waited = co_await wait_deletes(host, self, prefix, mine - 1);
  if (!waited.yes()) co_return failed(waited);
  held.header = waited.value();
  if (self->options_.rechecks) {
    const EtcdRange own(*key);
    const auto still = co_await self->etcd_.range(own);
    if (!still.yes()) co_return failed(still);
    if (still.value().kvs.empty()) co_return EtcdReply::failed(EtcdError::lock_session_expired);
    held.header = still.value().header;
  }
  co_return EtcdReply{EtcdError::none, held};
}

}  // namespace picklock
