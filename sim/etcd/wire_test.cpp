#include "sim/etcd/wire.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace picklock {
namespace {

std::string any_text() { return *rc::gen::resize(6, rc::gen::string<std::string>()); }
std::int64_t any_number() { return *rc::gen::arbitrary<std::int64_t>(); }
bool any_bool() { return *rc::gen::arbitrary<bool>(); }
template <class E>
E any_choice(E last) {
  return static_cast<E>(*rc::gen::inRange(0, static_cast<int>(last) + 1));
}
template <class F>
auto any_list(F one) {
  std::vector<decltype(one())> all;
  for (int n = *rc::gen::inRange(0, 4); n > 0; --n) all.push_back(one());
  return all;
}
EtcdInterval any_interval() { return {any_text(), any_text()}; }
EtcdKeyValue any_kv() { return {any_text(), any_text(), any_number(), any_number(), any_number(), any_number()}; }
EtcdHeader any_header() {
  return {*rc::gen::arbitrary<std::uint64_t>(), any_number(), *rc::gen::arbitrary<std::uint64_t>()};
}

EtcdRange any_range() {
  EtcdRange r(any_interval());
  r.revision = any_number(), r.limit = any_number();
  r.min_create = any_number(), r.max_create = any_number(), r.min_mod = any_number(), r.max_mod = any_number();
  r.sort = any_choice(EtcdSort::value);
  r.descending = any_bool(), r.serializable = any_bool(), r.keys_only = any_bool(), r.count_only = any_bool();
  return r;
}
EtcdPut any_put() {
  EtcdPut r(any_text(), any_text(), any_number());
  r.previous = any_bool();
  return r;
}
EtcdDelete any_delete() {
  EtcdDelete r(any_interval());
  r.previous = any_bool();
  return r;
}
EtcdOp any_op() {
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      return any_range();
    case 1:
      return any_put();
    default:
      return any_delete();
  }
}
EtcdCompare any_compare() {
  EtcdCompare c;
  c.keys = any_interval();
  c.target = any_choice(EtcdTarget::lease), c.relation = any_choice(EtcdRelation::not_equal);
  c.number = any_number(), c.value = any_text();
  return c;
}
EtcdTxn any_txn() {
  EtcdTxn t;
  t.compares = any_list(any_compare), t.then = any_list(any_op), t.otherwise = any_list(any_op);
  return t;
}

EtcdRequest any_request() {
  switch (*rc::gen::inRange(0, 16)) {
    case 0:
      return any_range();
    case 1:
      return any_put();
    case 2:
      return any_delete();
    case 3:
      return any_txn();
    case 4:
      return EtcdCompaction{any_number()};
    case 5:
      return EtcdLeaseGrant{any_number(), any_number()};
    case 6:
      return EtcdLeaseRevoke{any_number()};
    case 7:
      return EtcdLeaseQuery{any_number(), any_bool()};
    case 8:
      return EtcdLeaseRenew{any_number(), any_bool()};
    case 9:
      return EtcdLeaseCheckpoint{any_list([] { return EtcdLeaseCheckpoint::One{any_number(), any_number()}; })};
    case 10: {
      EtcdWatchCreate w(any_interval(), any_number());
      w.id = any_number();
      w.progress = any_bool(), w.previous = any_bool(), w.no_puts = any_bool(), w.no_deletes = any_bool();
      w.require_leader = any_bool();
      return w;
    }
    case 11:
      return EtcdWatchCancel{any_number()};
    case 12:
      return EtcdLockCall{any_text(), any_number(), any_number()};
    case 13:
      return EtcdUnlockCall{any_text()};
    case 14:
      return EtcdLeaseStream{any_bool()};
    default:
      return EtcdPing{};
  }
}

std::optional<EtcdKeyValue> any_previous() { return any_bool() ? std::optional(any_kv()) : std::nullopt; }
EtcdRangeReply any_range_reply() { return {any_header(), any_list(any_kv), any_number(), any_bool()}; }
EtcdPutReply any_put_reply() { return {any_header(), any_previous()}; }
EtcdDeleteReply any_delete_reply() { return {any_header(), any_number(), any_list(any_kv)}; }
EtcdOpReply any_op_reply() {
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      return any_range_reply();
    case 1:
      return any_put_reply();
    default:
      return any_delete_reply();
  }
}
EtcdReply any_reply() {
  switch (*rc::gen::inRange(0, 9)) {
    case 0:
      return {EtcdError::none, EtcdDone{any_header()}};
    case 1:
      return {EtcdError::none, any_range_reply()};
    case 2:
      return {EtcdError::none, any_put_reply()};
    case 3:
      return {EtcdError::none, any_delete_reply()};
    case 4:
      return {EtcdError::none, EtcdTxnReply{any_header(), any_bool(), any_list(any_op_reply)}};
    case 5:
      return {EtcdError::none,
              EtcdLeaseReply{any_header(), any_number(), any_number(), any_number(), any_list(any_text)}};
    case 6: {
      EtcdWatchReply w{
          any_header(), any_number(), any_bool(), any_bool(), any_number(), any_choice(EtcdError::malformed), {}};
      w.events = any_list([] { return EtcdEvent{any_bool(), any_kv(), any_previous()}; });
      return {EtcdError::none, std::move(w)};
    }
    case 7:
      return {EtcdError::none, EtcdLockReply{any_header(), any_text()}};
    default: {
      const auto error = any_choice(EtcdError::malformed);
      return error == EtcdError::none ? EtcdReply{} : EtcdReply::failed(error);
    }
  }
}

RC_GTEST_PROP(EtcdWire, RequestsAreReadAsTheyWereWritten, ()) {
  const EtcdRequest request = any_request();
  const auto back = decode_etcd_request(encode(request));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == request);
}

RC_GTEST_PROP(EtcdWire, ADeadlineTravelsWithARequest, (std::int64_t left)) {
  const EtcdRequest request = any_request();
  const std::string plain = encode(request), timed = with_etcd_timeout(plain, Duration{left});
  std::string_view bytes = timed;
  RC_ASSERT(take_etcd_timeout(bytes) == Duration{left});
  RC_ASSERT(bytes == plain);
  RC_ASSERT(take_etcd_timeout(bytes) == kForever);
  RC_ASSERT(bytes == plain);
}

RC_GTEST_PROP(EtcdWire, RepliesAreReadAsTheyWereWritten, ()) {
  const EtcdReply reply = any_reply();
  const auto back = decode_etcd_reply(encode(reply));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == reply);
}

// Neither crashes nor reads beyond the end (the sanitizers watch), and what it accepts it can write.
RC_GTEST_PROP(EtcdWire, BytesFromAnywhereAreRefusedOrRead, ()) {
  std::string bytes = any_bool() ? encode(any_request()) : encode(any_reply());
  if (!bytes.empty() && any_bool()) bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size()));
  if (!bytes.empty()) {
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    bytes[at] = *rc::gen::arbitrary<char>();
  }
  if (const auto request = decode_etcd_request(bytes)) RC_ASSERT(decode_etcd_request(encode(*request)) == request);
  if (const auto reply = decode_etcd_reply(bytes)) RC_ASSERT(decode_etcd_reply(encode(*reply)) == reply);
}

RC_GTEST_PROP(EtcdWire, APrefixEndsWhereItsKeysEnd, (const std::string& prefix, const std::string& key)) {
  const EtcdInterval all = etcd_prefix(prefix);
  // An empty key is none.
  if (!key.empty() || !prefix.empty()) RC_ASSERT(all.contains(prefix + key));
  if (!key.empty()) RC_ASSERT(all.contains(key) == key.starts_with(prefix));
}

TEST(EtcdWire, AKeyWithoutAnEndIsAlone) {
  const EtcdInterval one{"a", {}};
  EXPECT_TRUE(one.contains("a"));
  EXPECT_FALSE(one.contains("aa"));
  EXPECT_EQ(etcd_prefix("a/").end, "a0");
  EXPECT_EQ(etcd_prefix("a\xff").end, "b");
  EXPECT_EQ(etcd_prefix("\xff\xff").end, kEtcdNoEnd);
}

TEST(EtcdWire, OnlyWhatWritesGoesThroughTheLog) {
  EtcdTxn txn;
  txn.then = {EtcdRange("a")};
  EXPECT_FALSE(goes_through_log(txn));
  txn.otherwise = {EtcdPut("a", "1")};
  EXPECT_TRUE(goes_through_log(txn));
  EXPECT_TRUE(goes_through_log(EtcdLeaseGrant{1, 2}));
  EXPECT_FALSE(goes_through_log(EtcdLeaseRenew{1}));
  EXPECT_FALSE(goes_through_log(EtcdRange("a")));
}

TEST(EtcdWire, IsShownAsItIsMeant) {
  EtcdTxn txn;
  txn.compares = {etcd_absent("door")};
  txn.then = {EtcdPut("door", "a", 7)};
  txn.otherwise = {EtcdRange(etcd_prefix("door/")).last_created()};
  EXPECT_EQ(to_string(EtcdRequest(txn)),
            "txn if create(door)=0 then put door=a lease=7 else range [door/, door0) by=create descending limit=1");
  EXPECT_EQ(to_string(EtcdReply::failed(EtcdError::lease_not_found)), "!etcdserver: requested lease not found");
}

}  // namespace
}  // namespace picklock
