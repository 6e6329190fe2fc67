#include "checker/graph/precedence.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "checker/graph/dot.hpp"
#include "checker/graph/holds.hpp"
#include "checker/models/check_file.hpp"

namespace picklock {
namespace {

// Clients that acquire and release by turns; what they are told is drawn, so that about half of the
// histories are those of a mutex.
History random_history(std::mt19937& random) {
  enum class Client { idle, acquiring, holding, releasing, crashed };
  History h;
  h.functions = {h.names.intern("acquire"), h.names.intern("release")};
  Client clients[3] = {};
  int holders = 0;
  const auto add = [&](std::int32_t process, std::uint8_t f, OperationType type) {
    OperationEvent e;
    e.index = static_cast<std::uint32_t>(h.operations.size());
    e.time = kNoTime;
    e.process = process;
    e.f = f;
    e.type = type;
    h.operations.push_back(e);
  };
  const std::size_t events = 4 + random() % 12;
  for (std::size_t i = 0; i < events; ++i) {
    const auto process = static_cast<std::int32_t>(random() % 3);
    Client& c = clients[process];
    switch (c) {
      case Client::idle:
        add(process, 0, OperationType::invoke);
        c = Client::acquiring;
        break;
      case Client::holding:
        add(process, 1, OperationType::invoke);
        c = Client::releasing;
        break;
      case Client::acquiring: {
        const std::size_t how = random() % 12;
        if (how == 0) {
          add(process, 0, OperationType::info);
          c = Client::crashed;
        } else if (how < 4) {
          add(process, 0, OperationType::fail);
          c = Client::idle;
        } else if (holders == 0 || random() % 4 == 0) {
          add(process, 0, OperationType::ok);
          ++holders;
          c = Client::holding;
        }
        break;
      }
      case Client::releasing: {
        const std::size_t how = random() % 8;
        add(process, 1, how == 0 ? OperationType::info : how == 1 ? OperationType::fail : OperationType::ok);
        c = how == 0 ? Client::crashed : how == 1 ? Client::holding : Client::idle;
        if (how != 1) --holders;
        break;
      }
      case Client::crashed:
        break;
    }
  }
  return h;
}

TEST(Precedence, AContradictionExactlyWhereTheMutexIsViolated) {
  std::mt19937 random(6);
  std::size_t violated = 0, held = 0;
  for (int round = 0; round < 5000; ++round) {
    const History h = random_history(random);
    const CheckResult result = check_history(h);
    if (result.operations == 0) continue;
    const bool expected = result.verdict == Verdict::violated;
    const PrecedenceGraph whole = precedence_of(holds_in(h), {});
    const auto contradiction = shortest_contradiction(whole);
    EXPECT_EQ(!contradiction.empty(), expected) << "round " << round;
    (expected ? violated : held) += 1;
    if (!expected) continue;
    EXPECT_EQ(contradiction.size(), 2u) << "two holds, each before the other";
    // The witness alone is as much of a contradiction.
    ASSERT_EQ(result.holds.size(), 2u);
    EXPECT_EQ(shortest_contradiction(precedence_of(result.holds, {})).size(), 2u);
  }
  EXPECT_GT(violated, 500u);
  EXPECT_GT(held, 500u);
}

// A hold from its four indices; end 0: never released. The token, if any, is the acquire's.
WitnessHold hold(std::int32_t process, std::uint32_t asked, std::uint32_t got, std::uint32_t gives_up = 0,
                 std::uint32_t gone = 0, std::int64_t token = kNoToken) {
  const auto event = [&](std::uint32_t index, OperationType type) {
    OperationEvent e;
    e.time = kNoTime;
    e.process = process;
    e.index = index;
    e.type = type;
    return e;
  };
  WitnessHold h{event(asked, OperationType::invoke), event(got, OperationType::ok), {}, {}};
  h.acquired.token = token;
  if (gives_up != 0) h.release = event(gives_up, OperationType::invoke);
  if (gone != 0) h.release_ended = event(gone, OperationType::ok);
  return h;
}

std::string words(const std::vector<WitnessHold>& holds, const PrecedenceOptions& options) {
  const PrecedenceGraph graph = precedence_of(holds, options);
  std::string out;
  for (const PrecedenceStep& step : shortest_contradiction(graph)) {
    out += in_words(graph, step) + ".\n";
  }
  return out;
}

TEST(Precedence, TwoHoldsInWords) {
  EXPECT_EQ(words({hold(3, 1, 4, 9, 10), hold(0, 5, 6, 11, 12)}, {}),
            "The release by process 3 comes before the acquire by process 0: only one may hold, and "
            "the turn was first with process 3, who acquired at index 4, before process 0 at index "
            "6.\n"
            "The acquire by process 0 comes before the release by process 3: it returned at index "
            "6, and the other was invoked at index 9.\n");
}

TEST(Precedence, AMissingReleaseComesAfterEverything) {
  const std::string text = words({hold(3, 1, 4), hold(0, 5, 6)}, {});
  EXPECT_NE(text.find("never released the lock"), std::string::npos) << text;
}

TEST(Precedence, TokensAgainstRealTime) {
  const std::vector<WitnessHold> apart = {hold(1, 1, 2, 3, 4, 7), hold(2, 5, 6, 7, 8, 5)};
  EXPECT_EQ(words(apart, {.exclusive = false, .tokens = false}), "");
  const std::string text = words(apart, {.exclusive = false, .tokens = true});
  EXPECT_NE(text.find("5 < 7"), std::string::npos) << text;
  EXPECT_NE(text.find("it returned at index 2"), std::string::npos) << text;
  // Overlapping grants may come in either order.
  const std::vector<WitnessHold> together = {hold(1, 1, 3, 4, 5, 7), hold(2, 2, 6, 7, 8, 5)};
  EXPECT_EQ(words(together, {.exclusive = false, .tokens = true}), "");
  EXPECT_EQ(words({hold(1, 1, 2, 3, 4, 5), hold(2, 5, 6, 7, 8, 5)}, {.exclusive = true, .tokens = true})
                    .find("both were granted with token 5") != std::string::npos,
            true);
}

TEST(Precedence, FencedHoldsInTheOrderOfTheirReturnsGrowTokens) {
  // The cores are disjoint, and the acquires overlap: only together do handover and token bite.
  const std::vector<WitnessHold> holds = {hold(1, 1, 3, 4, 5, 7), hold(2, 2, 6, 7, 8, 5)};
  const PrecedenceGraph graph = precedence_of(holds, {.exclusive = true, .tokens = true});
  const auto steps = shortest_contradiction(graph);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].reason, Precedes::program);
  EXPECT_EQ(steps[1].reason, Precedes::handover);
  EXPECT_EQ(steps[2].reason, Precedes::token);
}

TEST(Dot, IsWhatGraphvizReads) {
  const std::vector<WitnessHold> holds = {hold(3, 1, 4), hold(0, 5, 6, 11, 12)};
  const PrecedenceGraph graph = precedence_of(holds, {});
  std::string text = to_dot(graph, shortest_contradiction(graph));
  EXPECT_NE(text.find("handover"), std::string::npos);
  EXPECT_NE(text.find("never released"), std::string::npos);
  text += to_dot("a \"hostile\"\nname", {{"x\"]; evil [\\", "g\\\"", true}, {"\x01\n<b>", "", false}},
                 {{0, 1, "]->\"", true}});
  if (std::system("dot -V > /dev/null 2>&1") != 0) GTEST_SKIP() << "Graphviz is not installed";
  const std::string file =
      (std::filesystem::temp_directory_path() / ("picklock_dot_" + std::to_string(std::rand()))).string();
  std::ofstream(file) << text;
  EXPECT_EQ(std::system(("dot -Tsvg " + file + " > /dev/null").c_str()), 0) << text;
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace picklock
