// The store's answers to a list of requests, as a golden file: testdata/store.txt.
#include "sim/etcd/state.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace picklock {
namespace {

EtcdTxn txn(std::vector<EtcdCompare> compares, std::vector<EtcdOp> then, std::vector<EtcdOp> otherwise = {}) {
  EtcdTxn t;
  t.compares = std::move(compares), t.then = std::move(then), t.otherwise = std::move(otherwise);
  return t;
}
EtcdPut with_previous(EtcdPut p) {
  p.previous = true;
  return p;
}
EtcdDelete with_previous(EtcdDelete d) {
  d.previous = true;
  return d;
}
EtcdRange at(EtcdRange r, EtcdRevision revision) {
  r.revision = revision;
  return r;
}
EtcdRange created_up_to(EtcdRange r, EtcdRevision most) {
  r.max_create = most;
  return r;
}

std::string transcript() {
  std::ostringstream out;
  EtcdState state;
  const auto run = [&](const EtcdRequest& request) {
    out << to_string(request) << "\n";
    if (!goes_through_log(request)) {
      out << "  " << to_string(state.read(request)) << "\n";
      return;
    }
    const EtcdApplied done = state.apply(request, MonoTime{});
    out << "  " << to_string(done.reply) << "\n";
    for (const EtcdChange& c : done.changes) {
      out << "    " << (c.deleted() ? "gone " : "now ") << c.after().key << " m" << c.after().mod_revision << "\n";
    }
  };
  using enum EtcdTarget;
  using enum EtcdRelation;
  const auto title = [&](const char* text) { out << "\n# " << text << "\n"; };

  title("a key's revisions and version");
  run(EtcdPut("a", "1"));
  run(with_previous(EtcdPut("a", "2")));
  run(EtcdDelete("a"));
  run(EtcdDelete("a"));
  run(EtcdPut("a", "3"));
  run(at(EtcdRange("a"), 2));
  run(at(EtcdRange("a"), 4));
  run(at(EtcdRange("a"), 99));

  title("a transaction is one revision, sees its own writes, and fails as a whole");
  run(txn({etcd_absent("b")}, {EtcdPut("b", "1"), EtcdPut("c", "1"), EtcdRange("b")}, {EtcdRange("b")}));
  run(txn({etcd_absent("b")}, {EtcdPut("b", "2")}, {EtcdRange("b")}));
  run(txn({etcd_absent("b")}, {EtcdRange("a")}, {EtcdRange("b")}));
  run(txn({}, {EtcdPut("d", "1"), EtcdPut("e", "1", 99)}));
  run(txn({}, {EtcdPut("d", "1"), EtcdPut("d", "2")}));
  run(txn({}, {EtcdDelete(etcd_prefix("d")), EtcdPut("dd", "2")}));
  run(txn({}, {EtcdPut("d", "1"), at(EtcdRange("a"), 99)}));
  run(EtcdRange("d"));
  run(txn({}, {EtcdDelete("nothing")}));
  run(txn({}, {EtcdPut("dd", "2"), EtcdPut("dd", "3")}, {EtcdRange("")}));
  run(EtcdPut("", "1"));

  title("comparisons, also of what does not exist");
  run(txn({{"a", equal, "3"}, {"a", version, equal, 1}}, {}, {EtcdRange("a")}));
  run(txn({{"none", version, less, 1}, {"none", lease, equal, 0}}, {}, {}));
  run(txn({{"none", not_equal, "x"}}, {}, {}));
  run(txn({{"b", mod, greater, 5}, {"b", create, not_equal, 6}}, {}, {}));

  title("leases: their keys go at one revision");
  run(EtcdLeaseGrant{7, 1});
  run(EtcdLeaseGrant{7, 9});
  run(EtcdPut("l/2", "x", 7));
  run(EtcdPut("l/1", "x", 7));
  run(EtcdPut("l/3", "x", 7));
  run(EtcdPut("l/3", "y"));
  run(EtcdLeaseRevoke{7});
  run(EtcdLeaseRevoke{7});
  run(EtcdPut("l/4", "x", 7));

  title("ranges: order of creation, limits, filters");
  run(EtcdPut("q/3", "first"));
  run(EtcdPut("q/1", "second"));
  run(EtcdPut("q/2", "third"));
  run(EtcdPut("q/3", "again"));
  run(EtcdRange(etcd_prefix("q/")));
  run(EtcdRange(etcd_prefix("q/")).first_created());
  run(EtcdRange(etcd_prefix("q/")).last_created());
  const EtcdRevision second = state.store().find("q/1")->create_revision;
  run(created_up_to(EtcdRange(etcd_prefix("q/")), second - 1).last_created());
  run(with_previous(EtcdDelete(etcd_prefix("q/"))));

  title("compaction");
  run(EtcdCompaction{0});
  run(EtcdCompaction{0});
  run(EtcdCompaction{5});
  run(EtcdCompaction{5});
  run(EtcdCompaction{500});
  run(at(EtcdRange("a"), 4));
  run(at(EtcdRange("a"), 5));
  run(EtcdRange("a"));
  return out.str();
}

TEST(EtcdState, AnswersAsEtcdDoes) {
  const std::string path = PICKLOCK_SOURCE_DIR "/sim/etcd/testdata/store.txt";
  const std::string now = transcript();
  if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr) std::ofstream(path) << now;
  std::ifstream file(path);
  std::ostringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(now, golden.str()) << "PICKLOCK_REWRITE_GOLDEN=1 rewrites it";
}

// applierV3backend.Txn of 3.4 and 3.5 looks at all puts, then at all ranges; checkTxn of 3.6 at one after the other.
TEST(EtcdState, ATransactionThatFailsForTwoReasonsSaysWhatItsReleaseLooksAtFirst) {
  for (const bool puts_first : {true, false}) {
    EtcdState state({}, puts_first);
    (void)state.apply(EtcdPut("a", "1"), {});
    (void)state.apply(EtcdPut("a", "2"), {});
    (void)state.apply(EtcdCompaction{3}, {});
    const auto error = [&](std::vector<EtcdOp> ops) { return state.apply(txn({}, std::move(ops)), {}).reply.error; };
    const EtcdOp lease = EtcdPut("b", "", 99), future = at(EtcdRange("a"), 99), compacted = at(EtcdRange("a"), 2);
    EXPECT_EQ(error({future, lease}), puts_first ? EtcdError::lease_not_found : EtcdError::future_revision);
    EXPECT_EQ(error({compacted, lease}), puts_first ? EtcdError::lease_not_found : EtcdError::compacted);
    EXPECT_EQ(error({lease, future}), EtcdError::lease_not_found);
    EXPECT_EQ(error({compacted, future}), EtcdError::compacted) << "of two ranges the first";
    EXPECT_EQ(state.store().revision(), 3);
  }
}

// checkIntervals compares "\0" as a text, and deleteRange takes it for the end of all keys.
TEST(EtcdState, APutBesideADeleteOfAllThatFollowsIsNoDuplicate) {
  EtcdState state;
  const auto both = [&](std::string from, std::string end) {
    EtcdDelete del(from);
    del.keys.end = std::move(end);
    return state.apply(txn({}, {EtcdPut("b", "1"), del}), {}).reply.error;
  };
  EXPECT_EQ(both("a", "c"), EtcdError::duplicate_key);
  EXPECT_EQ(both("a", "b"), EtcdError::none);
  EXPECT_EQ(both("b", ""), EtcdError::duplicate_key);
  EXPECT_EQ(both("b", std::string(1, '\0')), EtcdError::none);
  EXPECT_EQ(state.store().find("b"), nullptr) << "put, and deleted";
}

TEST(EtcdState, TooManyOperationsAreRefused) {
  EtcdState state;
  EtcdTxn many;
  for (std::size_t i = 0; i <= EtcdState::kMostOps; ++i) many.then.emplace_back(EtcdPut("k" + std::to_string(i), ""));
  EXPECT_EQ(state.apply(many, {}).reply.error, EtcdError::too_many_ops);
  EXPECT_EQ(state.store().revision(), 1);
  many.then.pop_back();
  EXPECT_EQ(state.apply(many, {}).reply.error, EtcdError::none);
}

TEST(EtcdState, WhatHasNoBusinessInTheLogIsRefused) {
  EtcdState state;
  EXPECT_EQ(state.apply(EtcdLeaseRenew{1}, {}).reply.error, EtcdError::malformed);
  EXPECT_EQ(state.read(EtcdPut("a", "1")).error, EtcdError::malformed);
}

TEST(EtcdState, ASnapshotIsTheSameStateAndANonsensicalOneIsNone) {
  EtcdState state, other;
  (void)state.apply(EtcdLeaseGrant{7, 10}, {});
  (void)state.apply(EtcdPut("a", "1", 7), {});
  (void)state.apply(EtcdPut("a", "2", 7), {});
  (void)state.apply(EtcdCompaction{2}, {});
  ASSERT_TRUE(other.load(state.save()));
  EXPECT_EQ(other.fingerprint(), state.fingerprint());
  EXPECT_EQ(other.lessor().keys(7), std::vector<std::string>{"a"});
  EXPECT_EQ(other.apply(EtcdLeaseRevoke{7}, {}).changes.size(), 1U);
  const std::string bytes = state.save();
  EXPECT_FALSE(other.load(bytes.substr(0, bytes.size() - 1)));
  EXPECT_EQ(other.store().revision(), 1);
}

}  // namespace
}  // namespace picklock
