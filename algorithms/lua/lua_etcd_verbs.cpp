// etcd:…: keys, transactions, leases that are kept alive, and watches.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "algorithms/lua/lua_lock.hpp"
#include "sim/task/etcd.hpp"

namespace picklock {
namespace lua_etcd {
namespace {

constexpr const char* kNoEtcd = "this lock's service is another one; the head says service = \"etcd\" to reach etcd";
constexpr const char* kLease = "expected a lease, as etcd:grant gives it";

Etcd* client_of(const LuaQuestion& q) { return q.lock.context().reach.find<Etcd>(); }

// --- values.  Leases are texts, since their numbers are too large for a number of Lua.

std::string lease_text(EtcdLeaseId lease) { return fmt::format("{:x}", static_cast<std::uint64_t>(lease)); }

std::optional<EtcdLeaseId> lease_of(const LuaValue& value) {
  if (value.is_nil()) return 0;
  std::uint64_t bits = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto parsed = std::from_chars(value.text.data(), end, bits, 16);
  if (!value.is_text() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return static_cast<EtcdLeaseId>(bits);
}

LuaValue number(std::int64_t n) { return LuaValue::integer(n); }

LuaValue pair_of(const EtcdKeyValue& kv) {
  LuaValue table = LuaValue::table();
  table.set("key", kv.key);
  table.set("value", kv.value);
  table.set("create", number(kv.create_revision));
  table.set("mod", number(kv.mod_revision));
  table.set("version", number(kv.version));
  if (kv.lease != 0) table.set("lease", lease_text(kv.lease));
  return table;
}

LuaValue range_value(const EtcdRangeReply& reply) {
  LuaValue table = LuaValue::table();
  LuaValues kvs;
  for (const EtcdKeyValue& kv : reply.kvs) kvs.push_back(pair_of(kv));
  table.set("kvs", LuaValue::list(std::move(kvs)));
  table.set("count", number(reply.count));
  table.set("revision", number(reply.header.revision));
  return table;
}
LuaValue put_value(const EtcdPutReply& reply) {
  LuaValue table = LuaValue::table();
  table.set("revision", number(reply.header.revision));
  return table;
}
LuaValue delete_value(const EtcdDeleteReply& reply) {
  LuaValue table = LuaValue::table();
  table.set("deleted", number(reply.deleted));
  table.set("revision", number(reply.header.revision));
  return table;
}
LuaValue lease_value(const EtcdLeaseReply& reply) {
  LuaValue table = LuaValue::table();
  table.set("lease", lease_text(reply.id));
  table.set("ttl", number(reply.ttl_s * 1000));
  return table;
}
LuaValue txn_value(const EtcdTxnReply& reply) {
  LuaValue table = LuaValue::table();
  LuaValues results;
  for (const EtcdOpReply& one : reply.results) {
    if (const auto* const range = std::get_if<EtcdRangeReply>(&one)) results.push_back(range_value(*range));
    if (const auto* const put = std::get_if<EtcdPutReply>(&one)) results.push_back(put_value(*put));
    if (const auto* const gone = std::get_if<EtcdDeleteReply>(&one)) results.push_back(delete_value(*gone));
  }
  table.set("succeeded", reply.succeeded);
  table.set("revision", number(reply.header.revision));
  table.set("results", LuaValue::list(std::move(results)));
  return table;
}

// --- requests

// Builds a range from options such as { prefix = true, sort = "create", descending = true, limit = 1, max_create = 7 }.
EtcdRange range_of(const LuaValue& key, const LuaValue& how) {
  EtcdRange range = how.at("prefix").is_true() ? EtcdRange(etcd_prefix(key.text)) : EtcdRange(key.text);
  constexpr std::array<std::string_view, 5> kSorts = {"key", "version", "create", "mod", "value"};
  for (std::size_t i = 0; i < kSorts.size(); ++i) {
    if (how.at("sort").text == kSorts[i]) range.sort = static_cast<EtcdSort>(i);
  }
  range.descending = how.at("descending").is_true();
  range.serializable = how.at("serializable").is_true();
  range.limit = how.at("limit").as_integer();
  range.max_create = how.at("max_create").as_integer();
  range.min_create = how.at("min_create").as_integer();
  return range;
}

// { "create", key, "=", 0 }: what must be so.  Nothing: it is no such comparison.
std::optional<EtcdCompare> compare_of(const LuaValue& list) {
  constexpr std::array<std::string_view, 5> kTargets = {"version", "create", "mod", "value", "lease"};
  constexpr std::array<std::string_view, 4> kRelations = {"=", ">", "<", "!="};
  const LuaValue &target = list.at(1), &key = list.at(2), &relation = list.at(3), &than = list.at(4);
  const auto t = std::find(kTargets.begin(), kTargets.end(), target.text);
  const auto r = std::find(kRelations.begin(), kRelations.end(), relation.text);
  if (t == kTargets.end() || r == kRelations.end() || !key.is_text()) return std::nullopt;
  const auto how = static_cast<EtcdRelation>(r - kRelations.begin());
  const auto what = static_cast<EtcdTarget>(t - kTargets.begin());
  if (what == EtcdTarget::value) return EtcdCompare(key.text, how, than.text);
  const auto lease = what == EtcdTarget::lease ? lease_of(than) : std::nullopt;
  if (!than.is_number() && !lease) return std::nullopt;
  return EtcdCompare(key.text, what, how, lease.value_or(than.as_integer()));
}

// { "put", key, value, lease }, { "get", key, how }, { "delete", key, how }
std::optional<EtcdOp> op_of(const LuaValue& list) {
  const LuaValue &verb = list.at(1), &key = list.at(2);
  if (!key.is_text()) return std::nullopt;
  if (verb.text == "get") return range_of(key, list.at(3));
  if (verb.text == "delete") {
    return list.at(3).at("prefix").is_true() ? EtcdDelete(etcd_prefix(key.text)) : EtcdDelete(key.text);
  }
  const auto lease = lease_of(list.at(4));
  if (verb.text != "put" || !list.at(3).is_text() || !lease) return std::nullopt;
  return EtcdPut(key.text, list.at(3).text, *lease);
}

bool read_ops(const LuaValue& list, std::vector<EtcdOp>& ops) {
  for (const LuaEntry& e : list.entries) {
    auto op = op_of(e.value);
    if (!op) return false;
    ops.push_back(std::move(*op));
  }
  return true;
}

// --- verbs

Task<LuaAnswer> get(LuaQuestion q) {
  Etcd* const etcd = client_of(q);
  if (etcd == nullptr) co_return lua_mistake(kNoEtcd);
  if (!at(q.arguments, 0).is_text())
    co_return lua_mistake("expected a key, and perhaps a table such as { prefix = true }");
  const EtcdRange request = range_of(at(q.arguments, 0), at(q.arguments, 1));
  const auto reply = co_await etcd->range(request);
  co_return lua_answer(lua_outcome(reply, range_value));
}

Task<LuaAnswer> put(LuaQuestion q) {
  Etcd* const etcd = client_of(q);
  if (etcd == nullptr) co_return lua_mistake(kNoEtcd);
  const LuaValue &key = at(q.arguments, 0), &value = at(q.arguments, 1);
  const auto lease = lease_of(at(q.arguments, 2));
  if (!key.is_text() || !value.is_text() || !lease)
    co_return lua_mistake("expected a key, a value and perhaps a lease");
  const EtcdPut request(key.text, value.text, *lease);
  const auto reply = co_await etcd->put(request);
  co_return lua_answer(lua_outcome(reply, put_value));
}

Task<LuaAnswer> remove(LuaQuestion q) {
  Etcd* const etcd = client_of(q);
  if (etcd == nullptr) co_return lua_mistake(kNoEtcd);
  const LuaValue& key = at(q.arguments, 0);
  if (!key.is_text()) co_return lua_mistake("expected a key, and perhaps { prefix = true }");
  EtcdDelete request(key.text);
  if (at(q.arguments, 1).at("prefix").is_true()) request = EtcdDelete(etcd_prefix(key.text));
  const auto reply = co_await etcd->del(request);
  co_return lua_answer(lua_outcome(reply, delete_value));
}

// etcd:txn({ compare, … }, { operation, … }, { operation, … })
Task<LuaAnswer> txn(LuaQuestion q) {
  Etcd* const etcd = client_of(q);
  if (etcd == nullptr) co_return lua_mistake(kNoEtcd);
  EtcdTxn request;
  for (const LuaEntry& e : at(q.arguments, 0).entries) {
    auto compare = compare_of(e.value);
    if (!compare) co_return lua_mistake("expected comparisons such as { \"create\", key, \"=\", 0 }");
    request.compares.push_back(std::move(*compare));
  }
  if (!read_ops(at(q.arguments, 1), request.then) || !read_ops(at(q.arguments, 2), request.otherwise)) {
    co_return lua_mistake(
        "expected operations such as { \"put\", key, value, lease }, { \"get\", key, { prefix = true } }, { "
        "\"delete\", key }");
  }
  const auto reply = co_await etcd->txn(request);
  co_return lua_answer(lua_outcome(reply, txn_value));
}

Task<LuaAnswer> grant(LuaQuestion q) {
  Etcd* const etcd = client_of(q);
  if (etcd == nullptr) co_return lua_mistake(kNoEtcd);
  const auto ttl = lua_duration(q.host(), at(q.arguments, 0));
  if (!ttl || ttl->ns <= 0) co_return lua_mistake("expected the time to live of a lease, in milliseconds");
  const auto reply = co_await etcd->grant(*ttl);
  co_return lua_answer(lua_outcome(reply, lease_value));
}

Task<LuaAnswer> revoke(LuaQuestion q) {
  Etcd* const etcd = client_of(q);
  if (etcd == nullptr) co_return lua_mistake(kNoEtcd);
  const auto lease = lease_of(at(q.arguments, 0));
  if (!lease || *lease == 0) co_return lua_mistake(kLease);
  const auto reply = co_await etcd->revoke(*lease);
  co_return lua_answer(lua_outcome(reply, lease_value));
}

// --- renewals: the client sends them by itself, until the lease is lost

LuaAnswer keep_alive(LuaQuestion& q) {
  Etcd* const etcd = client_of(q);
  if (etcd == nullptr) return lua_mistake(kNoEtcd);
  const auto lease = lease_of(at(q.arguments, 0));
  if (!lease || *lease == 0) return lua_mistake(kLease);
  q.lock.process().renewals[*lease] = etcd->keep_alive(*lease);
  return {};
}

std::shared_ptr<EtcdKeepAlive> renewals_of(const LuaQuestion& q) {
  const auto lease = lease_of(at(q.arguments, 0));
  const auto& all = q.lock.process().renewals;
  const auto found = all.find(lease.value_or(0));
  return found == all.end() ? nullptr : found->second;
}
constexpr const char* kNotKept = "expected a lease for which etcd:keep_alive was asked";

LuaAnswer stop_renewing(LuaQuestion& q) {
  const auto renewals = renewals_of(q);
  if (renewals == nullptr) return lua_mistake(kNotKept);
  renewals->cancel();
  return {};
}

// Instant at which the client gives the lease up, unless another renewal is answered; nil: it has.
LuaAnswer deadline(LuaQuestion& q) {
  const auto renewals = renewals_of(q);
  if (renewals == nullptr) return lua_mistake(kNotKept);
  return lua_answer(renewals->is_closed() ? LuaValue() : LuaValue(LuaValue::time(renewals->deadline().ns)));
}

// The next answered renewal: the client gives the lease up at this instant, unless another one is answered.  Nil: it has, or
// renews no more.
Task<LuaAnswer> renewal(LuaQuestion q) {
  const auto renewals = renewals_of(q);
  if (renewals == nullptr) co_return lua_mistake(kNotKept);
  const auto answer = co_await renewals->next();
  if (!answer) co_return lua_answer({});
  co_return lua_answer(LuaValue::time(renewals->deadline().ns));
}

// --- watches, which end with the call that asked for them

LuaAnswer watch(LuaQuestion& q) {
  Etcd* const etcd = client_of(q);
  if (etcd == nullptr) return lua_mistake(kNoEtcd);
  const LuaValue &key = at(q.arguments, 0), &from = at(q.arguments, 1);
  if (!key.is_text()) return lua_mistake("expected a key, and perhaps a revision and { prefix = true }");
  const auto revision = from.as_integer();
  EtcdWatchCreate what(key.text, revision);
  if (at(q.arguments, 2).at("prefix").is_true()) what = EtcdWatchCreate(etcd_prefix(key.text), revision);
  q.streams->watches.push_back(etcd->watch(what));
  return lua_answer(number(static_cast<std::int64_t>(q.streams->watches.size())));
}

std::shared_ptr<EtcdWatch> watch_of(const LuaQuestion& q) {
  const LuaValue& id = at(q.arguments, 0);
  const auto place = static_cast<std::size_t>(id.as_integer());
  if (!id.is_number() || place < 1 || place > q.streams->watches.size()) return nullptr;
  return q.streams->watches[place - 1];
}
constexpr const char* kNoWatch = "expected a watch that this call has opened by etcd:watch";

LuaValue watch_value(const EtcdWatchReply& reply) {
  LuaValues events;
  for (const EtcdEvent& e : reply.events) {
    LuaValue event = pair_of(e.kv);
    event.set("deleted", e.deleted);
    events.push_back(std::move(event));
  }
  LuaValue table = LuaValue::table();
  table.set("revision", number(reply.header.revision));
  table.set("events", LuaValue::list(std::move(events)));
  return table;
}

Task<std::optional<LuaValue>> next_of(Host, std::shared_ptr<EtcdWatch> stream) {
  const auto reply = co_await stream->next();
  if (!reply) co_return lua_missing(false, Why::error, "lost watcher");
  if (reply->cancelled) {
    const EtcdError why = reply->compacted != 0 ? EtcdError::compacted : reply->error;
    co_return lua_missing(false, Why::error, to_string(why));
  }
  co_return lua_yes(watch_value(*reply));
}

Task<std::optional<LuaValue>> lease_lost(Host, std::shared_ptr<EtcdKeepAlive> renewals) {
  co_await renewals->closed().wait();
  co_return lua_missing(false, Why::error, "the lease is lost");
}

Task<std::optional<LuaValue>> time_over(Host host, Duration limit) {
  co_await host.sleep(limit);
  co_return std::nullopt;
}

// etcd:next(watch, most, lease): the next events; no if the watch has ended, or the renewals of the lease; nil once the
// time is over.
Task<LuaAnswer> next(LuaQuestion q) {
  const auto stream = watch_of(q);
  if (stream == nullptr) co_return lua_mistake(kNoWatch);
  const Host host = q.host();
  std::vector<Task<std::optional<LuaValue>>> ends;
  ends.push_back(next_of(host, stream));
  const auto lease = lease_of(at(q.arguments, 2));
  const auto renewals = q.lock.process().renewals.find(lease.value_or(0));
  if (renewals != q.lock.process().renewals.end()) ends.push_back(lease_lost(host, renewals->second));
  const auto limit = lua_duration(host, at(q.arguments, 1));
  if (limit) ends.push_back(time_over(host, *limit));
  const auto first = co_await first_of(host, std::move(ends));
  co_return lua_answer(first.second.value_or(LuaValue()));
}

LuaAnswer cancel(LuaQuestion& q) {
  const auto stream = watch_of(q);
  if (stream == nullptr) return lua_mistake(kNoWatch);
  stream->cancel();
  return {};
}

constexpr LuaVerb kVerbs[] = {
    {.ask = {"etcd", "get"}, .later = get},
    {.ask = {"etcd", "put"}, .later = put},
    {.ask = {"etcd", "delete"}, .later = remove},
    {.ask = {"etcd", "txn"}, .later = txn},
    {.ask = {"etcd", "grant"}, .later = grant},
    {.ask = {"etcd", "revoke"}, .later = revoke},
    {.ask = {"etcd", "keep_alive"}, .now = keep_alive},
    {.ask = {"etcd", "stop_renewing"}, .now = stop_renewing},
    {.ask = {"etcd", "deadline"}, .now = deadline},
    {.ask = {"etcd", "renewal"}, .later = renewal},
    {.ask = {"etcd", "watch"}, .now = watch},
    {.ask = {"etcd", "next"}, .later = next},
    {.ask = {"etcd", "cancel"}, .now = cancel},
};

}  // namespace
}  // namespace lua_etcd

std::span<const LuaVerb> lua_etcd_verbs() { return lua_etcd::kVerbs; }

}  // namespace picklock
