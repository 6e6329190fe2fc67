#include "checker/models/mutex.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/io/history_reader.hpp"
#include "checker/io/history_writer.hpp"
#include "checker/models/check_file.hpp"
#include "checker/models/exhaustive_lab.hpp"

namespace picklock {
namespace mutex_test {

// One event a word: process, function (a or r), type (? ok fail info), e.g. "0a? 0aok 1a?"; a hold
// may follow: "0a?#1".
History parse(const std::string& text) {
  History h;
  h.functions = {h.names.intern("acquire"), h.names.intern("release")};
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    at = end + 1;
    OperationEvent event;
    if (const std::size_t hash = word.find('#'); hash != std::string::npos) {
      event.hold = static_cast<HoldId>(std::stoul(word.substr(hash + 1)));
      word.resize(hash);
    }
    event.index = static_cast<std::uint32_t>(h.operations.size());
    event.time = kNoTime;
    event.process = word[0] - '0';
    event.f = word[1] == 'a' ? 0 : 1;
    const std::string type = word.substr(2);
    event.type = type == "?"      ? OperationType::invoke
                 : type == "ok"   ? OperationType::ok
                 : type == "fail" ? OperationType::fail
                                  : OperationType::info;
    h.operations.push_back(event);
  }
  return h;
}

std::vector<std::uint32_t> indices(const std::vector<OperationEvent>& events) {
  std::vector<std::uint32_t> out;
  for (const OperationEvent& event : events) out.push_back(event.index);
  return out;
}

struct Case {
  const char* history;
  Verdict verdict;
  std::vector<std::uint32_t> witness;
};

TEST(Mutex, JudgesSmallHistories) {
  constexpr auto kHolds = Verdict::holds;
  constexpr auto kViolated = Verdict::violated;
  const Case cases[] = {
      {"0a? 0aok 0r? 0rok 1a? 1aok", kHolds, {}},
      {"0a? 1a? 0aok 1aok", kViolated, {2, 3}},
      {"0a? 0aok 0a? 0aok", kViolated, {1, 3}},
      {"0a? 0aok 1a? 0r? 1aok 0rok", kHolds, {}},  // released before it returned
      {"0a? 0aok 1a? 0r? 1aok 0rinfo", kHolds, {}},
      {"0a? 0aok 1a? 0r? 1aok", kHolds, {}},
      {"0a? 0aok 1a? 0r? 1aok 0rfail", kViolated, {1, 3, 4, 5}},
      {"0a? 0aok 0r? 0rfail 1a? 1aok", kViolated, {1, 5}},
      {"0a? 0aok 0r? 0rfail 0r? 0rok 1a? 1aok", kHolds, {}},
      {"0a? 0aok 0r? 1a? 1aok 1r? 1rok 2a? 2aok 0rfail", kViolated, {1, 2, 8, 9}},
      {"0a? 0ainfo 1a? 1aok", kHolds, {}},
      {"0a? 0afail 1a? 1aok", kHolds, {}},
      {"0r? 0rok", kViolated, {0, 1}},
      {"0r? 0rfail 0r? 0rinfo 1a?", Verdict::undecided, {}},
      {"0a? 0aok 1r? 1rok", kViolated, {1, 2, 3}},
      {"0a? 0aok 0r? 0rok 0r? 0rok", kViolated, {4, 5}},
      // A process that lives on after a crash.
      {"0a? 0ainfo 0r? 0rok 1a? 1aok", kHolds, {}},
      {"0a? 0aok 0r? 0rinfo 0a? 0aok 1a? 1aok", kViolated, {5, 7}},
      {"0a? 0ainfo 0a? 0aok 0r? 0rok 1a? 1aok 2a? 2aok", kViolated, {7, 9}},
      {"0a? 0a? 0aok 0r? 0rok", kHolds, {}},
      // Owners are holds.
      {"0a?#1 0aok#1 1r?#1 1rok#1 1a?#2 1aok#2", kHolds, {}},
      {"0a?#1 0aok#1 0r?#2 0rok#2", kViolated, {1, 2, 3}},
      {"0a?#1 0aok#1 0r?#1 0rinfo#1 0r?#1 0rok#1 1a?#2 1aok#2", kHolds, {}},
      {"0a?#1 0aok#1 0r?#1 0rinfo#1 1a?#2 1aok#2 0r?#1 0rok#1", kViolated, {5, 6, 7}},
      {"0a?#1 0aok#1 0r?#1 0rinfo#1 0r?#1 1a?#2 1aok#2 0rok#1", kHolds, {}},
      {"0a?#1 0aok#1 0r?#1 0rinfo#1 1a?#2 1aok#2 0r?#1 0rfail#1", kHolds, {}},
      {"0a?#1 0ainfo#1 0r?#1 0rok#1", kHolds, {}},
  };
  for (const Case& c : cases) {
    const CheckResult result = check_history(parse(c.history));
    EXPECT_TRUE(result.verdict == c.verdict) << c.history << "\n" << result.explanation;
    EXPECT_EQ(indices(result.events), c.witness) << c.history;
    EXPECT_FALSE(result.explanation.empty());
    EXPECT_LE(result.holds.size(), 2u);
  }
}

TEST(Mutex, SaysWhatHappened) {
  EXPECT_EQ(check_history(parse("0a? 1a? 0aok 1aok 1r?")).explanation,
            "Process 0 acquired the lock at index 2 and had not released it when process 1 acquired "
            "it at index 3.");
  EXPECT_EQ(check_history(parse("0a? 0aok 1a? 0r? 1aok 0rfail")).explanation,
            "Process 0 acquired the lock at index 1; its release, invoked at index 3, failed at "
            "index 5, so it held on. Meanwhile process 1 acquired it at index 4.");
  EXPECT_EQ(check_history(parse("0a?#3 0aok#3 1r? 1rok")).explanation,
            "Process 1 did not hold the lock, yet its release, invoked at index 2, succeeded at "
            "index 3; the holder then was hold 3 of process 0, since index 1.");
}

TEST(Mutex, FollowsTheHoldsOfTheWitnessToTheirEnds) {
  const CheckResult r = check_history(parse("0a? 1a? 0aok 1aok 2a? 1r? 0r? 0rok 1rfail 1r? 1rok"));
  ASSERT_EQ(r.holds.size(), 2u);
  EXPECT_EQ(r.holds[0].acquire.index, 0u);
  EXPECT_EQ(r.holds[0].release->index, 6u);
  EXPECT_EQ(r.holds[0].release_ended->index, 7u);
  EXPECT_EQ(r.holds[1].release->index, 5u);
  EXPECT_EQ(r.holds[1].release_ended->type, OperationType::fail);
  EXPECT_EQ(r.operations, 6u);
}

TEST(Exhaustive, KnowsTheObvious) {
  const PlainSpec mutex = plain_spec("mutex");
  EXPECT_TRUE(is_linearizable(parse("0a? 0aok 1a? 0r? 1aok 0rok"), mutex));
  EXPECT_FALSE(is_linearizable(parse("0a? 0aok 1a? 1aok"), mutex));
  EXPECT_TRUE(is_linearizable(parse("0a? 0ainfo 0r? 0rok 1a? 1aok"), mutex));
}

}  // namespace mutex_test
}  // namespace picklock
