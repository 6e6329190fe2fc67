#include "scenarios/workloads/etcd_set.hpp"

#include "algorithms/etcd/etcd_mutex.hpp"
#include "sim/task/etcd.hpp"

namespace picklock {

void EtcdSet::Options::fields(FieldVisitor& v) {
  v.field({.name = "guard", .help = "condition on the lock's key in the writing transaction"}, guard);
}

Task<Outcome<Stored>> EtcdSet::read(Host, Etcd* etcd, std::string key) {
  const EtcdRange whole(key);
  const auto reply = co_await etcd->range(whole);
  if (reply.unknown()) co_return Outcome<Stored>::unknown_because(reply.why());
  if (!reply.yes()) co_return Outcome<Stored>::refusal(reply.why(), reply.error());
  Stored stored;  // version 0: it has never been written
  if (!reply.value().kvs.empty()) {
    stored.version = static_cast<std::uint64_t>(reply.value().kvs[0].mod_revision);
    stored.items = items_of(reply.value().kvs[0].value);
  }
  co_return Outcome<Stored>::of(std::move(stored));
}

Task<Outcome<Stored>> EtcdSet::put(Host, Section* s, Stored next, EtcdGuard guard) {
  EtcdTxn txn;
  if (guard == EtcdGuard::key_exists) {
    txn.compares = {EtcdCompare(s->hold.value, EtcdTarget::version, EtcdRelation::greater, 0)};
  } else if (guard == EtcdGuard::owner) {
    txn.compares = {etcd_owner_guard(s->hold)};
  }
  txn.then = {EtcdPut(key_of(s->first_resource + kSet), text_of(next.items))};
  const auto reply = co_await s->stores.reach.get<Etcd>().txn(txn);
  if (reply.unknown()) co_return Outcome<Stored>::unknown_because(reply.why());
  if (!reply.yes()) co_return Outcome<Stored>::refusal(reply.why(), reply.error());
  next.version = static_cast<std::uint64_t>(reply.value().header.revision);
  if (!reply.value().succeeded) {
    record_refused_write(*s, next.version);
    co_return Outcome<Stored>::refusal();
  }
  co_return Outcome<Stored>::of(std::move(next));
}

}  // namespace picklock
