#include "sim/zookeeper/watches.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace picklock {
namespace {

using Fired = std::vector<ZooWatches::Fired>;

ZooRequest read(ZooOp op, std::string path) {
  ZooRequest r;
  r.op = op;
  r.path = std::move(path);
  r.watch = true;
  return r;
}
ZooEffect effect(ZooEffect::Kind kind, std::string_view path) { return {kind, ZooPath(path), 1, 0}; }
Fired fire(ZooWatches& watches, const ZooEffect& e) {
  Fired fired;
  watches.fire(e, fired);
  return fired;
}

TEST(ZooWatches, FireOnceEachKindForWhatItWaitsFor) {
  ZooWatches w;
  w.add(1, read(ZooOp::exists, "/a"), ZooCode::no_node);
  EXPECT_EQ(fire(w, effect(ZooEffect::Kind::created, "/a")), (Fired{{1, ZooEventType::created, "/a"}}));
  EXPECT_TRUE(fire(w, effect(ZooEffect::Kind::deleted, "/a")).empty()) << "gone";
  w.add(1, read(ZooOp::get_data, "/a"), ZooCode::no_node);
  EXPECT_EQ(w.size(), 0U) << "get_data leaves none on an absent node";
  w.add(1, read(ZooOp::get_children, "/a"), ZooCode::ok);
  EXPECT_TRUE(fire(w, effect(ZooEffect::Kind::data_changed, "/a")).empty());
  EXPECT_TRUE(fire(w, effect(ZooEffect::Kind::created, "/a/b/c")).empty());
  EXPECT_EQ(fire(w, effect(ZooEffect::Kind::created, "/a/b")), (Fired{{1, ZooEventType::children_changed, "/a"}}));
}

TEST(ZooWatches, OfADeletionEachIsToldOnceAndThenTheParentsWatchers) {
  ZooWatches w;
  w.add(1, read(ZooOp::exists, "/a/b"), ZooCode::ok);
  w.add(1, read(ZooOp::get_data, "/a/b"), ZooCode::ok);
  w.add(1, read(ZooOp::get_children, "/a/b"), ZooCode::ok);
  w.add(2, read(ZooOp::get_children, "/a/b"), ZooCode::ok);
  w.add(1, read(ZooOp::get_children, "/a"), ZooCode::ok);
  EXPECT_EQ(fire(w, effect(ZooEffect::Kind::deleted, "/a/b")), (Fired{{1, ZooEventType::deleted, "/a/b"},
                                                                      {2, ZooEventType::deleted, "/a/b"},
                                                                      {1, ZooEventType::children_changed, "/a"}}));
  EXPECT_EQ(w.size(), 0U);
}

TEST(ZooWatches, AClosedConnectionHasNone) {
  ZooWatches w;
  w.add(1, read(ZooOp::exists, "/a"), ZooCode::ok);
  w.add(2, read(ZooOp::exists, "/a"), ZooCode::ok);
  w.forget(1);
  EXPECT_EQ(fire(w, effect(ZooEffect::Kind::deleted, "/a")), (Fired{{2, ZooEventType::deleted, "/a"}}));
}

// Against what the tree shows: a watch that is brought along fires if and only if the present differs
// from what the client knew, as far as zxids tell.
RC_GTEST_PROP(ZooWatches, WhatWasMissedFiresAtOnce, ()) {
  ZooTree tree;
  std::vector<ZooEffect> effects;
  const std::vector<std::string> paths = {"/a", "/b", "/a/x"};
  std::int64_t zxid = 0, seen = 0;
  std::map<std::string, std::optional<ZooStat>> known;
  const int steps = *rc::gen::inRange(0, 25), looked = *rc::gen::inRange(0, 25);
  for (int i = 0; i <= steps; ++i) {
    if (i == std::min(looked, steps)) {
      seen = zxid;
      for (const std::string& p : paths) {
        known[p] = tree.find(p) != nullptr ? std::optional(tree.find(p)->stat()) : std::nullopt;
      }
    }
    if (i == steps) break;
    ZooTxn txn;
    txn.path = ZooPath(*rc::gen::elementOf(paths));
    const ZooTree::Node* const node = tree.find(txn.path);
    const bool change = *rc::gen::arbitrary<bool>();
    txn.kind = node == nullptr ? ZooTxn::Kind::create : change ? ZooTxn::Kind::set_data : ZooTxn::Kind::remove;
    const ZooTree::Node* const parent = tree.find(zoo_parent(txn.path));
    txn.version = node == nullptr ? (parent != nullptr ? parent->creates + 1 : 0) : node->version + 1;
    tree.apply(txn, ++zxid, effects);
  }
  ZooWatches w;
  ZooRequest request;
  request.relative_zxid = seen;
  for (const std::string& p : paths) {
    (known[p] ? request.data_watches : request.exist_watches).push_back(p);
    if (known[p]) request.child_watches.push_back(p);
  }
  Fired fired;
  w.set_watches(1, request, tree, fired);
  std::size_t armed = 0;
  for (const std::string& p : paths) {
    const ZooTree::Node* const node = tree.find(p);
    const auto count = [&](ZooEventType type) {
      return std::count(fired.begin(), fired.end(), ZooWatches::Fired{1, type, p});
    };
    if (!known[p]) {
      RC_ASSERT(count(ZooEventType::created) == (node != nullptr ? 1 : 0));
      armed += node == nullptr ? 1 : 0;
    } else if (node == nullptr) {
      RC_ASSERT(count(ZooEventType::deleted) == 2);  // the data watch and the children watch
    } else {
      RC_ASSERT(count(ZooEventType::data_changed) == (node->mzxid != known[p]->mzxid ? 1 : 0));
      RC_ASSERT(count(ZooEventType::children_changed) == (node->pzxid != known[p]->pzxid ? 1 : 0));
      armed += (node->mzxid == known[p]->mzxid ? 1U : 0U) + (node->pzxid == known[p]->pzxid ? 1U : 0U);
    }
  }
  RC_ASSERT(w.size() == armed);
}

}  // namespace
}  // namespace picklock
