#include "sim/etcd/state.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace picklock {
namespace {

const std::string& key_of(const EtcdOp& op) {
  if (const auto* put = std::get_if<EtcdPut>(&op)) return put->key;
  if (const auto* del = std::get_if<EtcdDelete>(&op)) return del->keys.key;
  return std::get<EtcdRange>(op).keys.key;
}

// Compares like the interval tree of checkIntervals: an end of "\0" is no more than that text, though the delete will
// take it for the end of all keys.
bool intersects(const EtcdInterval& deleted, const std::string& key) {
  return deleted.end.empty() ? key == deleted.key : key >= deleted.key && key < deleted.end;
}

// checkIntervals: a key may be put once, and not be deleted beside that.
EtcdError check_intervals(const std::vector<EtcdOp>& ops) {
  for (const EtcdOp& op : ops) {
    const auto* const put = std::get_if<EtcdPut>(&op);
    if (put == nullptr) continue;
    for (const EtcdOp& other : ops) {
      if (&other == &op) continue;
      const auto* const also = std::get_if<EtcdPut>(&other);
      if (also != nullptr && also->key == put->key) return EtcdError::duplicate_key;
      const auto* const del = std::get_if<EtcdDelete>(&other);
      if (del != nullptr && intersects(del->keys, put->key)) return EtcdError::duplicate_key;
    }
  }
  return EtcdError::none;
}

// checkTxnRequest, then checkIntervals of both branches.
EtcdError check_txn(const EtcdTxn& txn) {
  if (std::max({txn.compares.size(), txn.then.size(), txn.otherwise.size()}) > EtcdState::kMostOps) {
    return EtcdError::too_many_ops;
  }
  for (const EtcdCompare& c : txn.compares) {
    if (c.keys.key.empty()) return EtcdError::empty_key;
  }
  for (const auto* ops : {&txn.then, &txn.otherwise}) {
    for (const EtcdOp& op : *ops) {
      if (key_of(op).empty()) return EtcdError::empty_key;
    }
  }
  const EtcdError then = check_intervals(txn.then);
  return then != EtcdError::none ? then : check_intervals(txn.otherwise);
}

// A new one, in its place.
template <class Reply>
Reply& result(EtcdTxnReply& of) {
  return std::get<Reply>(of.results.emplace_back(std::in_place_type<Reply>));
}

}  // namespace

EtcdError check_etcd_request(const EtcdRequest& request) {
  if (const auto* range = std::get_if<EtcdRange>(&request)) {
    if (range->keys.key.empty()) return EtcdError::empty_key;
  } else if (const auto* put = std::get_if<EtcdPut>(&request)) {
    if (put->key.empty()) return EtcdError::empty_key;
  } else if (const auto* del = std::get_if<EtcdDelete>(&request)) {
    if (del->keys.key.empty()) return EtcdError::empty_key;
  } else if (const auto* txn = std::get_if<EtcdTxn>(&request)) {
    return check_txn(*txn);
  }
  return EtcdError::none;
}

void EtcdState::put(const EtcdPut& put, EtcdPutReply* reply) {
  const EtcdChange& c = store_.put(put.key, put.value, put.lease);
  if (c.before().lease != put.lease) {
    if (c.before().lease != 0) lessor_.detach(c.before().lease, put.key);
    if (put.lease != 0) lessor_.attach(put.lease, put.key);
  }
  if (reply != nullptr && put.previous && c.before().version != 0) reply->previous = c.before();
}

void EtcdState::erase(const EtcdDelete& del, EtcdDeleteReply* reply) {
  for (const EtcdChange& c : store_.erase(del.keys)) {
    if (c.before().lease != 0) lessor_.detach(c.before().lease, c.before().key);
    if (reply == nullptr) continue;
    ++reply->deleted;
    if (del.previous) reply->previous.push_back(c.before());
  }
}

EtcdError EtcdState::choose(const EtcdTxn& txn, bool& succeeded, const std::vector<EtcdOp>*& ops) const {
  succeeded =
      std::all_of(txn.compares.begin(), txn.compares.end(), [&](const EtcdCompare& c) { return store_.holds(c); });
  ops = succeeded ? &txn.then : &txn.otherwise;
  const auto refused = [&](const EtcdOp& op) {
    const auto* put = std::get_if<EtcdPut>(&op);
    if (put != nullptr && put->lease != 0 && !lessor_.exists(put->lease)) return EtcdError::lease_not_found;
    const auto* read = std::get_if<EtcdRange>(&op);
    return read != nullptr ? store_.readable(read->revision) : EtcdError::none;
  };
  EtcdError first = EtcdError::none;
  for (const EtcdOp& op : *ops) {
    const EtcdError error = refused(op);
    if (error == EtcdError::lease_not_found && checks_puts_first_) return error;
    if (first == EtcdError::none) first = error;
  }
  return first;
}

EtcdError EtcdState::txn(const EtcdTxn& txn, EtcdTxnReply& reply, bool in_full) {
  const std::vector<EtcdOp>* ops = nullptr;
  if (const EtcdError e = choose(txn, reply.succeeded, ops); e != EtcdError::none) return e;
  if (in_full) reply.results.reserve(ops->size());
  for (const EtcdOp& op : *ops) {
    if (const auto* read = std::get_if<EtcdRange>(&op)) {
      if (in_full) (void)store_.range(*read, result<EtcdRangeReply>(reply));
    } else if (const auto* p = std::get_if<EtcdPut>(&op)) {
      put(*p, in_full ? &result<EtcdPutReply>(reply) : nullptr);
    } else {
      erase(std::get<EtcdDelete>(op), in_full ? &result<EtcdDeleteReply>(reply) : nullptr);
    }
  }
  return EtcdError::none;
}

EtcdError EtcdState::revoke(EtcdLeaseId id) {
  const auto keys = lessor_.revoke(id);
  if (!keys) return EtcdError::lease_not_found;
  for (const std::string& key : *keys) store_.erase({key, {}});
  return EtcdError::none;
}

std::span<const EtcdChange> EtcdState::apply(const EtcdRequest& request, MonoTime now, EtcdReply& reply, bool in_full) {
  EtcdError error = EtcdError::none;
  if (const auto* p = std::get_if<EtcdPut>(&request)) {
    if (p->lease != 0 && !lessor_.exists(p->lease)) {
      error = EtcdError::lease_not_found;
    } else {
      put(*p, &reply.body.emplace<EtcdPutReply>());
    }
  } else if (const auto* del = std::get_if<EtcdDelete>(&request)) {
    erase(*del, &reply.body.emplace<EtcdDeleteReply>());
  } else if (const auto* t = std::get_if<EtcdTxn>(&request)) {
    error = txn(*t, reply.body.emplace<EtcdTxnReply>(), in_full);
  } else if (const auto* compaction = std::get_if<EtcdCompaction>(&request)) {
    error = store_.compact(compaction->revision);
  } else if (const auto* grant = std::get_if<EtcdLeaseGrant>(&request)) {
    error = lessor_.grant(grant->id, grant->ttl_s, now);
    const std::int64_t ttl_s = lessor_.ttl_s(grant->id).value_or(0);
    reply.body = EtcdLeaseReply{{}, grant->id, ttl_s, ttl_s, {}};
  } else if (const auto* gone = std::get_if<EtcdLeaseRevoke>(&request)) {
    error = revoke(gone->id);
    reply.body = EtcdLeaseReply{{}, gone->id, 0, 0, {}};
  } else if (const auto* checkpoint = std::get_if<EtcdLeaseCheckpoint>(&request)) {
    for (const auto& one : checkpoint->leases) lessor_.checkpoint(one.id, one.remaining_s, now);
  } else {
    error = EtcdError::malformed;  // it has no business in the log
  }
  const auto changes = store_.commit();
  if (error != EtcdError::none) {
    reply = EtcdReply::failed(error);
  } else {
    reply.header().revision = store_.revision();
  }
  return changes;
}

EtcdReply EtcdState::read(const EtcdRequest& request) const {
  EtcdError error = check_etcd_request(request);
  EtcdReply reply;
  if (error != EtcdError::none) return EtcdReply::failed(error);
  if (const auto* r = std::get_if<EtcdRange>(&request)) {
    error = store_.readable(r->revision);
    if (error == EtcdError::none) (void)store_.range(*r, reply.body.emplace<EtcdRangeReply>());
  } else if (const auto* t = std::get_if<EtcdTxn>(&request); t != nullptr && !t->writes()) {
    auto& done = reply.body.emplace<EtcdTxnReply>();
    const std::vector<EtcdOp>* ops = nullptr;
    error = choose(*t, done.succeeded, ops);
    if (error == EtcdError::none) {
      for (const EtcdOp& op : *ops) (void)store_.range(std::get<EtcdRange>(op), result<EtcdRangeReply>(done));
    }
  } else {
    error = EtcdError::malformed;
  }
  if (error != EtcdError::none) return EtcdReply::failed(error);
  reply.header().revision = store_.revision();
  return reply;
}

std::string EtcdState::save() const {
  std::string bytes;
  Packer to(bytes);
  store_.save(to);
  lessor_.save(to);
  to.finish();
  return bytes;
}

bool EtcdState::load(std::string_view snapshot) {
  Unpacker from(snapshot);
  const bool loaded = store_.load(from) && lessor_.load(from) && from.finished();
  if (!loaded) {
    Unpacker nothing({});
    (void)store_.load(nothing), (void)lessor_.load(nothing);
    return false;
  }
  store_.each_key([&](const EtcdKeyValue& kv) {
    if (kv.lease != 0) lessor_.attach(kv.lease, kv.key);
  });
  return true;
}

std::uint64_t EtcdState::fingerprint() const { return hash_bytes(save()); }

}  // namespace picklock
