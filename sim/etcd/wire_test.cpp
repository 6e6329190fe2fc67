#include "sim/etcd/wire.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace picklock {
namespace {

std::string some_text() { return *rc::gen::resize(6, rc::gen::string<std::string>()); }
std::int64_t some_number() { return *rc::gen::arbitrary<std::int64_t>(); }
bool some_bool() { return *rc::gen::arbitrary<bool>(); }
template <class E>
E some_choice(E last) {
  return static_cast<E>(*rc::gen::inRange(0, static_cast<int>(last) + 1));
}
template <class F>
auto some_list(F one) {
  std::vector<decltype(one())> all;
  for (int n = *rc::gen::inRange(0, 4); n > 0; --n) all.push_back(one());
  return all;
}
EtcdInterval some_interval() { return {some_text(), some_text()}; }
EtcdKeyValue some_kv() {
  return {some_text(), some_text(), some_number(), some_number(), some_number(), some_number()};
}
EtcdHeader some_header() {
  return {*rc::gen::arbitrary<std::uint64_t>(), some_number(), *rc::gen::arbitrary<std::uint64_t>()};
}

EtcdRange some_range() {
  EtcdRange r(some_interval());
  r.revision = some_number(), r.limit = some_number();
  r.min_create = some_number(), r.max_create = some_number(), r.min_mod = some_number(), r.max_mod = some_number();
  r.sort = some_choice(EtcdSort::value);
  r.descending = some_bool(), r.serializable = some_bool(), r.keys_only = some_bool(), r.count_only = some_bool();
  return r;
}
EtcdPut some_put() {
  EtcdPut r(some_text(), some_text(), some_number());
  r.previous = some_bool();
  return r;
}
EtcdDelete some_delete() {
  EtcdDelete r(some_interval());
  r.previous = some_bool();
  return r;
}
EtcdOp some_op() {
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      return some_range();
    case 1:
      return some_put();
    default:
      return some_delete();
  }
}
EtcdCompare some_compare() {
  EtcdCompare c;
  c.keys = some_interval();
  c.target = some_choice(EtcdTarget::lease), c.relation = some_choice(EtcdRelation::not_equal);
  c.number = some_number(), c.value = some_text();
  return c;
}
EtcdTxn some_txn() {
  EtcdTxn t;
  t.compares = some_list(some_compare), t.then = some_list(some_op), t.otherwise = some_list(some_op);
  return t;
}

EtcdRequest some_request() {
  switch (*rc::gen::inRange(0, 16)) {
    case 0:
      return some_range();
    case 1:
      return some_put();
    case 2:
      return some_delete();
    case 3:
      return some_txn();
    case 4:
      return EtcdCompaction{some_number()};
    case 5:
      return EtcdLeaseGrant{some_number(), some_number()};
    case 6:
      return EtcdLeaseRevoke{some_number()};
    case 7:
      return EtcdLeaseQuery{some_number(), some_bool()};
    case 8:
      return EtcdLeaseRenew{some_number(), some_bool()};
    case 9:
      return EtcdLeaseCheckpoint{some_list([] { return EtcdLeaseCheckpoint::One{some_number(), some_number()}; })};
    case 10: {
      EtcdWatchCreate w(some_interval(), some_number());
      w.id = some_number();
      w.progress = some_bool(), w.previous = some_bool(), w.no_puts = some_bool(), w.no_deletes = some_bool();
      w.require_leader = some_bool();
      return w;
    }
    case 11:
      return EtcdWatchCancel{some_number()};
    case 12:
      return EtcdLockCall{some_text(), some_number(), some_number()};
    case 13:
      return EtcdUnlockCall{some_text()};
    case 14:
      return EtcdLeaseStream{some_bool()};
    default:
      return EtcdPing{};
  }
}

std::optional<EtcdKeyValue> some_previous() { return some_bool() ? std::optional(some_kv()) : std::nullopt; }
EtcdRangeReply some_range_reply() { return {some_header(), some_list(some_kv), some_number(), some_bool()}; }
EtcdPutReply some_put_reply() { return {some_header(), some_previous()}; }
EtcdDeleteReply some_delete_reply() { return {some_header(), some_number(), some_list(some_kv)}; }
EtcdOpReply some_op_reply() {
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      return some_range_reply();
    case 1:
      return some_put_reply();
    default:
      return some_delete_reply();
  }
}
EtcdReply some_reply() {
  switch (*rc::gen::inRange(0, 9)) {
    case 0:
      return {EtcdError::none, EtcdDone{some_header()}};
    case 1:
      return {EtcdError::none, some_range_reply()};
    case 2:
      return {EtcdError::none, some_put_reply()};
    case 3:
      return {EtcdError::none, some_delete_reply()};
    case 4:
      return {EtcdError::none, EtcdTxnReply{some_header(), some_bool(), some_list(some_op_reply)}};
    case 5:
      return {EtcdError::none,
              EtcdLeaseReply{some_header(), some_number(), some_number(), some_number(), some_list(some_text)}};
    case 6: {
      EtcdWatchReply w{
          some_header(), some_number(), some_bool(), some_bool(), some_number(), some_choice(EtcdError::malformed), {}};
      w.events = some_list([] { return EtcdEvent{some_bool(), some_kv(), some_previous()}; });
      return {EtcdError::none, std::move(w)};
    }
    case 7:
      return {EtcdError::none, EtcdLockReply{some_header(), some_text()}};
    default: {
      const auto error = some_choice(EtcdError::malformed);
      return error == EtcdError::none ? EtcdReply{} : EtcdReply::failed(error);
    }
  }
}

RC_GTEST_PROP(EtcdWire, RequestsAreReadAsTheyWereWritten, ()) {
  const EtcdRequest request = some_request();
  const auto back = decode_etcd_request(encode(request));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == request);
}

RC_GTEST_PROP(EtcdWire, ADeadlineTravelsWithARequest, (std::int64_t left)) {
  const EtcdTimedRequest timed{some_request(), Duration{left / 8}}, timeless{timed.request};  // kForever at most
  std::string bytes, plain;
  encode(timed, bytes);
  encode(timeless, plain);
  const auto back = decode_etcd_timed_request(bytes), plainly = decode_etcd_timed_request(plain);
  RC_ASSERT(back.has_value());
  RC_ASSERT(plainly.has_value());
  RC_ASSERT(*back == timed);
  RC_ASSERT(*plainly == timeless);
  RC_ASSERT(plain == encode(timed.request));
}

RC_GTEST_PROP(EtcdWire, RepliesAreReadAsTheyWereWritten, ()) {
  const EtcdReply reply = some_reply();
  const auto back = decode_etcd_reply(encode(reply));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == reply);
}

// Neither crashes nor reads beyond the end (the sanitizers watch), and what it accepts it can write.
RC_GTEST_PROP(EtcdWire, BytesFromAnywhereAreRefusedOrRead, ()) {
  std::string bytes = some_bool() ? encode(some_request()) : encode(some_reply());
  if (!bytes.empty() && some_bool()) bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size()));
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
