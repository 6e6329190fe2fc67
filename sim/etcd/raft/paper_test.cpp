// The Raft paper, sentence by sentence: Ongaro, Ousterhout, "In Search of an Understandable Consensus
// Algorithm", extended version (2014).  Each test names the section and says its statement in our words.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/etcd/raft/raft.hpp"

namespace picklock {
namespace {

using Kind = RaftMessage::Kind;

struct FixedDice final : RaftDice {
  std::uint32_t next = 0;
  std::uint32_t below(std::uint32_t n) override { return next % n; }
};

// Member 1 of a cluster, whose disk is as quick as one likes; the test speaks for the others.
struct Paper : ::testing::Test {
  FixedDice dice;
  std::optional<Raft> raft;
  std::vector<RaftUnsaved> saved;

  void begin(RaftId members, RaftStored stored = {}, bool pre_vote = false) {
    RaftOptions o;
    o.members = members;
    o.pre_vote = pre_vote;
    o.check_quorum = false;  // the paper has no such check
    raft.emplace(o, dice);
    raft->boot(std::move(stored));
    saved.clear();
  }
  void save() {
    while (raft->anything_unsaved()) {
      saved.push_back(raft->take_unsaved());
      raft->persisted(saved.back().position);
    }
  }
  std::vector<RaftMessage> sent() {
    save();
    return raft->take_messages();
  }
  static RaftMessage from(RaftId id, Kind kind, RaftTerm term) {
    RaftMessage m;
    m.kind = kind;
    m.from = id;
    m.to = 1;
    m.term = term;
    return m;
  }
  std::vector<RaftMessage> hear(RaftMessage m) {
    raft->step(std::move(m));
    return sent();
  }
  RaftMessage vote_request(RaftId id, RaftTerm term, RaftIndex last = 0, RaftTerm last_term = 0) {
    RaftMessage m = from(id, Kind::vote, term);
    m.index = last;
    m.log_term = last_term;
    return m;
  }
  RaftMessage append(RaftTerm term, RaftIndex before, RaftTerm before_term, std::vector<RaftEntry> entries,
                     RaftIndex commit = 0) {
    RaftMessage m = from(2, Kind::append, term);
    m.index = before;
    m.log_term = before_term;
    m.entries = std::move(entries);
    m.commit = commit;
    return m;
  }
  RaftMessage append_reply(RaftId id, RaftIndex index) {
    RaftMessage m = from(id, Kind::append_reply, raft->term());
    m.index = index;
    return m;
  }
  void elect() {
    raft->campaign();
    sent();
    for (RaftId id = 2; id <= raft->options().members && !raft->leads(); ++id) {
      raft->step(from(id, Kind::vote_reply, raft->term()));
    }
    ASSERT_TRUE(raft->leads());
    sent();
  }
  static RaftStored log(std::vector<RaftTerm> terms, RaftHardState hard = {}) {
    RaftStored stored;
    stored.hard = hard;
    for (std::size_t i = 0; i < terms.size(); ++i) stored.entries.push_back({terms[i], i + 1, "x"});
    if (stored.hard.term == 0 && !terms.empty()) stored.hard.term = terms.back();
    return stored;
  }
  std::vector<RaftTerm> terms() const {
    std::vector<RaftTerm> all;
    for (RaftIndex i = 1; i <= raft->log().last_index(); ++i) all.push_back(*raft->log().term(i));
    return all;
  }
};

std::vector<RaftId> receivers(const std::vector<RaftMessage>& messages, Kind kind) {
  std::vector<RaftId> to;
  for (const RaftMessage& m : messages) {
    if (m.kind == kind) to.push_back(m.to);
  }
  return to;
}

// § 5.1: terms are exchanged with every message, and a member with the smaller one takes the larger.
TEST_F(Paper, S51_ALargerTermIsTakenOver) {
  for (const Kind kind : {Kind::append, Kind::heartbeat, Kind::vote, Kind::append_reply, Kind::heartbeat_reply}) {
    begin(3);
    hear(from(2, kind, 5));
    EXPECT_EQ(raft->term(), 5u) << to_string(kind);
    EXPECT_FALSE(saved.empty() || !saved.back().must_sync) << "and kept on stable storage";
  }
}

// § 5.1: a candidate or leader that finds its term out of date becomes a follower at once.
TEST_F(Paper, S51_ALeaderOrCandidateOfAnOldTermFollows) {
  begin(3);
  elect();
  hear(from(2, Kind::heartbeat_reply, 9));
  EXPECT_EQ(raft->role(), RaftRole::follower);
  begin(3);
  raft->campaign();
  ASSERT_EQ(raft->role(), RaftRole::candidate);
  hear(from(2, Kind::heartbeat, 9));
  EXPECT_EQ(raft->role(), RaftRole::follower);
  EXPECT_EQ(raft->leader(), 2u);
}

// § 5.1: a request with a stale term is rejected.
TEST_F(Paper, S51_AStaleTermIsRejected) {
  begin(3, log({1, 4}));
  hear(append(3, 2, 4, {{3, 3, "stale"}}));
  EXPECT_EQ(terms(), (std::vector<RaftTerm>{1, 4}));
  EXPECT_EQ(raft->leader(), 0u);
  hear(vote_request(3, 3, 9, 9));
  EXPECT_EQ(raft->vote(), 0u);
}

// § 5.2: servers start as followers, and remain so while a leader is heard.
TEST_F(Paper, S52_AFollowerRemainsOneWhileItHearsALeader) {
  begin(3);
  EXPECT_EQ(raft->role(), RaftRole::follower);
  for (int i = 0; i < 100; ++i) {
    if (i % 9 == 0) hear(from(2, Kind::heartbeat, 1));
    raft->tick();
  }
  EXPECT_EQ(raft->role(), RaftRole::follower);
}

// § 5.2: leaders send periodic heartbeats to all followers.
TEST_F(Paper, S52_ALeaderSendsHeartbeatsToAll) {
  begin(5);
  elect();
  for (int i = 0; i < 3; ++i) {
    raft->tick();
    EXPECT_EQ(receivers(sent(), Kind::heartbeat), (std::vector<RaftId>{2, 3, 4, 5}));
  }
}

// § 5.2: after an election timeout without communication a follower increments its term, votes for itself and asks
// all others for their votes.
TEST_F(Paper, S52_SilenceBeginsAnElection) {
  begin(3, log({1}, {7, 2, 0}));
  for (std::uint32_t t = 0; t < 10; ++t) {
    EXPECT_EQ(raft->role(), RaftRole::follower);
    raft->tick();
  }
  EXPECT_EQ(raft->role(), RaftRole::candidate);
  EXPECT_EQ(raft->term(), 8u);
  EXPECT_EQ(raft->vote(), 1u);
  const auto messages = sent();
  EXPECT_EQ(receivers(messages, Kind::vote), (std::vector<RaftId>{2, 3}));
  EXPECT_EQ(messages[0].index, 1u);
  EXPECT_EQ(messages[0].log_term, 1u);
}

// § 5.2: timeouts are drawn from a fixed interval, so that votes are rarely split.
TEST_F(Paper, S52_TimeoutsAreSpreadOverTheirInterval) {
  std::set<std::uint32_t> seen;
  for (std::uint32_t drawn = 0; drawn < 10; ++drawn) {
    dice.next = drawn;
    begin(3);
    std::uint32_t ticks = 0;
    while (raft->role() == RaftRole::follower) raft->tick(), ++ticks;
    seen.insert(ticks);
  }
  EXPECT_EQ(seen.size(), 10u);
  EXPECT_EQ(*seen.begin(), 10u);
  EXPECT_EQ(*seen.rbegin(), 19u);
}

// § 5.2: a candidate with the votes of a majority of the whole cluster wins; otherwise it goes on waiting.
TEST_F(Paper, S52_AMajorityElects) {
  struct Case {
    RaftId members;
    std::vector<bool> votes;  // votes of members 2, 3, …
    RaftRole role;
  };
  for (const Case& c :
       {Case{1, {}, RaftRole::leader}, Case{3, {}, RaftRole::candidate}, Case{3, {true}, RaftRole::leader},
        Case{3, {false}, RaftRole::candidate}, Case{3, {false, false}, RaftRole::follower},
        Case{5, {true}, RaftRole::candidate}, Case{5, {true, false, true}, RaftRole::leader},
        Case{5, {false, true, false, false}, RaftRole::follower}, Case{4, {true}, RaftRole::candidate}}) {
    begin(c.members);
    raft->campaign();
    sent();
    for (std::size_t i = 0; i < c.votes.size(); ++i) {
      RaftMessage m = from(static_cast<RaftId>(i + 2), Kind::vote_reply, 1);
      m.reject = !c.votes[i];
      hear(m);
    }
    EXPECT_EQ(raft->role(), c.role) << c.members << " members, " << c.votes.size() << " answers";
  }
}

// § 5.2: a server votes for at most one candidate a term, first come first served; also after a restart.
TEST_F(Paper, S52_OneVoteATerm) {
  begin(3);
  auto replies = hear(vote_request(2, 4));
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_FALSE(replies[0].reject);
  EXPECT_TRUE(hear(vote_request(3, 4))[0].reject);
  EXPECT_FALSE(hear(vote_request(2, 4))[0].reject) << "the same one may ask again";
  const RaftHardState kept = *saved.back().hard;
  begin(3, log({}, kept));
  EXPECT_TRUE(hear(vote_request(3, 4))[0].reject);
  EXPECT_FALSE(hear(vote_request(3, 5))[0].reject);
}

// § 5.1, figure 2: term, vote and log are on stable storage before a request is answered.
TEST_F(Paper, F2_AnswersWaitForStableStorage) {
  begin(3);
  raft->step(vote_request(2, 4));
  EXPECT_TRUE(raft->take_messages().empty());
  const RaftUnsaved unsaved = raft->take_unsaved();
  EXPECT_TRUE(unsaved.must_sync);
  EXPECT_TRUE(raft->take_messages().empty());
  raft->persisted(unsaved.position);
  EXPECT_EQ(raft->take_messages().size(), 1u);
  raft->step(append(5, 0, 0, {{5, 1, "a"}}));
  EXPECT_TRUE(raft->take_messages().empty());
  EXPECT_EQ(receivers(sent(), Kind::append_reply), std::vector<RaftId>{2});
}

// § 5.2: a candidate that hears from a leader of its own term recognizes it.
TEST_F(Paper, S52_ACandidateRecognizesALeaderOfItsTerm) {
  begin(3);
  raft->campaign();
  sent();
  hear(append(1, 0, 0, {}));
  EXPECT_EQ(raft->role(), RaftRole::follower);
  EXPECT_EQ(raft->leader(), 2u);
}

// § 5.3: the leader appends the command and sends it to all others in parallel.
TEST_F(Paper, S53_ALeaderReplicatesToAllAtOnce) {
  begin(3);
  elect();
  hear(append_reply(2, 1));
  hear(append_reply(3, 1));
  EXPECT_TRUE(raft->propose("a"));
  EXPECT_EQ(receivers(raft->take_messages(), Kind::append), (std::vector<RaftId>{2, 3}))
      << "before its own disk has it";
  EXPECT_EQ(raft->log().last_index(), 2u);
}

// § 5.3: an entry is committed once the leader has it on a majority, and with it all before it, also of earlier
// leaders; the leader then tells the followers.
TEST_F(Paper, S53_AMajorityCommits) {
  begin(5, log({1, 2}));
  elect();  // its first entry is the third
  hear(append_reply(2, 3));
  EXPECT_EQ(raft->committed(), 0u) << "two of five";
  const auto told = hear(append_reply(3, 3));
  EXPECT_EQ(raft->committed(), 3u);
  EXPECT_EQ(raft->take_committed().size(), 3u);
  EXPECT_TRUE(std::any_of(told.begin(), told.end(), [](const RaftMessage& m) { return m.commit == 3; }));
}

// § 5.3: the leader's own entry counts only once it is on its disk.
TEST_F(Paper, S53_TheLeaderCountsItsOwnDisk) {
  begin(3);
  elect();
  hear(append_reply(2, 1));
  raft->propose("a");
  raft->step(append_reply(2, 2));
  EXPECT_EQ(raft->committed(), 1u);
  save();
  EXPECT_EQ(raft->committed(), 2u);
}

// § 5.3: followers apply what they learn to be committed, in the order of the log.
TEST_F(Paper, S53_AFollowerAppliesInOrder) {
  begin(3);
  hear(append(1, 0, 0, {{1, 1, "a"}, {1, 2, "b"}, {1, 3, "c"}}, 2));
  const auto first = raft->take_committed();
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].data, "a");
  EXPECT_EQ(first[1].data, "b");
  hear(append(1, 3, 1, {}, 9));
  EXPECT_EQ(raft->committed(), 3u) << "not beyond what it holds";
  EXPECT_EQ(raft->take_committed().at(0).data, "c");
}

// § 5.3: a follower refuses entries unless it has the entry before them, of the same term.
TEST_F(Paper, S53_TheEntryBeforeMustMatch) {
  begin(3, log({1, 2}));
  EXPECT_FALSE(hear(append(2, 2, 2, {{2, 3, "a"}}))[0].reject);
  begin(3, log({1, 2}));
  EXPECT_TRUE(hear(append(2, 3, 2, {{2, 4, "a"}}))[0].reject) << "absent";
  EXPECT_TRUE(hear(append(3, 2, 3, {{3, 3, "a"}}))[0].reject) << "of another term";
  EXPECT_EQ(terms(), (std::vector<RaftTerm>{1, 2}));
}

// § 5.3, figure 7: whatever a follower lacks or has too much, it is brought to agree with the leader's log.
TEST_F(Paper, S53_Figure7) {
  const std::vector<RaftTerm> leader = {1, 1, 1, 4, 4, 5, 5, 6, 6, 6};
  for (const std::vector<RaftTerm>& follower : {std::vector<RaftTerm>{1, 1, 1, 4, 4, 5, 5, 6, 6},
                                                {1, 1, 1, 4},
                                                {1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 6},
                                                {1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 7, 7},
                                                {1, 1, 1, 4, 4, 4, 4},
                                                {1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3}}) {
    begin(3, log(leader));
    std::optional<Raft> l = std::move(raft);
    RaftOptions o;
    o.id = 2;
    o.members = 3;
    o.pre_vote = o.check_quorum = false;
    Raft f(o, dice);
    f.boot(log(follower, {7, 0, 0}));
    const auto save_all = [](Raft& r) {
      while (r.anything_unsaved()) {
        const RaftUnsaved u = r.take_unsaved();
        r.persisted(u.position);
      }
      return r.take_messages();
    };
    while (l->term() < 8) l->campaign(), save_all(*l);
    l->step(from(3, Kind::vote_reply, l->term()));
    int round_trips = 0;
    for (std::vector<RaftMessage> wire = save_all(*l); !wire.empty() && round_trips < 20; ++round_trips) {
      for (RaftMessage& m : std::exchange(wire, {})) {
        if (m.to == 2) f.step(std::move(m));
      }
      for (RaftMessage& m : save_all(f)) l->step(std::move(m));
      wire = save_all(*l);
      std::erase_if(wire, [](const RaftMessage& m) { return m.to != 2; });
    }
    ASSERT_EQ(f.log().last_index(), 11u);
    for (RaftIndex i = 1; i <= 11; ++i) EXPECT_EQ(f.log().at(i), l->log().at(i));
    EXPECT_LE(round_trips, 4) << "whole terms are skipped";
  }
}

// § 5.3: a leader never overwrites or deletes entries of its own log.
TEST_F(Paper, S53_ALeaderOnlyAppends) {
  begin(3, log({1, 2}));
  elect();
  RaftMessage rejected = append_reply(2, 2);
  rejected.reject = true;
  rejected.hint = 0;
  hear(rejected);
  EXPECT_EQ(terms(), (std::vector<RaftTerm>{1, 2, 3}));
}

// § 5.4.1: a vote is denied to whom has a less up-to-date log: the last term decides, then the length.
TEST_F(Paper, S541_OnlyUpToDateLogsAreElected) {
  begin(3, log({1, 3, 3}));
  EXPECT_TRUE(hear(vote_request(2, 10, 9, 2))[0].reject) << "longer, of an older term";
  EXPECT_TRUE(hear(vote_request(2, 11, 2, 3))[0].reject) << "shorter";
  EXPECT_FALSE(hear(vote_request(2, 12, 3, 3))[0].reject) << "the same";
  EXPECT_FALSE(hear(vote_request(2, 13, 1, 4))[0].reject) << "shorter, of a newer term";
}

// § 5.4.2: entries of earlier terms are not committed by counting.
TEST_F(Paper, S542_OldEntriesAreCommittedOnlyBeneathOwnOnes) {
  begin(3, log({1, 2}));
  elect();
  hear(append_reply(2, 2));
  EXPECT_EQ(raft->committed(), 0u) << "a majority has it, and still";
  hear(append_reply(2, 3));
  EXPECT_EQ(raft->committed(), 3u);
}

// § 7: a snapshot replaces what it covers; a log that goes on after it is kept.
TEST_F(Paper, S7_SnapshotsReplaceWhatTheyCover) {
  begin(3, log({1, 1}));
  RaftMessage m = from(2, Kind::snapshot, 3);
  m.index = 5;
  m.log_term = 2;
  m.data = "state";
  EXPECT_EQ(hear(m)[0].index, 5u);
  ASSERT_TRUE(saved.back().snapshot.has_value());
  EXPECT_EQ(saved.back().snapshot->data, "state");
  EXPECT_EQ(raft->log().first_index(), 6u);
  begin(3, log({1, 1, 1}));
  m.index = 2;
  m.log_term = 1;
  hear(m);
  EXPECT_EQ(raft->log().last_index(), 3u);
  EXPECT_EQ(raft->committed(), 2u);
}

// § 8: a leader begins its term with an entry of its own, and answers reads only once that is committed and a
// majority has answered heartbeats.
TEST_F(Paper, S8_ReadsNeedAnOwnEntryAndAMajority) {
  begin(3, log({1, 1}, {1, 0, 2}));
  elect();
  EXPECT_EQ(raft->log().at(3).term, 2u);
  EXPECT_EQ(raft->log().at(3).data, "");
  EXPECT_TRUE(raft->read(7));
  EXPECT_EQ(receivers(sent(), Kind::heartbeat).size(), 0u) << "too early";
  hear(append_reply(2, 3));
  EXPECT_TRUE(raft->take_reads().empty());
  RaftMessage heard = from(3, Kind::heartbeat_reply, 2);
  heard.context = 1;
  hear(heard);
  EXPECT_EQ(raft->take_reads(), (std::vector<RaftRead>{{7, 3}}));
}

}  // namespace
}  // namespace picklock
