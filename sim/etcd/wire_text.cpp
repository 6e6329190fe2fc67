// Requests and replies of etcd as text, for messages and golden files.
#include <fmt/format.h>

#include "sim/etcd/wire.hpp"

namespace picklock {
namespace {

std::string shown(const EtcdInterval& keys) {
  if (keys.end.empty()) return keys.key;
  if (keys.end == kEtcdNoEnd) return fmt::format("[{}, )", keys.key == kEtcdNoEnd ? "" : keys.key);
  return fmt::format("[{}, {})", keys.key, keys.end);
}

template <class T, class F>
std::string joined(const std::vector<T>& all, std::string_view between, F show) {
  std::string text;
  for (const T& one : all) {
    if (!text.empty()) text += between;
    text += std::visit(show, one);
  }
  return text;
}

void limit_to(std::string& text, std::string_view name, EtcdRevision least, EtcdRevision most) {
  if (least != 0) text += fmt::format(" {}>={}", name, least);
  if (most != 0) text += fmt::format(" {}<={}", name, most);
}

constexpr std::string_view kSorts[] = {"key", "version", "create", "mod", "value"};
constexpr std::string_view kTargets[] = {"version", "create", "mod", "value", "lease"};
constexpr std::string_view kRelations[] = {"=", ">", "<", "!="};

std::string shown(const EtcdRange& r) {
  std::string text = "range " + shown(r.keys);
  if (r.revision != 0) text += fmt::format(" at={}", r.revision);
  limit_to(text, "create", r.min_create, r.max_create);
  limit_to(text, "mod", r.min_mod, r.max_mod);
  if (r.sort != EtcdSort::key || r.descending) {
    text += fmt::format(" by={}{}", kSorts[static_cast<std::size_t>(r.sort)], r.descending ? " descending" : "");
  }
  if (r.limit != 0) text += fmt::format(" limit={}", r.limit);
  if (r.keys_only) text += " keys";
  if (r.count_only) text += " count";
  if (r.serializable) text += " serializable";
  return text;
}
std::string shown(const EtcdPut& r) {
  return fmt::format("put {}={}{}{}", r.key, r.value, r.lease != 0 ? fmt::format(" lease={}", r.lease) : "",
                     r.previous ? " previous" : "");
}
std::string shown(const EtcdDelete& r) {
  return fmt::format("delete {}{}", shown(r.keys), r.previous ? " previous" : "");
}
std::string shown(const EtcdCompare& c) {
  const bool value = c.target == EtcdTarget::value;
  return fmt::format("{}({}){}{}", kTargets[static_cast<std::size_t>(c.target)], shown(c.keys),
                     kRelations[static_cast<std::size_t>(c.relation)], value ? c.value : std::to_string(c.number));
}
std::string shown(const EtcdTxn& r) {
  std::string conditions;
  for (const EtcdCompare& c : r.compares) conditions += (conditions.empty() ? "" : " & ") + shown(c);
  const auto show = [](const auto& x) { return shown(x); };
  return fmt::format("txn if {} then {} else {}", conditions, joined(r.then, "; ", show),
                     joined(r.otherwise, "; ", show));
}
std::string shown(const EtcdCompaction& r) { return fmt::format("compact {}", r.revision); }
std::string shown(const EtcdLeaseGrant& r) { return fmt::format("grant {} ttl={}", r.id, r.ttl_s); }
std::string shown(const EtcdLeaseRevoke& r) { return fmt::format("revoke {}", r.id); }
std::string shown(const EtcdLeaseQuery& r) { return fmt::format("ttl {}{}", r.id, r.keys ? " keys" : ""); }
std::string shown(const EtcdLeaseRenew& r) { return fmt::format("renew {}", r.id); }
std::string shown(const EtcdLeaseCheckpoint& r) {
  std::string text = "checkpoint";
  for (const auto& one : r.leases) text += fmt::format(" {}:{}", one.id, one.remaining_s);
  return text;
}
std::string shown(const EtcdWatchCreate& r) {
  std::string text = fmt::format("watch {} {} from={}", r.id, shown(r.keys), r.revision);
  if (r.progress) text += " progress";
  if (r.previous) text += " previous";
  if (r.no_puts) text += " no-puts";
  if (r.no_deletes) text += " no-deletes";
  if (r.require_leader) text += " require-leader";
  return text;
}
std::string shown(const EtcdWatchCancel& r) { return fmt::format("unwatch {}", r.id); }
std::string shown(const EtcdLockCall& r) { return fmt::format("lock {} lease={}", r.name, r.lease); }
std::string shown(const EtcdUnlockCall& r) { return fmt::format("unlock {}", r.key); }
std::string shown(const EtcdLeaseStream& r) { return r.require_leader ? "renewals require-leader" : "renewals"; }
std::string shown(const EtcdPing&) { return "ping"; }

std::string shown(const EtcdKeyValue& kv) {
  return fmt::format("{}={}(c{} m{} v{}{})", kv.key, kv.value, kv.create_revision, kv.mod_revision, kv.version,
                     kv.lease != 0 ? fmt::format(" l{}", kv.lease) : "");
}
std::string shown(const std::vector<EtcdKeyValue>& kvs) {
  std::string text;
  for (const EtcdKeyValue& kv : kvs) text += " " + shown(kv);
  return text;
}
std::string shown(const EtcdDone&) { return "done"; }
std::string shown(const EtcdRangeReply& r) {
  return fmt::format("count={}{}{}", r.count, r.more ? " more" : "", shown(r.kvs));
}
std::string shown(const EtcdPutReply& r) { return r.previous ? "put, before " + shown(*r.previous) : "put"; }
std::string shown(const EtcdDeleteReply& r) { return fmt::format("deleted={}{}", r.deleted, shown(r.previous)); }
std::string shown(const EtcdTxnReply& r) {
  const auto show = [](const auto& x) { return shown(x); };
  return fmt::format("{}: {}", r.succeeded ? "then" : "else", joined(r.results, "; ", show));
}
std::string shown(const EtcdLeaseReply& r) {
  std::string text = fmt::format("lease {} ttl={} granted={}", r.id, r.ttl_s, r.granted_ttl_s);
  for (const std::string& key : r.keys) text += " " + key;
  return text;
}
std::string shown(const EtcdEvent& e) {
  std::string text = e.deleted ? fmt::format("delete {}(m{})", e.kv.key, e.kv.mod_revision) : "put " + shown(e.kv);
  if (e.previous) text += " before " + shown(*e.previous);
  return text;
}
std::string shown(const EtcdWatchReply& r) {
  std::string text = fmt::format("watch {}", r.id);
  if (r.created) text += " created";
  if (r.cancelled) text += " cancelled";
  if (r.compacted != 0) text += fmt::format(" compacted={}", r.compacted);
  if (r.error != EtcdError::none) text += fmt::format(" !{}", to_string(r.error));
  for (const EtcdEvent& e : r.events) text += " | " + shown(e);
  return text;
}
std::string shown(const EtcdLockReply& r) { return r.key.empty() ? "unlocked" : "locked " + r.key; }

}  // namespace

std::string to_string(const EtcdRequest& request) {
  return std::visit([](const auto& x) { return shown(x); }, request);
}

std::string to_string(const EtcdReply& reply) {
  if (reply.error != EtcdError::none) return fmt::format("!{}", to_string(reply.error));
  return fmt::format("@{} {}", reply.header().revision, std::visit([](const auto& x) { return shown(x); }, reply.body));
}

}  // namespace picklock
