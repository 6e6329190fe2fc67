#include "scenarios/workloads/etcd_set.hpp"

#include <charconv>

#include "algorithms/etcd/etcd_mutex.hpp"
#include "sim/storage/server.hpp"

namespace picklock {
namespace {

constexpr ResourceId kSet = 0;

std::string text_of(const std::vector<std::int64_t>& items) {
  std::string text;
  for (const std::int64_t item : items) text += std::to_string(item) + " ";
  return text;
}

std::vector<std::int64_t> items_of(const std::string& text) {
  std::vector<std::int64_t> items;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    std::int64_t item = 0;
    const auto [next, error] = std::from_chars(at, end, item);
    if (error != std::errc{}) break;
    items.push_back(item);
    at = next + 1;  // the blank
  }
  return items;
}

// What etcd does not record as a change: reads, and writes that were refused.
void record_effect(const Section& s, std::uint64_t flags, std::uint64_t version) {
  if (s.hold.token) flags |= trace::kStorageHasToken;
  s.world.record(trace::storage_request, s.host.node(), s.first_resource + kSet,
                 static_cast<std::uint64_t>(s.hold.token.value_or(0)), flags);
  s.world.record(trace::storage_effect, s.host.node(), s.hold_id, version);
}

}  // namespace

void EtcdSet::Options::fields(FieldVisitor& v) {
  v.field({.name = "guard", .help = "what the writing transaction compares"}, guard);
}

std::string EtcdSet::key_of(ResourceId resource) { return "set-" + std::to_string(resource); }

Task<Outcome<Stored>> EtcdSet::read(Host, Etcd* etcd, ResourceId resource) {
  const EtcdRange whole(key_of(resource));
  const auto reply = co_await etcd->range(whole);
  if (reply.unknown()) co_return Outcome<Stored>::unknown_because(reply.why());
  if (!reply.yes()) co_return Outcome<Stored>::refusal(reply.why(), reply.error());
  Stored stored;
  if (!reply.value().kvs.empty()) {
    stored.version = static_cast<std::uint64_t>(reply.value().kvs[0].mod_revision);
    stored.items = items_of(reply.value().kvs[0].value);
  }
  co_return Outcome<Stored>::of(std::move(stored));
}

Task<Outcome<Stored>> EtcdSet::write(Host, Section* s, std::vector<std::int64_t> items, EtcdGuard guard) {
  EtcdTxn txn;
  if (guard == EtcdGuard::key_exists) {
    txn.compares = {EtcdCompare(s->hold.value, EtcdTarget::version, EtcdRelation::greater, 0)};
  } else if (guard == EtcdGuard::owner) {
    txn.compares = {etcd_owner_guard(s->hold)};
  }
  txn.then = {EtcdPut(key_of(s->first_resource + kSet), text_of(items))};
  const auto reply = co_await s->etcd->txn(txn);
  if (reply.unknown()) co_return Outcome<Stored>::unknown_because(reply.why());
  if (!reply.yes()) co_return Outcome<Stored>::refusal(reply.why(), reply.error());
  const auto revision = static_cast<std::uint64_t>(reply.value().header.revision);
  if (!reply.value().succeeded) {
    record_effect(*s, trace::kStorageWrite | trace::kStorageRefused | trace::kStorageDependsOnRead, revision);
    co_return Outcome<Stored>::refusal();
  }
  co_return Outcome<Stored>::of({revision, std::move(items)});
}

Task<void> EtcdSet::body(Host host, Section* s, EtcdGuard guard) {
  record_operation(*s, Function::read, OperationEnd::invoked, kSet, kNoValue);
  auto before = co_await read(host, s->etcd, s->first_resource + kSet);
  if (before.yes()) record_effect(*s, 0, before.value().version);
  record_end(*s, Function::read, kSet, before, before.yes() ? before.value().number() : kNoValue);
  co_await host.work(host.draw_duration(Purpose::hold, s->work));
  if (!before.yes()) co_return;
  std::vector<std::int64_t> items = std::move(before.value().items);
  items.push_back(unique_item(*s, 0));
  const std::int64_t item = items.back();
  record_operation(*s, Function::write, OperationEnd::invoked, kSet, item);
  s->world.record(trace::write_requested, host.node(), s->hold_id, before.value().version, s->first_resource + kSet);
  const auto written = co_await write(host, s, std::move(items), guard);
  record_end(*s, Function::write, kSet, written, item);
}

}  // namespace picklock
