// HistoryBuilder with a service that no simulator knows: its judge and its change reader stand here.
#include "scenarios/recording/history_builder.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/first_heard.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

constexpr TraceKind kTaken = kJournal | 300, kWritten = kJournal | 301;  // a: hold; of a write b: place, c: version
constexpr std::uint64_t kLost = 1;                                       // b of a kTaken: is an end instead
constexpr NodeId kServer = 1, kAlice = 2, kBob = 3;

// Every kTaken is a grant without end.
class LabJudge final : public GrantJudge {
 public:
  LabJudge(std::vector<Provenance>& seen, std::int64_t heard) : seen_(seen), heard_(heard) {}
  void reset() override { seen_.clear(); }
  bool wants(TraceKind kind) const override { return kind == kTaken; }
  HoldId hold_of(const TraceRecord& r) const override { return r.a; }
  void see(const TraceRecord& r, const Provenance& by, std::vector<GrantEvent>& grants, std::uint32_t& index) override {
    EXPECT_EQ(r.kind, kTaken);
    seen_.push_back(by);
    const bool lost = r.b == kLost;
    grants.push_back({r.time, kNoTime, index++, by.hold, by.hold, lost ? GrantChange::end : GrantChange::begin,
                      lost ? GrantEnd::lost : GrantEnd::unknown});
  }
  void first_heard(std::vector<std::int64_t>& by_hold) const override {
    FirstHeard heard;
    heard.note(1, {heard_});
    heard.merge_into(by_hold);
  }

 private:
  std::vector<Provenance>& seen_;
  std::int64_t heard_;
};

class LabChanges final : public ChangeReader {
 public:
  void reset() override {}
  std::optional<KeptChange> see(const TraceRecord& r) override {
    if (r.kind != kWritten) return std::nullopt;
    return KeptChange{r.b, r.a, r.c};
  }
};

// The server names whom it has taken last.
class LabViews final : public ServerViews {
 public:
  explicit LabViews(std::uint32_t lock) : ServerViews(lock, {kServer}) {}
  HoldId hold_of(const TraceRecord& r) const override { return r.a; }

 private:
  void forget() override { owner_ = kNoHold; }
  bool reads(TraceKind kind) const override { return kind == kTaken; }
  void look(const TraceRecord&, const Provenance& by) override { owner_ = by.hold; }
  void dead(NodeId) override { owner_ = kNoHold; }
  void add_owners(NodeId, std::vector<HoldId>& owners) const override {
    if (owner_ != kNoHold) owners.push_back(owner_);
  }
  HoldId owner_ = kNoHold;
};

// A journal record after the other, each a nanosecond later.
class HistoryBuilderTest : public ::testing::Test {
 protected:
  HistoryBuilderTest() {
    roster_.clients = {"alice", "bob"};
    roster_.clients_of_node = {{}, {}, {0}, {1}};
    roster_.locks = {{"x", "y"}, {"x+y"}};
    roster_.resources = {"x:set", "y:set"};
    roster_.kept_at = {70, 71};
    roster_.clocks.resize(4);
  }

  void record(TraceKind kind, NodeId node, std::uint32_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
    journal_.push_back({++now_, kind, node, a, b, c});
  }
  void request(NodeId node, HoldId hold, std::uint32_t lock, HoldKind kind = HoldKind::whole, bool shared = false) {
    record(trace::hold_requested, node, hold, node - kAlice, pack_request(lock, shared, kind));
  }
  const History& build() {
    builder_.emplace(
        roster_, [this](const std::string& name) { return std::make_unique<LabJudge>(seen_[name == "y"], 5); },
        std::make_unique<LabChanges>());
    builder_->note_sources(true);
    return builder_->build(journal_);
  }

  Roster roster_;
  std::vector<TraceRecord> journal_;
  std::vector<Provenance> seen_[2];  // provenances seen by the judges of x and y
  std::optional<HistoryBuilder> builder_;

 private:
  std::int64_t now_ = 0;
};

TEST_F(HistoryBuilderTest, AJudgeSeesTheRecordsThatItWantsAndOnWhoseBehalfTheyWereSent) {
  request(kAlice, 1, 0, HoldKind::whole, true);
  request(kBob, 2, 0, HoldKind::force);
  record(kTaken, kServer, 1);
  record(kWritten, kServer, 1, 99, 1);
  record(kTaken, kServer, 2);
  const History& h = build();
  ASSERT_EQ(h.grants.size(), 4u);  // grants of two judges
  ASSERT_EQ(seen_[0].size(), 2u);
  EXPECT_EQ(seen_[0][0].hold, 1u);
  EXPECT_TRUE(seen_[0][0].shared && !seen_[0][0].force);
  EXPECT_EQ(seen_[0][0].client, h.holds[1].client);
  EXPECT_EQ(seen_[0][1].hold, 2u);
  EXPECT_TRUE(seen_[0][1].force && !seen_[0][1].shared);
  EXPECT_EQ(h.names.view(h.holds[2].client), "bob");
}

TEST_F(HistoryBuilderTest, TheJudgeOfOneNameSeesThePartOfAMultiLock) {
  request(kAlice, 1, 2);
  request(kAlice, 2, 0, HoldKind::part);
  request(kAlice, 3, 1, HoldKind::part);
  record(kTaken, kServer, 1);
  build();
  EXPECT_EQ(seen_[0].at(0).hold, 2u);
  EXPECT_EQ(seen_[1].at(0).hold, 3u);
}

TEST_F(HistoryBuilderTest, AChangeOfAKeptResourceIsOneEffectAndAnAnswerIsAnother) {
  request(kAlice, 1, 0);
  record(trace::kept_read_answered, kAlice, 1, 4, 1);
  record(trace::write_requested, kAlice, 1, 4, 1);
  record(kWritten, kServer, 1, 71, 5);
  record(kWritten, kServer, 1, 71, 5);  // another server writes it
  record(kWritten, kServer, 1, 72, 6);  // no resource is kept there
  record(trace::write_acknowledged, kAlice, 1, 5, 1);
  record(trace::kept_write_refused, kAlice, 1, 7, 1);
  const History& h = build();
  ASSERT_EQ(h.effects.size(), 3u);
  EXPECT_EQ(h.effects[0].kind, EffectKind::read);
  EXPECT_EQ(h.effects[0].version, 4u);
  EXPECT_FALSE(h.effects[0].depends_on_read);
  EXPECT_EQ(h.effects[1].kind, EffectKind::write);
  EXPECT_EQ(h.effects[1].version, 5u);
  EXPECT_EQ(h.effects[1].read_version, 4u);
  EXPECT_TRUE(h.effects[1].acknowledged && h.effects[1].depends_on_read);
  EXPECT_EQ(h.effects[2].kind, EffectKind::refused_write);
  for (const EffectEvent& e : h.effects) EXPECT_EQ(h.names.view(e.resource), "y:set");
}

TEST_F(HistoryBuilderTest, ABeliefThatEndedWhileItsProcessStoodStillEndedThen) {
  request(kAlice, 1, 0);
  record(trace::belief_begins, kAlice, 1);                                                    // time 2 ns
  record(trace::phase_begins, 0, static_cast<std::uint32_t>(Phase::heal));                    // time 3 ns
  record(trace::phase_begins, 0, static_cast<std::uint32_t>(Phase::settle));                  // time 4 ns
  record(trace::belief_ends, kAlice, 1, static_cast<std::uint64_t>(BeliefEnd::deadline), 3);  // written at 5 ns
  const History& h = build();
  ASSERT_EQ(h.beliefs.size(), 2u);
  EXPECT_EQ(h.beliefs[1].time, 3);
  EXPECT_EQ(h.beliefs[1].end, BeliefEnd::deadline);
  EXPECT_EQ(builder_->recording()->sources.at(h.beliefs[1].index), 4u) << "its place in the journal";
  EXPECT_LT(h.beliefs[1].index, h.phases[1].index);
}

TEST_F(HistoryBuilderTest, OperationsOfAReaderSaySo) {
  request(kAlice, 1, 0, HoldKind::whole, true);
  request(kBob, 2, 0);
  const auto operation = [&](NodeId node, HoldId hold, Function f, OperationEnd end) {
    record(trace::operation, node, hold, pack_operation(f, end, static_cast<std::int32_t>(node - kAlice)));
  };
  operation(kAlice, 1, Function::acquire, OperationEnd::invoked);
  operation(kAlice, 1, Function::acquire, OperationEnd::ok);
  record(trace::operation_value, kAlice, 0, static_cast<std::uint64_t>(kNoValue), 17);
  operation(kAlice, 1, Function::read, OperationEnd::invoked);
  operation(kAlice, 1, Function::read, OperationEnd::ok);
  operation(kAlice, 1, Function::release, OperationEnd::invoked);
  operation(kBob, 2, Function::acquire, OperationEnd::invoked);
  const History& h = build();
  std::vector<std::string> functions;
  for (const OperationEvent& e : h.operations) functions.emplace_back(h.names.view(h.functions[e.f]));
  EXPECT_EQ(functions,
            (std::vector<std::string>{"acquire-read", "acquire-read", "read", "read", "release-read", "acquire"}));
  EXPECT_EQ(h.operations[1].token, 17);
  EXPECT_EQ(h.holds[1].token, 17) << "a reader's token is that of its hold";
  EXPECT_EQ(h.names.view(h.operations[0].object), "x");
}

TEST_F(HistoryBuilderTest, ADeadProcessBelievesNothing) {
  request(kAlice, 1, 0);
  request(kBob, 2, 1);
  record(trace::belief_begins, kAlice, 1);
  record(trace::belief_begins, kBob, 2);
  record(trace::process_killed, kAlice, 0);
  const History& h = build();
  ASSERT_EQ(h.beliefs.size(), 3u);
  EXPECT_EQ(h.beliefs[2].hold, 1u);
  EXPECT_EQ(h.beliefs[2].end, BeliefEnd::died);
  ASSERT_EQ(h.processes.size(), 1u);
  EXPECT_EQ(h.processes[0].change, ProcessChange::died);
}

TEST_F(HistoryBuilderTest, NamesAreThoseOfAFreshHistoryWhateverTheRunBeforeNamed) {
  roster_.machines = {"world", "server"};
  request(kAlice, 1, 0);
  const auto told = [](const History& h) {
    std::string text;
    for (NameId id = 0; id < h.names.size(); ++id) text += std::string(h.names.view(id)) + ",";
    return text + std::string(h.names.view(h.holds.at(1).client)) + "@" + std::string(h.names.view(h.holds[1].lock));
  };
  const std::vector<TraceRecord> first = journal_;
  const std::string fresh = told(build());
  EXPECT_EQ(told(builder_->build(first)), fresh);
  record(kTaken, kServer, 1, kLost);
  EXPECT_NE(told(builder_->build(journal_)), fresh) << "the server is named";
  EXPECT_EQ(told(builder_->build(first)), fresh);
}

TEST_F(HistoryBuilderTest, IncidentsAreWhatHappenedToMachinesAndWhatNoJudgeWants) {
  request(kAlice, 1, 0);
  record(kTaken, kServer, 1);
  record(trace::process_killed, kAlice, 0);
  record(trace::clock_step, kBob, 0, 7);
  record(kJournal | 400, 0, 3);  // a kind that is not known here
  build();
  std::vector<TraceKind> kinds;
  for (const TraceRecord& r : builder_->incidents()) kinds.push_back(r.kind);
  EXPECT_EQ(kinds, (std::vector<TraceKind>{trace::process_killed, trace::clock_step, kJournal | 400}));
}

TEST_F(HistoryBuilderTest, ViewsSeeWhatTheJudgesSeeInTheSamePassAndChangeNoHistory) {
  request(kAlice, 1, 0);
  request(kBob, 2, 0);
  record(trace::belief_begins, kAlice, 1);
  record(kTaken, kServer, 1);
  record(kTaken, kServer, 2);
  record(trace::belief_ends, kAlice, 1, static_cast<std::uint64_t>(BeliefEnd::deadline), 4);  // late
  record(trace::process_killed, kServer, 0);
  const History plain = build();
  std::vector<std::unique_ptr<ServerViews>> views;
  views.push_back(std::make_unique<LabViews>(0));
  views.push_back(nullptr);  // the service has no view of y
  builder_->show_to(std::move(views));
  for (int times = 0; times < 2; ++times) {
    const History& seen = builder_->build(journal_);
    EXPECT_EQ(seen.grants.size(), plain.grants.size());
    EXPECT_EQ(seen.beliefs.size(), plain.beliefs.size());
    const std::vector<OwnersSeen>& changes = builder_->views().front()->changes();
    ASSERT_EQ(changes.size(), 3u) << "what they saw of the journal before is gone";
    EXPECT_EQ(changes[0].owners, (std::vector<HoldId>{1}));
    EXPECT_EQ(changes[1].owners, (std::vector<HoldId>{2}));
    EXPECT_TRUE(changes[2].owners.empty()) << "the server died";
  }
}

TEST_F(HistoryBuilderTest, ARecordingThatIsSharedIsNotWrittenOver) {
  request(kAlice, 1, 0);
  build();
  const Recording* const first = builder_->recording().get();
  builder_->build(journal_);
  EXPECT_EQ(builder_->recording().get(), first) << "it is used again";
  const std::shared_ptr<const Recording> kept = builder_->recording();
  request(kBob, 2, 0);
  builder_->build(journal_);
  EXPECT_NE(builder_->recording().get(), first);
  EXPECT_EQ(kept->history.holds.size(), 2u);
  EXPECT_EQ(builder_->history().holds.size(), 3u);
}

TEST_F(HistoryBuilderTest, TheEarliestOfServersAndJudgesCountsAndPartsAreHeardOfWithTheirWhole) {
  request(kAlice, 1, 2);
  request(kAlice, 2, 0, HoldKind::part);
  request(kAlice, 3, 1, HoldKind::part);
  request(kBob, 4, 0);
  build();
  const auto first_heard = [&](std::int64_t by_a_server) {
    return builder_->first_heard([&](std::vector<std::int64_t>& by_hold) {
      FirstHeard server;
      server.note(1, {by_a_server});
      server.merge_into(by_hold);
    });
  };
  constexpr std::int64_t kNever = FirstHeard::kNever;
  EXPECT_EQ(first_heard(9), (std::vector<std::int64_t>{kNever, 5, 5, 5, kNever}));  // a judge at 5 ns
  EXPECT_EQ(first_heard(2), (std::vector<std::int64_t>{kNever, 2, 2, 2, kNever}));
}

}  // namespace
}  // namespace picklock
