#include "sim/zookeeper/wire.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace picklock {
namespace {

template <class T>
rc::Gen<T> one_of(std::initializer_list<T> values) {
  return rc::gen::elementOf(std::vector<T>(values));
}

ZooRequest any_request(bool nested) {
  ZooRequest r;
  r.op =
      nested
          ? *one_of({ZooOp::create, ZooOp::remove, ZooOp::set_data, ZooOp::check})
          : *one_of({ZooOp::create, ZooOp::remove, ZooOp::exists, ZooOp::get_data, ZooOp::set_data, ZooOp::get_children,
                     ZooOp::sync, ZooOp::ping, ZooOp::multi, ZooOp::set_watches, ZooOp::connect, ZooOp::close_session});
  if (!nested) r.xid = *rc::gen::arbitrary<std::int32_t>();
  switch (r.op) {
    case ZooOp::create:
      r.mode = *one_of({ZooMode::persistent, ZooMode::ephemeral, ZooMode::persistent_sequential,
                        ZooMode::ephemeral_sequential, ZooMode::container});
      [[fallthrough]];
    case ZooOp::set_data:
      r.data = *rc::gen::arbitrary<std::string>();
      if (r.op == ZooOp::create) break;
      [[fallthrough]];
    case ZooOp::remove:
    case ZooOp::check:
      r.version = *rc::gen::arbitrary<std::int32_t>();
      break;
    case ZooOp::exists:
    case ZooOp::get_data:
    case ZooOp::get_children:
      r.watch = *rc::gen::arbitrary<bool>();
      break;
    case ZooOp::multi:
      for (int n = *rc::gen::inRange(0, 4); n > 0; --n) r.parts.push_back(any_request(true));
      return r;
    case ZooOp::set_watches:
      r.relative_zxid = *rc::gen::arbitrary<std::int64_t>();
      r.data_watches = *rc::gen::arbitrary<std::vector<std::string>>();
      r.exist_watches = *rc::gen::arbitrary<std::vector<std::string>>();
      r.child_watches = *rc::gen::arbitrary<std::vector<std::string>>();
      return r;
    case ZooOp::connect:
      r.relative_zxid = *rc::gen::arbitrary<std::int64_t>();
      r.session = *rc::gen::arbitrary<std::int64_t>();
      r.password = *rc::gen::arbitrary<std::uint64_t>();
      r.timeout_ms = *rc::gen::arbitrary<std::int64_t>();
      return r;
    default:
      break;
  }
  if (r.op != ZooOp::ping && r.op != ZooOp::close_session) r.path = *rc::gen::arbitrary<std::string>();
  return r;
}

void fill(ZooAnswer& a) {
  a.code = *one_of({ZooCode::ok, ZooCode::no_node, ZooCode::session_moved, ZooCode::runtime_inconsistency});
  if (*rc::gen::arbitrary<bool>()) {
    a.stat = {*rc::gen::arbitrary<std::int64_t>(), 2, -3, *rc::gen::arbitrary<std::int32_t>(), 5, -6, 7, 8};
  }
  a.path = *rc::gen::arbitrary<std::string>();
  a.data = *rc::gen::arbitrary<std::string>();
  a.children = *rc::gen::arbitrary<std::vector<std::string>>();
}

ZooReply any_reply() {
  ZooReply r;
  fill(r);
  r.xid = *rc::gen::arbitrary<std::int32_t>();
  r.zxid = *rc::gen::arbitrary<std::int64_t>();
  r.event = *one_of({ZooEventType::none, ZooEventType::created, ZooEventType::children_changed});
  if (*rc::gen::arbitrary<bool>()) {
    r.session = *rc::gen::arbitrary<std::int64_t>();
    r.password = *rc::gen::arbitrary<std::uint64_t>();
    r.timeout_ms = *rc::gen::arbitrary<std::int64_t>();
  }
  for (int n = *rc::gen::inRange(0, 3); n > 0; --n) fill(r.parts.emplace_back());
  return r;
}

RC_GTEST_PROP(ZooKeeperWire, ARequestComesBackAsItWas, ()) {
  const ZooRequest request = any_request(false);
  std::string packed;
  encode(request, packed);
  ZooRequest back = any_request(false);  // former content must not matter
  RC_ASSERT(decode(packed, back));
  RC_ASSERT(back == request);
}

RC_GTEST_PROP(ZooKeeperWire, AReplyComesBackAsItWas, ()) {
  const ZooReply reply = any_reply();
  std::string packed;
  encode(reply, packed);
  ZooReply back = any_reply();
  RC_ASSERT(decode(packed, back));
  RC_ASSERT(back == reply);
}

RC_GTEST_PROP(ZooKeeperWire, WhatIsCutOffOrHasMoreBehindItIsRefused, ()) {
  std::string packed;
  encode(any_request(false), packed);
  ZooRequest back;
  const auto cut = *rc::gen::inRange(std::size_t{0}, packed.size());
  RC_ASSERT_FALSE(decode(std::string_view(packed).substr(0, cut), back));
  RC_ASSERT_FALSE(decode(packed + 'x', back));
}

RC_GTEST_PROP(ZooKeeperWire, AnyBytesAreReadWithoutHarm, (std::string bytes)) {
  ZooRequest request;
  ZooReply reply;
  (void)decode(bytes, request);
  (void)decode(bytes, reply);
}

TEST(ZooKeeperWire, APingIsSmall) {
  std::string packed;
  encode(ZooRequest::ping(), packed);
  EXPECT_EQ(packed.size(), 2U);
}

TEST(ZooKeeperWire, AMultiHoldsNoMulti) {
  ZooRequest inner, middle, outer;
  inner.op = ZooOp::ping;
  middle.op = outer.op = ZooOp::multi;
  middle.parts.push_back(inner);
  outer.parts.push_back(middle);
  std::string packed;
  encode(outer, packed);
  EXPECT_FALSE(decode(packed, inner));
}

TEST(ZooKeeperWire, APartIsAVerb) {
  ZooCall part;
  part.op = ZooOp::connect;
  ZooRequest outer;
  outer.op = ZooOp::multi;
  outer.parts.push_back(part);
  std::string packed;
  encode(outer, packed);
  EXPECT_FALSE(decode(packed, outer));
}

TEST(ZooKeeperWire, Paths) {
  for (const char* good : {"/", "/a", "/a/b", "/a.b/..c"}) EXPECT_TRUE(zoo_path_is_valid(good)) << good;
  for (const char* bad : {"", "a", "/a/", "//", "/a//b", "/.", "/a/..", "/a/./b"}) {
    EXPECT_FALSE(zoo_path_is_valid(bad)) << bad;
  }
  EXPECT_EQ(zoo_parent("/a/b"), "/a");
  EXPECT_EQ(zoo_parent("/a"), "/");
  EXPECT_EQ(zoo_name("/a/b"), "b");
  for (std::size_t name = 0; name < 40; ++name) {  // names and parents of any length, also beside a letter like a slash
    for (std::size_t parent = 1; parent < 20; ++parent) {
      const std::string above = "/" + std::string(parent, '.'), path = above + "/" + std::string(name, '0');
      EXPECT_EQ(zoo_name(path), std::string(name, '0'));
      EXPECT_EQ(zoo_parent(path), above);
    }
  }
}

}  // namespace
}  // namespace picklock
