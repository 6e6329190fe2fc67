// The report on a checked history, word by word: testdata/*.txt, which
// PICKLOCK_REWRITE_GOLDEN=1 reports_tests rewrites.

#include "reports/check/check_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "reports/check/drawing.hpp"
#include "reports/check/explanation.hpp"

namespace picklock {
namespace {

void expect_golden(const std::string& text, const std::string& name) {
  const std::string path = fmt::format("{}/reports/check/testdata/{}", PICKLOCK_SOURCE_DIR, name);
  if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
    GTEST_SKIP() << "rewrote " << path;
  }
  std::stringstream expected;
  expected << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, expected.str()) << name;
}

// A witness of an invalid history, event by event.
class ToldWitness {
 public:
  ToldWitness(const std::string& model, const std::string& explanation) {
    r_.model = model;
    r_.verdict = Verdict::violated;
    r_.explanation = explanation;
    r_.operations = 12;
    r_.tables.functions = {r_.tables.names.intern("acquire"), r_.tables.names.intern("release"),
                           r_.tables.names.intern("read")};
  }

  // Indices of: asked, got it, gives it up, was answered. 0: not at all.
  WitnessHold& hold(std::int32_t process, std::uint32_t asked, std::uint32_t got, std::uint32_t gives_up = 0,
                    std::uint32_t answered = 0, OperationType how = OperationType::ok) {
    WitnessHold h{event(process, 0, asked, OperationType::invoke), event(process, 0, got, OperationType::ok), {}, {}};
    if (gives_up != 0) h.release = event(process, 1, gives_up, OperationType::invoke);
    if (answered != 0) h.release_ended = event(process, 1, answered, how);
    r_.holds.push_back(h);
    r_.events.push_back(h.acquired);
    return r_.holds.back();
  }
  OperationEvent event(std::int32_t process, std::uint8_t f, std::uint32_t index, OperationType type) {
    OperationEvent e;
    e.process = process;
    e.f = f;
    e.index = index;
    e.time = timed ? std::int64_t{index} * 1'250'000 : kNoTime;
    e.type = type;
    return e;
  }
  std::string text() const { return check_text("history.edn", r_); }

  CheckResult r_;
  bool timed = true;
};

TEST(CheckText, TwoHoldsOfAMutex) {
  ToldWitness w("mutex", "Process 3 acquired the lock and had not released it when process 0 acquired it.");
  w.hold(3, 1104, 1109);
  w.hold(0, 1117, 1119, 1130, 1131);
  expect_golden(w.text(), "mutex.txt");
}

TEST(CheckText, AReleaseThatFailedAndNoTimes) {
  ToldWitness w("mutex", "Process 1 held on after its release failed.");
  w.timed = false;
  w.hold(1, 4, 5, 8, 12, OperationType::fail);
  w.hold(2, 6, 9, 14);
  expect_golden(w.text(), "failed_release.txt");
}

TEST(CheckText, FourHoldsOfThreePermits) {
  ToldWitness w("semaphore:3", "Four processes held at once, and there are three permits.");
  w.hold(1, 1, 2, 20, 21);
  w.hold(2, 3, 6, 18, 19);
  w.hold(3, 4, 5);
  w.hold(4, 7, 9, 16, 0);
  expect_golden(w.text(), "semaphore.txt");
}

TEST(CheckText, TokensThatDoNotGrow) {
  ToldWitness w("fenced-mutex", "The token fell from 7 to 5.");
  w.hold(1, 1, 3, 4, 5).acquired.token = 7;
  w.hold(2, 6, 8, 9, 10).acquired.token = 5;
  expect_golden(w.text(), "fenced.txt");
}

TEST(CheckText, AnAttemptThatWasRefusedAFreeLock) {
  ToldWitness w("try-mutex", "Process 2 was refused although no process held the lock.");
  w.hold(1, 1, 2, 3, 4);
  w.r_.events.push_back(w.event(2, 0, 6, OperationType::invoke));
  w.r_.events.push_back(w.event(2, 0, 8, OperationType::fail));
  w.hold(3, 10, 11);
  expect_golden(w.text(), "failed_attempt.txt");
}

TEST(CheckText, AReleaseByOneWhoDidNotHold) {
  ToldWitness w("mutex", "Process 2 did not hold the lock, yet its release succeeded.");
  w.hold(1, 1, 2);
  w.r_.events.push_back(w.event(2, 1, 3, OperationType::invoke));
  w.r_.events.push_back(w.event(2, 1, 4, OperationType::ok));
  expect_golden(w.text(), "wrong_release.txt");
}

TEST(CheckText, ACrashedReleaseIsOpen) {
  ToldWitness w("logged-lease-mutex", "Two cores overlap.");
  w.hold(1, 1, 2, 9, 11, OperationType::info);
  w.hold(2, 3, 5, 12, 13);
  expect_golden(w.text(), "lease.txt");
}

TEST(CheckText, APartialLinearization) {
  ToldWitness w("register", "No order of the operations fits the model.");
  PartialLinearization p;
  p.part = "key 3";
  p.initial = "nil";
  const auto operation = [&](std::uint32_t invoked, std::uint32_t ended, const std::string& what,
                             const std::string& state) {
    return PlacedOperation{w.event(1, 2, invoked, OperationType::invoke), w.event(1, 2, ended, OperationType::ok), what,
                           state};
  };
  for (std::uint32_t i = 0; i < 15; ++i)
    p.placed.push_back(operation(2 * i, 2 * i + 1, "write " + std::to_string(i), std::to_string(i)));
  p.stuck = operation(40, 41, "read 3", "");
  FailedCandidate c{p.stuck.invoke, p.stuck.end, "read 3", false, "", "the register is 14"};
  p.candidates = {c};
  c.operation = "write 7";
  c.possible = true;
  c.state = "7";
  c.why = "every continuation ends further back";
  p.candidates.push_back(c);
  p.configurations = 321;
  w.r_.partial = p;
  expect_golden(w.text(), "partial.txt");
}

TEST(CheckText, AValidHistoryIsOneLineAndItsReason) {
  ToldWitness w("mutex", "All 12 operations fit.");
  w.r_.verdict = Verdict::holds;
  EXPECT_EQ(w.text(), "history.edn: valid as mutex (12 operations)\n  All 12 operations fit.\n");
}

TEST(Drawing, NothingIsNothing) { EXPECT_EQ(draw_operations({}), ""); }

}  // namespace
}  // namespace picklock
