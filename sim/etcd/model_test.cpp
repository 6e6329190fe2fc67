// The store, its leases and watches against a slow model that keeps a copy of everything for each revision.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/etcd/state.hpp"
#include "sim/etcd/watches.hpp"

namespace picklock {
namespace {

using Snapshot = std::map<std::string, EtcdKeyValue>;

const std::vector<std::string> kKeys = {"a", "a/1", "a/2", "b", "c"};
std::string any_key() { return *rc::gen::elementOf(kKeys); }
EtcdLeaseId any_lease() { return *rc::gen::inRange<EtcdLeaseId>(0, 4); }
EtcdInterval any_interval() {
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      return etcd_prefix(any_key());
    case 1:
      return {any_key(), kEtcdNoEnd};
    default:
      return {any_key(), {}};
  }
}
EtcdRange any_range(EtcdRevision newest) {
  EtcdRange r(any_interval());
  if (*rc::gen::inRange(0, 3) == 0) r.revision = *rc::gen::inRange<EtcdRevision>(1, newest + 2);
  if (*rc::gen::inRange(0, 3) == 0) r.max_create = *rc::gen::inRange<EtcdRevision>(1, newest + 1);
  if (*rc::gen::inRange(0, 3) == 0) r.min_mod = *rc::gen::inRange<EtcdRevision>(1, newest + 1);
  r.limit = *rc::gen::inRange(0, 3);
  r.sort = *rc::gen::element(EtcdSort::key, EtcdSort::create, EtcdSort::mod);
  r.descending = *rc::gen::arbitrary<bool>();
  return r;
}
EtcdOp any_op(EtcdRevision newest) {
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return any_range(newest);
    case 1: {
      EtcdDelete erased(any_interval());
      // A put beside it would be allowed, and make two changes of one key at one revision.
      if (erased.keys.end == kEtcdNoEnd) erased.keys.end.clear();
      return erased;
    }
    default:
      return EtcdPut(any_key(), std::to_string(*rc::gen::inRange(0, 3)), any_lease());
  }
}
std::vector<EtcdOp> any_ops(EtcdRevision newest) {
  std::vector<EtcdOp> ops;
  for (int n = *rc::gen::inRange(0, 4); n > 0; --n) ops.push_back(any_op(newest));
  return ops;
}
EtcdRequest any_request(EtcdRevision newest) {
  switch (*rc::gen::inRange(0, 9)) {
    case 0:
      return EtcdLeaseGrant{*rc::gen::inRange<EtcdLeaseId>(1, 4), 5};
    case 1:
      return EtcdLeaseRevoke{*rc::gen::inRange<EtcdLeaseId>(1, 4)};
    case 2:
      return EtcdDelete(any_interval());
    case 3:
      return any_range(newest);
    case 4:
      if (*rc::gen::inRange(0, 5) == 0) return EtcdCompaction{*rc::gen::inRange<EtcdRevision>(0, newest + 2)};
      [[fallthrough]];
    case 5:
    case 6: {
      EtcdTxn t;
      for (int n = *rc::gen::inRange(0, 3); n > 0; --n) {
        t.compares.emplace_back(any_key(),
                                *rc::gen::element(EtcdTarget::create, EtcdTarget::version, EtcdTarget::lease),
                                *rc::gen::element(EtcdRelation::equal, EtcdRelation::greater, EtcdRelation::not_equal),
                                *rc::gen::inRange<std::int64_t>(0, 3));
      }
      t.then = any_ops(newest), t.otherwise = any_ops(newest);
      return t;
    }
    default:
      return EtcdPut(any_key(), std::to_string(*rc::gen::inRange(0, 3)), any_lease());
  }
}

// Everything at every revision, and nothing clever.
struct Model {
  std::vector<Snapshot> worlds{Snapshot(), Snapshot()};  // index: the revision; the first is 1
  std::set<EtcdLeaseId> leases;
  EtcdRevision compacted = -1;  // revision 0 can be compacted, once

  EtcdRevision newest() const { return static_cast<EtcdRevision>(worlds.size()) - 1; }

  EtcdRangeReply range(const EtcdRange& r, const Snapshot& now) const {
    const Snapshot& world = r.revision > 0 ? worlds.at(static_cast<std::size_t>(r.revision)) : now;
    EtcdRangeReply reply;
    for (const auto& [key, kv] : world) {
      if (!r.keys.contains(key)) continue;
      ++reply.count;
      if (r.max_create != 0 && kv.create_revision > r.max_create) continue;
      if (kv.mod_revision < r.min_mod) continue;
      reply.kvs.push_back(kv);
    }
    const auto rank = [&](const EtcdKeyValue& kv) {
      return r.sort == EtcdSort::create ? kv.create_revision : r.sort == EtcdSort::mod ? kv.mod_revision : 0;
    };
    const auto less = [&](const EtcdKeyValue& a, const EtcdKeyValue& b) {
      return r.sort == EtcdSort::key ? a.key < b.key : rank(a) < rank(b);
    };
    // Insertion sort: those of one rank stay in the order of their keys.
    for (std::size_t i = 1; i < reply.kvs.size(); ++i) {
      for (std::size_t j = i; j > 0; --j) {
        EtcdKeyValue &x = reply.kvs[j - 1], &y = reply.kvs[j];
        if (r.descending ? less(x, y) : less(y, x)) std::swap(x, y);
      }
    }
    reply.more = r.limit > 0 && reply.kvs.size() > static_cast<std::size_t>(r.limit);
    if (reply.more) reply.kvs.resize(static_cast<std::size_t>(r.limit));
    return reply;
  }
  bool holds(const EtcdCompare& c) const {
    const auto found = worlds.back().find(c.keys.key);
    const EtcdKeyValue kv = found == worlds.back().end() ? EtcdKeyValue{} : found->second;
    const std::int64_t n = c.target == EtcdTarget::create    ? kv.create_revision
                           : c.target == EtcdTarget::version ? kv.version
                                                             : kv.lease;
    return c.relation == EtcdRelation::equal     ? n == c.number
           : c.relation == EtcdRelation::greater ? n > c.number
                                                 : n != c.number;
  }
  EtcdError readable(EtcdRevision r) const {
    if (r > newest()) return EtcdError::future_revision;
    return r > 0 && r < compacted ? EtcdError::compacted : EtcdError::none;
  }
  void put(Snapshot& world, const EtcdPut& p) const {
    EtcdKeyValue& kv = world[p.key];
    kv.key = p.key, kv.value = p.value, kv.lease = p.lease;
    kv.mod_revision = newest() + 1;
    if (++kv.version == 1) kv.create_revision = newest() + 1;
  }

  // The reply, as the header's revision and the results say it.
  EtcdReply apply(const EtcdRequest& request) {
    if (const EtcdError e = check_etcd_request(request); e != EtcdError::none) return EtcdReply::failed(e);
    Snapshot next = worlds.back();
    EtcdReply reply;
    std::vector<EtcdOp> ops;
    bool changed = false;
    if (const auto* r = std::get_if<EtcdRange>(&request)) ops = {*r};
    if (const auto* p = std::get_if<EtcdPut>(&request)) ops = {*p};
    if (const auto* d = std::get_if<EtcdDelete>(&request)) ops = {*d};
    EtcdTxnReply txn;
    if (const auto* t = std::get_if<EtcdTxn>(&request)) {
      txn.succeeded = true;
      for (const EtcdCompare& c : t->compares) txn.succeeded = txn.succeeded && holds(c);
      ops = txn.succeeded ? t->then : t->otherwise;
    }
    for (const EtcdOp& op : ops) {
      if (const auto* p = std::get_if<EtcdPut>(&op); p != nullptr && p->lease != 0 && leases.count(p->lease) == 0) {
        return EtcdReply::failed(EtcdError::lease_not_found);
      }
    }
    for (const EtcdOp& op : ops) {
      if (const auto* r = std::get_if<EtcdRange>(&op)) {
        if (const EtcdError e = readable(r->revision); e != EtcdError::none) return EtcdReply::failed(e);
      }
    }
    for (const EtcdOp& op : ops) {
      if (const auto* r = std::get_if<EtcdRange>(&op)) txn.results.emplace_back(range(*r, next));
      if (const auto* p = std::get_if<EtcdPut>(&op)) {
        put(next, *p);
        changed = true;
        txn.results.emplace_back(EtcdPutReply{});
      }
      if (const auto* d = std::get_if<EtcdDelete>(&op)) {
        const auto n = std::erase_if(next, [&](const auto& k) { return d->keys.contains(k.first); });
        changed = changed || n > 0;
        txn.results.emplace_back(EtcdDeleteReply{{}, static_cast<std::int64_t>(n), {}});
      }
    }
    if (std::holds_alternative<EtcdTxn>(request)) {
      reply.body = txn;
    } else if (!ops.empty()) {
      std::visit([&](auto& r) { reply.body = r; }, txn.results.front());
    } else if (const auto* grant = std::get_if<EtcdLeaseGrant>(&request)) {
      if (!leases.insert(grant->id).second) return EtcdReply::failed(EtcdError::lease_exists);
      reply.body = EtcdLeaseReply{{}, grant->id, grant->ttl_s, grant->ttl_s, {}};
    } else if (const auto* revoke = std::get_if<EtcdLeaseRevoke>(&request)) {
      if (leases.erase(revoke->id) == 0) return EtcdReply::failed(EtcdError::lease_not_found);
      changed = std::erase_if(next, [&](const auto& k) { return k.second.lease == revoke->id; }) > 0;
      reply.body = EtcdLeaseReply{{}, revoke->id, 0, 0, {}};
    } else if (const auto* compaction = std::get_if<EtcdCompaction>(&request)) {
      if (compaction->revision <= compacted) return EtcdReply::failed(EtcdError::compacted);
      if (compaction->revision > newest()) return EtcdReply::failed(EtcdError::future_revision);
      compacted = compaction->revision;
    }
    if (changed) worlds.push_back(std::move(next));
    reply.header().revision = newest();
    return reply;
  }

  // The events of a watcher from `from` on: each key's put or deletion, revision by revision.
  std::vector<EtcdEvent> events(const EtcdInterval& keys, EtcdRevision from) const {
    std::vector<EtcdEvent> all;
    for (EtcdRevision r = from; r <= newest(); ++r) {
      const Snapshot &old = worlds.at(static_cast<std::size_t>(r - 1)), &now = worlds.at(static_cast<std::size_t>(r));
      for (const std::string& key : kKeys) {
        if (!keys.contains(key)) continue;
        const auto put = now.find(key);
        if (put != now.end() && put->second.mod_revision == r) all.push_back({false, put->second, {}});
        if (put == now.end() && old.count(key) != 0) {
          EtcdKeyValue gone;
          gone.key = key, gone.mod_revision = r;
          all.push_back({true, gone, {}});
        }
      }
    }
    return all;
  }
};

// The order within a revision is the store's own business.
std::vector<EtcdEvent> sorted(std::vector<EtcdEvent> events) {
  std::stable_sort(events.begin(), events.end(), [](const EtcdEvent& a, const EtcdEvent& b) {
    return std::pair(a.kv.mod_revision, a.kv.key) < std::pair(b.kv.mod_revision, b.kv.key);
  });
  return events;
}

struct Watched {
  EtcdInterval keys;
  EtcdRevision from = 0;
  std::vector<EtcdEvent> heard;
  bool cancelled = false;
};

RC_GTEST_PROP(EtcdModel, TheStoreAnswersLikeOneThatKeepsEverything, ()) {
  Model model;
  EtcdState state;
  EtcdWatchHub hub;
  std::map<std::int64_t, Watched> watches;
  const auto hear = [&] {
    for (const EtcdWatchDelivery& d : hub.deliveries()) {
      Watched& w = watches.at(d.reply.id);
      w.heard.insert(w.heard.end(), d.reply.events.begin(), d.reply.events.end());
      if (d.reply.cancelled) w.cancelled = true;
    }
    hub.deliveries().clear();
  };
  for (int n = *rc::gen::inRange(1, 60); n > 0; --n) {
    const EtcdRequest request = any_request(model.newest());
    const EtcdReply expected = model.apply(request);
    EtcdReply got;
    if (goes_through_log(request)) {
      const EtcdApplied done = state.apply(request, MonoTime{});
      got = done.reply;
      hub.notify(state.store(), done.changes);
    } else {
      got = state.read(request);
    }
    if (got != expected) RC_LOG(to_string(request));
    RC_ASSERT(to_string(got) == to_string(expected));
    RC_ASSERT(got == expected);
    hear();
    if (*rc::gen::inRange(0, 6) == 0) {
      EtcdWatchCreate w(any_interval(), *rc::gen::inRange<EtcdRevision>(0, model.newest() + 3));
      w.id = n;
      watches[n] = {w.keys, w.revision == 0 ? model.newest() + 1 : w.revision, {}, false};
      RC_ASSERT(hub.create(state.store(), 1, w).error == EtcdError::none);
    }
    if (*rc::gen::inRange(0, 4) == 0) {
      hub.catch_up(state.store());
      hear();
    }
    if (*rc::gen::inRange(0, 10) == 0) {  // a restart from a snapshot changes nothing
      EtcdState other;
      RC_ASSERT(other.load(state.save()));
      RC_ASSERT(other.fingerprint() == state.fingerprint());
      state = std::move(other);
    }
  }
  hub.catch_up(state.store());
  hear();
  // A watch has heard all from its revision on, or has been cancelled since that is compacted.
  for (const auto& [id, w] : watches) {
    if (w.cancelled) {
      RC_ASSERT(w.from < model.compacted);
      RC_ASSERT(w.heard.empty());
    } else if (w.from > 1 || model.compacted <= 0) {
      RC_ASSERT(sorted(w.heard) == sorted(model.events(w.keys, std::max<EtcdRevision>(w.from, 1))));
    }
  }
  // Everything that has not been compacted is there as it was.
  for (EtcdRevision r = std::max<EtcdRevision>(model.compacted, 1); r <= model.newest(); ++r) {
    EtcdRange all(EtcdInterval{kEtcdNoEnd, kEtcdNoEnd});
    all.revision = r;
    const EtcdReply reply = state.read(all);
    RC_ASSERT(std::get<EtcdRangeReply>(reply.body).kvs == model.range(all, {}).kvs);
  }
}

}  // namespace
}  // namespace picklock
