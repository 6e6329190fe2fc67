// Each statement of what can never be: silent where it may be, and loud where it is contradicted.

#include "sim/etcd/invariants.hpp"

#include <gtest/gtest.h>

#include "sim/etcd/cluster_lab.hpp"

namespace picklock {
namespace {

// A log whose entries have these terms.
RaftLog log_of(std::initializer_list<RaftTerm> terms) {
  RaftLog log;
  for (const RaftTerm term : terms) log.append({term, log.last_index() + 1, "entry"});
  return log;
}

struct EtcdInvariantsTest : ::testing::Test {
  EtcdInvariants all;
  void expect_broken(std::string_view why) const {
    EXPECT_NE(all.broken().find(why), std::string::npos) << "'" << all.broken() << "'";
  }
};

TEST_F(EtcdInvariantsTest, ElectionSafety) {
  all.leads(1, 2, log_of({}));
  all.leads(1, 2, log_of({}));
  all.leads(2, 3, log_of({}));
  EXPECT_EQ(all.broken(), "");
  all.leads(3, 3, log_of({}));
  expect_broken("two leaders of term 3");
}

// Another entry at the index is no contradiction as long as its term is another, whichever member writes it again.
TEST_F(EtcdInvariantsTest, LogsMayDifferByTerm) {
  all.logged(1, 1, 1, 0, 10);
  all.logged(2, 1, 1, 0, 10);
  all.logged(1, 2, 1, 1, 20);
  all.logged(2, 2, 2, 1, 21);
  all.logged(3, 2, 3, 1, 22);
  all.logged(1, 2, 2, 1, 21);
  all.logged(2, 2, 1, 1, 20);
  EXPECT_EQ(all.broken(), "");
  EXPECT_EQ(all.logged(), 2U);
}

TEST_F(EtcdInvariantsTest, LogMatchingOfTheEntry) {
  all.logged(1, 1, 1, 0, 10);
  all.logged(2, 1, 1, 0, 11);
  expect_broken("member 2 has another entry of term 1 at index 1");
}

TEST_F(EtcdInvariantsTest, LogMatchingOfAnEntryThatReplacesAnother) {
  all.logged(1, 1, 1, 0, 10);
  all.logged(2, 1, 2, 0, 11);
  all.logged(3, 1, 2, 0, 12);
  expect_broken("member 3 has another entry of term 2 at index 1");
}

TEST_F(EtcdInvariantsTest, LogMatchingOfWhatIsBefore) {
  all.logged(1, 1, 1, 0, 10);
  all.logged(2, 1, 2, 0, 11);
  all.logged(1, 2, 3, 1, 20);
  all.logged(2, 2, 3, 2, 20);
  expect_broken("member 2 has another entry of term 3 at index 2");
}

TEST_F(EtcdInvariantsTest, LeaderCompleteness) {
  all.applied(1, 1, 1, 10, 1);
  all.applied(1, 2, 1, 20, 1);
  all.leads(2, 2, log_of({1, 1, 1}));
  all.leads(2, 3, log_of({1, 1, 2}));
  EXPECT_EQ(all.broken(), "");
  all.leads(3, 4, log_of({1}));
  expect_broken("the leader of term 4 lacks what was committed at index 2");
}

TEST_F(EtcdInvariantsTest, LeaderCompletenessOfAnEntryReplaced) {
  all.applied(1, 1, 1, 10, 1);
  all.leads(2, 3, log_of({2}));
  expect_broken("the leader of term 3 lacks what was committed at index 1");
}

// It speaks of later terms: a leader that was outvoted meanwhile need not have what its successor committed.
TEST_F(EtcdInvariantsTest, LeaderCompletenessIsOfLaterTerms) {
  all.applied(1, 1, 1, 10, 1);
  all.applied(1, 2, 3, 20, 3);
  all.leads(2, 2, log_of({1}));
  EXPECT_EQ(all.broken(), "");
  all.leads(3, 4, log_of({1}));
  expect_broken("the leader of term 4 lacks");
}

TEST_F(EtcdInvariantsTest, ACompactedLogHasWhatItsSnapshotHas) {
  RaftLog log;
  log.restore(RaftSnapshot{5, 1, "state"});
  for (RaftIndex i = 1; i <= 4; ++i) all.applied(1, i, 1, i, 1);
  all.leads(2, 2, log);
  all.applied(1, 5, 1, 5, 1);
  all.leads(2, 3, log);
  EXPECT_EQ(all.broken(), "");
  all.applied(1, 6, 1, 6, 1);
  all.leads(2, 4, log);
  expect_broken("the leader of term 4 lacks what was committed at index 6");
}

TEST_F(EtcdInvariantsTest, StateMachineSafety) {
  all.applied(1, 1, 1, 10, 1);
  all.applied(2, 1, 1, 10, 2);
  EXPECT_EQ(all.broken(), "");
  all.applied(3, 1, 1, 11, 2);
  expect_broken("two entries applied at index 1");
}

TEST_F(EtcdInvariantsTest, NothingIsSkipped) {
  all.applied(2, 2, 1, 10, 1);
  expect_broken("member 2 skipped an entry");
}

TEST_F(EtcdInvariantsTest, ARevisionGoesOneByOneAndNeverBack) {
  all.revision(1, 3, 3);
  all.revision(1, 3, 4);
  EXPECT_EQ(all.broken(), "");
  EtcdInvariants back = all, ahead = all;
  back.revision(1, 4, 3);
  ahead.revision(1, 4, 6);
  EXPECT_NE(back.broken(), "");
  EXPECT_NE(ahead.broken(), "");
}

TEST_F(EtcdInvariantsTest, ARunBeginsWithNothingKnown) {
  all.leads(1, 1, log_of({}));
  all.logged(1, 1, 1, 0, 10);
  all.applied(1, 1, 1, 10, 1);
  all.breaks("something");
  all.reset();
  all.leads(2, 1, log_of({}));
  all.logged(2, 1, 1, 0, 11);
  all.applied(2, 1, 1, 11, 1);
  EXPECT_EQ(all.broken(), "");
}

Task<void> put_often(Host, Etcd* etcd) {
  for (int i = 0; i < 20; ++i) {
    EtcdPut request("k", "v", 0);
    (void)co_await etcd->put(request);
  }
}

// The members of a cluster tell all that they write and apply, and the judge hears when one of them lies.
TEST(EtcdInvariantsOfACluster, HearOfEveryEntry) {
  testing::EtcdCluster c({}, 7);
  c.at(seconds(3), [&](World& w) {
    w.tasks.start(c.client_node[0], "put", put_often(w.host(c.client_node[0]), c.clients[0].get()));
  });
  c.at(seconds(5), [&](World& w) { w.faults.kill(c.member_node[c.leader()]); });
  c.run_until(seconds(10));
  EXPECT_EQ(c.invariants.broken(), "");
  EXPECT_GE(c.invariants.leaders(), 2U);
  EXPECT_GE(c.invariants.entries(), 22U);
  EXPECT_GE(c.invariants.logged(), c.invariants.entries());

  const Raft& raft = c.members[c.leader()]->raft();
  EtcdInvariants matching = c.invariants;
  matching.logged(1, 5, *raft.log().term(5), *raft.log().term(4), 1);
  EXPECT_NE(matching.broken(), "") << "the fifth entry, as everybody wrote it, has another hash";
  EtcdInvariants complete = c.invariants;
  complete.leads(1, raft.term() + 1, log_of({1, 1}));
  EXPECT_NE(complete.broken(), "");
}

}  // namespace
}  // namespace picklock
