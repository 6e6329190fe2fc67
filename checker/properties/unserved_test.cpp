// Unserved: acquires that are refused, or kept waiting, while nothing stands in their way.
#include "checker/properties/unserved.hpp"

#include <gtest/gtest.h>

#include "checker/properties/history_lab.hpp"

namespace picklock {
namespace unserved_test {

// a has L from 10 to 50; b asks for it.
struct Handover : ScriptedHistory {
  HoldId a = hold("a"), b = hold("b");
  JudgeOptions options;
  Handover() {
    options.unserved_bound = 100;
    acquires(a, 0, 10);
    granted(a, 8, 1'000);
    believes(a, 10, 50);
    grant(a, 50, GrantChange::released);
  }
  void b_asks(std::int64_t from, std::int64_t until, OperationType answer = OperationType::ok) {
    operation(from, 1, OperationType::invoke, "acquire", "L", b);
    operation(until, 1, answer, "acquire", "L", b);
  }
  Finding judged() {
    history = build();
    return finding_on(Property::unserved, history, options);
  }
  History history;
};

//   a  |==holds==|
//   b      |.....|~~~~woken late~~~~|==
TEST(Unserved, AWaiterThatIsWokenLate) {
  for (const std::int64_t woken : {150, 151}) {
    Handover h;
    h.b_asks(20, woken);
    const Finding v = h.judged();
    EXPECT_EQ(v.verdict, woken == 150 ? Verdict::holds : Verdict::violated);
    if (woken == 150) continue;
    EXPECT_EQ(v.measure, 101);
    EXPECT_EQ(
        explain(v, h.history, h.options),
        "b (hold 2) asked for L at 20 ns and was kept waiting for 101 ns while nothing stood in its way; the bound "
        "is 100 ns");
  }
}

// The service names the waiter from 50 on, but never tells it so.
TEST(Unserved, AWaiterWhoseOwnTurnItIs) {
  Handover h;
  h.granted(h.b, 50, 1'000);
  h.b_asks(20, 900);
  const Finding v = h.judged();
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.measure, 850);
}

TEST(Unserved, AnotherOwnerStandsInTheWayAlsoIfItIsAnOrphan) {
  Handover h;
  const HoldId c = h.hold("c");
  h.granted(c, 50, 1'000);
  h.b_asks(20, 900);
  EXPECT_EQ(h.judged().verdict, Verdict::holds);
}

TEST(Unserved, ARefusalAtAnyTimeIfNothingEverStoodInTheWay) {
  for (const std::int64_t asked : {49, 50, 60}) {
    Handover h;
    h.b_asks(asked, 70, OperationType::fail);
    const Finding v = h.judged();
    EXPECT_EQ(v.verdict, asked == 49 ? Verdict::holds : Verdict::violated) << asked;
    if (asked != 60) continue;
    EXPECT_EQ(explain(v, h.history, h.options),
              "b (hold 2) asked for L at 60 ns and was refused at 70 ns, though nothing stood in its way: the service "
              "named no other owner");
  }
}

// A free lock needs time as well; who has less gives up, and is not refused.
TEST(Unserved, WhoWaitsUntilItsPatienceIsOverIsKeptWaitingAtMost) {
  constexpr std::int64_t kMs = 1'000'000, kPatience[] = {kNoTime, 300 * kMs};
  for (const std::int64_t waited : {268, 269, 300, 401}) {
    Handover h;
    h.options.unserved_bound = 400 * kMs;
    h.options.patience = kPatience;
    h.b_asks(60, 60 + waited * kMs, OperationType::fail);
    const bool kept = waited > 400, refused = waited < 269;
    EXPECT_EQ(h.judged().verdict, kept || refused ? Verdict::violated : Verdict::holds) << waited;
  }
}

// tryLock() without a time: the service heard it while the lock had no other owner, and refused it.
TEST(Unserved, AMillisecondOfPatienceExcusesNoRefusalByTheService) {
  constexpr std::int64_t kMs = 1'000'000;
  for (const std::int64_t patience : {std::int64_t{0}, kMs}) {
    for (const bool heard : {true, false}) {
      for (const bool named : {true, false}) {
        Handover h;
        const std::int64_t all[] = {kNoTime, patience};
        const std::int64_t received[] = {kNoTime, 5, heard ? 65 : kNoTime};
        h.options.unserved_bound = 400 * kMs;
        h.options.patience = all;
        h.options.received = received;
        if (named) h.granted(h.b, 66, 1'000);
        h.b_asks(60, 70, OperationType::fail);
        EXPECT_EQ(h.judged().verdict, heard && !named ? Verdict::violated : Verdict::holds) << heard << named;
      }
    }
  }
}

TEST(Unserved, WhereServersVoteARefusalAloneShowsNothing) {
  Handover votes;
  votes.options.splits_votes = true;
  votes.b_asks(60, 70, OperationType::fail);
  EXPECT_EQ(votes.judged().verdict, Verdict::holds);
  Handover long_enough;
  long_enough.options.splits_votes = true;
  long_enough.b_asks(60, 161, OperationType::fail);
  EXPECT_EQ(long_enough.judged().verdict, Verdict::violated);
}

// Clients ask for ever, things move, and none gets in.
TEST(Unserved, ALivelock) {
  Handover h;
  for (std::int64_t t = 60; t < 900; t += 20) {
    const HoldId hold = h.hold("c");
    h.operation(t, 2, OperationType::invoke, "acquire", "L", hold);
    h.operation(t + 10, 2, OperationType::info, "acquire", "L", hold);
  }
  h.b_asks(20, 900, OperationType::fail);
  const Finding v = h.judged();
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.measure, 850);
}

TEST(Unserved, AClientThatStandsStillIsNotKeptWaiting) {
  for (const std::int64_t woken : {300, 301}) {
    Handover h;
    h.process("b", 60, ProcessChange::stopped);
    h.process("b", 200, ProcessChange::continued);
    h.b_asks(20, woken);
    EXPECT_EQ(h.judged().verdict, woken == 300 ? Verdict::holds : Verdict::violated);
  }
}

TEST(Unserved, AReaderWaitsForAWriterThatAskedBeforeOrAfterIt) {
  for (const bool writer : {false, true}) {
    ScriptedHistory h;
    const HoldId reads = h.hold("a", "L", HoldMode::read), writes = h.hold("b"),
                 later = h.hold("c", "L", HoldMode::read);
    JudgeOptions options;
    options.unserved_bound = 100;
    h.acquires(reads, 0, 10);
    h.granted(reads, 8, 1'000);
    h.believes(reads, 10, 500);
    if (writer) h.acquires(writes, 15, 600);
    h.acquires(later, 20, 400);
    EXPECT_EQ(finding_on(Property::unserved, h.build(), options).verdict, writer ? Verdict::holds : Verdict::violated);
  }
}

TEST(Unserved, WhoAsksAgainForWhatItHoldsWaitsForItselfUnlessTheLockIsReentrant) {
  for (const bool reentrant : {false, true}) {
    ScriptedHistory h;
    const HoldId a = h.hold("a");
    JudgeOptions options;
    options.unserved_bound = 100;
    options.reentrant = reentrant;
    h.acquires(a, 0, 10);
    h.granted(a, 8, 1'000);
    h.believes(a, 10);
    h.acquires(a, 20, 400);
    EXPECT_EQ(finding_on(Property::unserved, h.build(), options).verdict,
              reentrant ? Verdict::violated : Verdict::holds);
  }
}

TEST(Unserved, OfSemaphoresTheLastPermitStandsInTheWay) {
  for (const std::uint32_t permits : {1u, 2u}) {
    Handover h;
    h.options.permits = permits;
    const HoldId c = h.hold("c");
    h.granted(c, 50, 1'000);
    h.b_asks(60, 400);
    EXPECT_EQ(h.judged().verdict, permits == 1 ? Verdict::holds : Verdict::violated);
  }
}

TEST(Unserved, OfAMultiLockEachNameMustBeFree) {
  for (const bool taken : {false, true}) {
    ScriptedHistory h;
    const HoldId both = h.hold("a", "L+M"), left = h.hold("a", "L"), right = h.hold("a", "M"), other = h.hold("b", "M");
    JudgeOptions options;
    options.unserved_bound = 100;
    h.acquires(both, 0, 400);
    h.granted(left, 5, 1'000);  // its own half
    h.granted(right, 395, 1'000);
    h.believes(left, 400, 500);
    h.believes(right, 400, 500);
    if (taken) h.granted(other, 1, 1'000);
    if (taken) h.grant(other, 395, GrantChange::end);
    EXPECT_EQ(finding_on(Property::unserved, h.build(), options).verdict, taken ? Verdict::holds : Verdict::violated);
  }
}

TEST(Unserved, WhereFaultsMayDisturbTheServiceOnlyTheTimeAfterHealingCounts) {
  for (const std::int64_t woken : {400, 401}) {
    Handover h;
    h.options.counts_from_healing = true;
    h.phase(300, Phase::heal);
    h.b_asks(60, woken);
    EXPECT_EQ(h.judged().verdict, woken == 400 ? Verdict::holds : Verdict::violated);
  }
  Handover refused;
  refused.options.counts_from_healing = true;
  refused.phase(300, Phase::heal);
  refused.b_asks(60, 301, OperationType::fail);
  EXPECT_EQ(refused.judged().verdict, Verdict::holds) << "no server may have answered";
}

// A release of the probe may wake a waiter; without one the lock is as it was.
TEST(Unserved, WhoStillWaitsWhenTheProbeBeginsIsJudgedByTheBound) {
  for (const std::int64_t probed : {150, 151}) {
    Handover h;
    h.phase(probed, Phase::probe);
    h.b_asks(20, 160);
    const Finding v = h.judged();
    EXPECT_EQ(v.verdict, probed == 150 ? Verdict::undecided : Verdict::violated);
    EXPECT_EQ(v.reason, probed == 150 ? Reason::pending_at_end : Reason::none);
  }
}

TEST(Unserved, TheDeadAreNotKeptWaiting) {
  Handover h;
  h.operation(20, 1, OperationType::invoke, "acquire", "L", h.b);
  h.process("b", 60, ProcessChange::died);
  h.phase(900, Phase::end);
  EXPECT_EQ(h.judged().verdict, Verdict::holds);
}

}  // namespace unserved_test
}  // namespace picklock
