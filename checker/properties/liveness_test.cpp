// Never free again, starvation, overtaking: what a lock owes to those who wait.
#include <gtest/gtest.h>

#include <vector>

#include "checker/properties/history_lab.hpp"

namespace picklock {
namespace liveness_test {

constexpr std::int64_t kMs = 1'000'000;

// The probe is process 9.
struct Probed : ScriptedHistory {
  HoldId a = hold("a");
  Probed() {
    phase(100 * kMs, Phase::heal);
    phase(200 * kMs, Phase::settle);
    phase(300 * kMs, Phase::probe);
  }
  void probe(OperationType answer) {
    operation(310 * kMs, 9, OperationType::invoke, "acquire", "L");
    operation(400 * kMs, 9, answer, "acquire", "L");
  }
  Finding judged() {
    history = build();
    return finding_on(Property::never_free_again, history);
  }
  History history;
};

TEST(NeverFreeAgain, ARefusedProbeOfALockThatNobodyHolds) {
  Probed h;
  h.believes(h.a, 10 * kMs, 50 * kMs, BeliefEnd::died);
  h.granted(h.a, 10 * kMs, kWithoutEnd);
  h.probe(OperationType::fail);
  const Finding v = h.judged();
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(explain(v, h.history),
            "L was refused to the probe from 310.0 ms to 400.0 ms, though no client believed that "
            "it held it and no release was pending; the service still names a (hold 1)");
}

TEST(NeverFreeAgain, AGrantedProbe) {
  Probed h;
  h.believes(h.a, 10 * kMs, 50 * kMs);
  h.probe(OperationType::ok);
  EXPECT_EQ(h.judged().verdict, Verdict::holds);
}

TEST(NeverFreeAgain, ALiveBeliefLeavesItOpen) {
  Probed h;
  h.believes(h.a, 10 * kMs, 311 * kMs);
  h.probe(OperationType::fail);
  EXPECT_EQ(h.judged().reason, Reason::held_during_probe);
}

TEST(NeverFreeAgain, ABeliefThatEndsAsTheProbeBeginsDoesNot) {
  Probed h;
  h.believes(h.a, 10 * kMs, 310 * kMs);
  h.probe(OperationType::fail);
  EXPECT_EQ(h.judged().verdict, Verdict::violated);
}

TEST(NeverFreeAgain, APendingReleaseLeavesItOpenUnlessItsClientDied) {
  for (const bool dies : {false, true}) {
    Probed h;
    h.believes(h.a, 10 * kMs, 50 * kMs);
    h.operation(50 * kMs, 0, OperationType::invoke, "release", "L", h.a);
    if (dies) h.process("a", 60 * kMs, ProcessChange::died);
    h.probe(OperationType::fail);
    const Finding v = h.judged();
    EXPECT_EQ(v.verdict, dies ? Verdict::violated : Verdict::undecided);
    EXPECT_EQ(v.reason, dies ? Reason::none : Reason::held_during_probe);
  }
}

TEST(NeverFreeAgain, WithoutAnAnswerThereIsNoVerdict) {
  Probed unknown;
  unknown.probe(OperationType::info);
  EXPECT_EQ(unknown.judged().reason, Reason::probe_answer_unknown);
  Probed never;
  never.operation(310 * kMs, 9, OperationType::invoke, "acquire", "L");
  EXPECT_EQ(never.judged().reason, Reason::probe_unanswered);
  Probed nobody;
  EXPECT_EQ(nobody.judged().reason, Reason::no_probe);
}

// A dead server refuses the connection, and that is no refusal of the lock.
TEST(NeverFreeAgain, WithTooFewServersThereIsNoVerdict) {
  for (const OperationType answer : {OperationType::fail, OperationType::ok}) {
    Probed h;
    h.believes(h.a, 10 * kMs, 50 * kMs);
    h.probe(answer);
    JudgeOptions options;
    options.too_few_servers = true;
    const Finding v = finding_on(Property::never_free_again, h.build(), options);
    EXPECT_EQ(v.verdict, answer == OperationType::ok ? Verdict::holds : Verdict::undecided);
    EXPECT_EQ(v.reason, answer == OperationType::ok ? Reason::none : Reason::too_few_servers);
  }
}

TEST(NeverFreeAgain, AnAcquireOfTheProbeProvesNothingByItself) {
  Probed h;  // only the probe acquires
  h.probe(OperationType::ok);
  const Finding v = h.judged();
  EXPECT_EQ(v.reason, Reason::vacuous);
  EXPECT_EQ(v.missing, Sometimes::someone_acquired);
}

struct Waiting : ScriptedHistory {
  HoldId a = hold("a"), b = hold("b");
  JudgeOptions options;
  Waiting() {
    options.starvation_bound = 50;
    phase(100, Phase::heal);
    acquires(a, 0, 5);
    believes(a, 5, 90);
  }
  void b_waits(std::int64_t from, std::int64_t until) { acquires(b, from, until); }
  Finding judged() {
    history = build();
    return finding_on(Property::starvation, history, options);
  }
  History history;
};

TEST(Starvation, OnlyTheWaitAfterHealingCounts) {
  Waiting in_time;
  in_time.b_waits(10, 150);
  const Finding v = in_time.judged();
  EXPECT_EQ(v.verdict, Verdict::holds);
  EXPECT_EQ(v.measure, 50);
  Waiting late;
  late.b_waits(10, 151);
  EXPECT_EQ(late.judged().verdict, Verdict::violated);
  EXPECT_EQ(explain(finding_on(Property::starvation, late.history, late.options), late.history, late.options),
            "b (hold 2) asked for the lock at 10 ns and waited for 51 ns after healing; the bound "
            "is 50 ns");
}

TEST(Starvation, WhoStillWaitsAtTheEndIsJudgedByTheBound) {
  for (const std::int64_t end : {150, 151}) {
    Waiting h;
    h.operation(10, 1, OperationType::invoke, "acquire", "L");
    h.phase(end, Phase::end);
    const Finding v = h.judged();
    EXPECT_EQ(v.verdict, end == 150 ? Verdict::undecided : Verdict::violated);
    EXPECT_EQ(v.reason, end == 150 ? Reason::pending_at_end : Reason::none);
  }
}

TEST(Starvation, TheDeadDoNotWait) {
  Waiting h;
  h.operation(10, 1, OperationType::invoke, "acquire", "L", h.b);
  h.process("b", 110, ProcessChange::died);
  h.phase(1'000, Phase::end);
  EXPECT_EQ(h.judged().verdict, Verdict::holds);
}

TEST(Starvation, TheProbeDoesNotStarve) {
  Waiting h;
  h.b_waits(10, 120);
  h.phase(200, Phase::probe);
  h.operation(210, 9, OperationType::invoke, "acquire", "L");
  h.operation(900, 9, OperationType::fail, "acquire", "L");
  EXPECT_EQ(h.judged().verdict, Verdict::holds);
}

TEST(Starvation, WithoutBoundOrHealingOrPatienceThereIsNoVerdict) {
  Waiting unbounded;
  unbounded.options.starvation_bound = kNoTime;
  EXPECT_EQ(unbounded.judged().reason, Reason::no_bound);
  Waiting limited;
  limited.options.patience_limited = true;
  EXPECT_EQ(limited.judged().verdict, Verdict::not_applicable);
  ScriptedHistory unhealed;
  EXPECT_EQ(finding_on(Property::starvation, unhealed.build()).reason, Reason::no_healing);
}

// asked:    a b c d      granted: d b a c
TEST(Overtaking, CountsLaterRequestsThatWereGrantedEarlier) {
  ScriptedHistory h;
  std::vector<HoldId> holds;
  for (const char* client : {"a", "b", "c", "d"}) holds.push_back(h.hold(client));
  const std::int64_t granted[] = {30, 20, 40, 10};
  for (std::size_t i = 0; i < 4; ++i) {
    h.acquires(holds[i], static_cast<std::int64_t>(i), granted[i]);
    h.granted(holds[i], granted[i], granted[i] + 5);
  }
  const History history = h.build();
  const Finding v = finding_on(Property::overtaking, history);
  EXPECT_EQ(v.verdict, Verdict::not_applicable) << "nobody has set a limit";
  EXPECT_EQ(v.measure, 2);  // a was overtaken by d and b
  EXPECT_EQ(v.beside, 4);   // b by d, c by d
  JudgeOptions limit;
  limit.overtaking_limit = 1;
  const Finding over = finding_on(Property::overtaking, history, limit);
  EXPECT_EQ(over.verdict, Verdict::violated);
  EXPECT_EQ(explain(over, history, limit),
            "a (hold 1) was granted L at 30 ns after 2 requests that came later, the first of d "
            "(hold 4) at 10 ns; the limit is 1");
  limit.overtaking_limit = 2;
  EXPECT_EQ(finding_on(Property::overtaking, history, limit).verdict, Verdict::holds);

  // The time at which the service received the request counts, where it is known.
  const std::vector<std::int64_t> received{kNoTime, 9, 8, 9, 7};
  limit.received = received;
  EXPECT_EQ(finding_on(Property::overtaking, history, limit).measure, 0);
}

}  // namespace liveness_test
}  // namespace picklock
