// Each lock model on histories small enough to see why.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "checker/models/check_file.hpp"

namespace picklock {
namespace {

// One event a word: process, function, type (? + - !, for invoke, ok, fail, info), then perhaps
// #hold and =token, e.g. "0a? 0a+=7 1r?#2".
History parse(const std::string& text) {
  const std::map<char, std::string> functions = {
      {'a', "acquire"}, {'r', "release"},       {'f', "refresh"},      {'e', "expire"},       {'w', "write"},
      {'d', "read"},    {'W', "acquire-write"}, {'R', "acquire-read"}, {'x', "release-read"}, {'y', "release-write"}};
  History h;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    OperationEvent e;
    e.index = static_cast<std::uint32_t>(h.operations.size());
    e.time = kNoTime;
    e.process = word[0] - '0';
    const NameId name = h.names.intern(functions.at(word[1]));
    std::size_t f = 0;
    while (f < h.functions.size() && h.functions[f] != name) ++f;
    if (f == h.functions.size()) h.functions.push_back(name);
    e.f = static_cast<std::uint8_t>(f);
    e.type = word[2] == '?'   ? OperationType::invoke
             : word[2] == '+' ? OperationType::ok
             : word[2] == '-' ? OperationType::fail
                              : OperationType::info;
    if (const auto at = word.find('#'); at != std::string::npos) {
      e.hold = static_cast<HoldId>(std::stoul(word.substr(at + 1)));
    }
    if (const auto at = word.find('='); at != std::string::npos) {
      e.token = std::stoll(word.substr(at + 1));
    }
    h.operations.push_back(e);
  }
  return h;
}

struct Case {
  const char* model;
  const char* history;
  const char* witness;  // indices; "": the history is valid; "?": undecided
};

const Case kCases[] = {
    {"mutex-ownerless", "0a? 0a+ 1r? 1r+ 2a? 2a+", ""},
    {"mutex-ownerless", "0a? 0a+ 1a? 1a+", "1 3"},
    {"mutex-ownerless", "0a? 0a+ 2r? 1a? 1a+ 2r+", ""},
    {"mutex-ownerless", "0a? 0a+ 2r? 1a? 1a+ 2r-", "2 4 5"},
    {"mutex-ownerless", "0a? 0a+ 1r? 1r+ 1r? 1r+", "3 4 5"},
    {"mutex-ownerless", "0a? 0a! 1r? 1r+ 2a? 2a+ 3a? 3a+", "5 7"},
    {"try-mutex", "0a? 0a+ 1a? 1a-", ""},
    {"try-mutex", "1a? 1a- 0a? 0a+", "0 1 2 3"},
    {"try-mutex", "1a? 0a? 1a- 0a+", ""},
    {"try-mutex", "0a? 0a+ 0r? 0r+ 1a? 1a-", "2 3 4 5"},
    {"try-mutex", "2a? 2a! 0a? 0a+ 0r? 0r+ 1a? 1a-", ""},
    {"try-mutex", "0a? 0a+ 0r? 0r! 1a? 1a-", ""},
    {"try-mutex", "2a? 2a! 0a? 0a+ 0r? 0r+ 1a? 1a- 3a? 3a+", "4 5 6 7 8 9"},
    {"reentrant-mutex:2", "0a? 0a+ 0a? 0a+ 0r? 0r+ 0r? 0r+ 1a? 1a+", ""},
    {"reentrant-mutex:2", "0a? 0a+ 0a? 0a+ 0r? 0r+ 1a? 1a+", "1 7"},
    {"reentrant-mutex:2", "0a? 0a+ 0a? 0a+ 0a? 0a+", "1 4 5"},
    {"fenced-mutex", "0a? 0a+=1 0r? 0r+ 1a? 1a+=3", ""},
    {"fenced-mutex", "0a? 0a+=3 0r? 0r+ 1a? 1a+=3", "1 4 5"},
    {"fenced-mutex", "0a? 0a+=0", "0 1"},
    {"fenced-mutex", "0a? 0a+", "?"},
    {"reentrant-fenced-mutex:2", "0a? 0a+=1 0a? 0a+=1 0r? 0r+ 0r? 0r+ 1a? 1a+=2", ""},
    {"reentrant-fenced-mutex:2", "0a? 0a+=1 0a? 0a+=2", "1 2 3"},
    {"fencing-tokens", "0a? 0a+=1 1a? 1a+=2 0w?=1 0w+=1 1w?=2 1w+=2", ""},
    {"fencing-tokens", "0a? 0a+=2 1a? 1a+=1", "1 2 3"},
    {"fencing-tokens", "0a? 1a? 0a+=2 1a+=1", ""},
    {"fencing-tokens", "0a? 1a? 0a+=2 1a+=2", "2 3"},
    {"fencing-tokens", "0a? 0a+=1 1a? 1a+=2 1w?=2 1w+=2 0w?=1 0w+=1", "5 6 7"},
    {"rw-mutex", "0R? 0R+ 1R? 1R+ 0x? 0x+ 1r? 1r+ 0W? 0W+", ""},
    {"rw-mutex", "0R? 0R+ 1W? 1W+", "1 3"},
    {"rw-mutex", "0W? 0W+ 1R? 1R+", "1 3"},
    {"rw-mutex", "0R? 0R+ 0y? 0y+", "1 2 3"},
    {"rw-mutex", "0W? 0W+ 0r? 1R? 1R+ 2R? 2R+ 0r-", "1 2 6 7"},
    {"semaphore:2", "0a? 0a+ 1a? 1a+ 0r? 0r+ 2a? 2a+", ""},
    {"semaphore:2", "0a? 0a+ 1a? 1a+ 2a? 2a+", "1 3 5"},
    {"semaphore:2", "0a? 0a+ 0a? 0a+ 0r? 0r+ 0r? 0r+ 0r? 0r+", "8 9"},
    {"semaphore:2", "0a? 0a+ 1a? 1a+ 0r? 2a? 2a+ 0r-", "1 3 4 6 7"},
    {"semaphore-ownerless:2", "0a? 0a+ 1a? 1a+ 2r? 2r+ 2a? 2a+", ""},
    {"semaphore-ownerless:2", "0a? 0a+ 1a? 1a+ 2a? 2a+", "1 3 5"},
    {"lease-mutex", "0a? 0a+ 1a? 1a+", "?"},
    {"lease-mutex", "0a? 0a+ 1a? 1a+ 0f? 0f+", "1 2 3 4 5"},
    {"lease-mutex", "1a? 0a? 0a+ 1a+ 0f? 0f+", ""},
    {"lease-mutex", "1a? 0a? 0a+ 1a+ 0f? 0f+ 1f? 1f+", "2 3 4 5 6 7"},
    {"lease-mutex", "0a? 0a+ 0r? 0r+ 0f? 0f+", "4 5"},
    {"lease-mutex", "0a? 0a+ 0f? 0f- 1a? 1a+ 1f? 1f+", ""},
    {"try-lease-mutex", "0a? 0a+ 0f? 0f- 1a? 1a+ 1f? 1f+", ""},
    {"try-lease-mutex", "0a? 0a+ 0f? 0f- 0f? 0f+", "1 2 3 4 5"},
    {"try-lease-mutex", "0a? 0a+ 0r? 0r- 0r? 0r+", "1 2 3 4 5"},
    {"try-lease-mutex", "0a? 0a+ 0f? 0f+ 0f? 0f- 0f? 0f-", ""},
    {"try-lease-mutex", "0f? 0f- 0a? 0a+ 0f? 0f+", ""},
    {"try-lease-mutex", "0a? 0a+ 0f? 0f- 0a? 0a+ 0f? 0f+", ""},
    {"try-lease-mutex", "0a?#1 0a+#1 5f?#1 0f?#1 0f+#1 5f-#1", ""},
    {"try-lease-mutex", "0a?#1 5f?#1 0a+#1 5f-#1 0f?#1 0f+#1", "?"},
    {"try-lease-mutex", "0a? 0a+ 0e? 0e- 0f? 0f+", ""},
    {"try-lease-mutex", "0a? 0a+ 1a? 1a+ 0f? 0f+", "1 2 3 4 5"},
    {"logged-lease-mutex", "0a?#1 0a+#1 1a?#2 1a+#2", "1 3"},
    {"logged-lease-mutex", "0a?#1 0a+#1 5e?#1 5e+#1 1a?#2 1a+#2", ""},
    {"logged-lease-mutex", "0a?#1 0a+#1 5e?#1 5e+#1 0f?#1 0f+#1", "4 5"},
};

TEST(LockModels, JudgeSmallHistories) {
  for (const Case& c : kCases) {
    HistoryCheckOptions options;
    options.model = c.model;
    const CheckResult r = check_history(parse(c.history), options);
    const std::string expected = c.witness;
    const auto verdict = expected.empty() ? Verdict::holds : expected == "?" ? Verdict::undecided : Verdict::violated;
    EXPECT_TRUE(r.verdict == verdict) << c.model << ": " << c.history << "\n" << r.explanation;
    std::string witness;
    for (const OperationEvent& e : r.events) {
      witness += (witness.empty() ? "" : " ") + std::to_string(e.index);
    }
    EXPECT_EQ(witness, expected == "?" ? "" : expected) << c.model << ": " << c.history;
    EXPECT_FALSE(r.explanation.empty());
  }
}

TEST(LockModels, SemaphoresBeginWithAsManyPermitsAsAreSaid) {
  const auto verdict = [](const char* model, const char* initial, const char* history) {
    HistoryCheckOptions options;
    options.model = model;
    options.initial = initial;
    return check_history(parse(history), options).verdict;
  };
  EXPECT_EQ(verdict("semaphore:2", "1", "0a? 0a+ 0r? 0r+ 1a? 1a+"), Verdict::holds);
  EXPECT_EQ(verdict("semaphore:2", "1", "0a? 0a+ 1a? 1a+"), Verdict::violated);
  EXPECT_EQ(verdict("semaphore:2", "0", "0a? 0a+"), Verdict::violated);
  EXPECT_EQ(verdict("semaphore:2", "2", "0a? 0a+ 1a? 1a+"), Verdict::holds);
  EXPECT_EQ(verdict("semaphore-ownerless:1", "0", "0r? 0r+ 1a? 1a+"), Verdict::holds);
  EXPECT_EQ(verdict("semaphore-ownerless:1", "0", "1a? 1a+ 0r? 0r+"), Verdict::violated);
  EXPECT_EQ(verdict("semaphore-ownerless:1", "0", "0r? 1a? 1a+ 0r+"), Verdict::holds);
  EXPECT_EQ(verdict("semaphore-ownerless:1", "1", "0r? 0r+ 1a? 1a+"), Verdict::violated);
  for (const char* const bad : {"3", "-1", "1.5", ":a", "\"1\"", "[", ""}) {
    if (*bad == 0) continue;
    EXPECT_THROW(verdict("semaphore:2", bad, "0a? 0a+"), std::invalid_argument) << bad;
  }
  EXPECT_THROW(verdict("mutex", "1", "0a? 0a+"), std::invalid_argument);
}

TEST(LockModels, SayWhatHappened) {
  const auto explain = [](const char* model, const char* history, const char* initial = "") {
    HistoryCheckOptions options;
    options.model = model;
    options.initial = initial;
    return check_history(parse(history), options).explanation;
  };
  EXPECT_EQ(explain("semaphore:2", "0a? 0a+ 1a? 1a+ 2a? 2a+"),
            "The lock has 2 permits, and 3 held one each at once: process 0, at index 1, process 1, "
            "at index 3 and process 2, at index 5.");
  EXPECT_EQ(
      explain("semaphore:2", "0a? 0a+", "0"),
      "Process 0 acquired the lock at index 1, though no permit was free at first and nobody had given one back.");
  EXPECT_EQ(explain("fenced-mutex", "0a? 0a+=3 0r? 0r+ 1a? 1a+=3"),
            "Process 1 (token 3) acquired the lock at index 5, after process 0 (token 3) had "
            "acquired it at index 1, and got a token that is not greater.");
  EXPECT_EQ(explain("try-mutex", "0a? 0a+ 0r? 0r+ 1a? 1a-"),
            "The attempt of process 1 to acquire the lock, invoked at index 4, failed at index 5 "
            "although the lock was surely free: it was released by process 0 at index 3, and "
            "no process acquired it any more.");
  EXPECT_EQ(explain("mutex", "0a?#1 1r?#1 1r+#1 0a-#1"),
            "The acquire of the lock by hold 1 of process 0, invoked at index 0, failed at index 3; without it what "
            "succeeded meanwhile is not possible.");
  EXPECT_EQ(
      explain("mutex", "0a?#1 0a+#1 1r?#1 2r?#1 3a?#2 3a+#2 1r-#1 2r-#1"),
      "Hold 1 of process 0 acquired the lock at index 1; its release, invoked at index 3, failed at index 7, so it "
      "held on. Meanwhile hold 2 of process 3 acquired it at index 5.");
  EXPECT_EQ(explain("lease-mutex", "0a? 0a+ 1a? 1a+ 0f? 0f+"),
            "Process 0 acquired the lock at index 1 and still held it when its refresh was invoked "
            "at index 4, since that succeeded; in between, process 1 asked for it at index 2 and "
            "acquired it at index 3.");
  EXPECT_EQ(explain("try-lease-mutex", "0a? 0a+ 0r? 0r- 0f? 0f+"),
            "Process 0 acquired the lock at index 1 and still held it when its refresh was invoked at index 4, since "
            "that succeeded; in between, its release, invoked at index 2, was refused at index 3 as if it did not "
            "hold.");
}

// The records of holds are used again and again.
TEST(LockModels, ForgetTheReleasesOfEarlierHolds) {
  const CheckResult r = check_history(parse("0a? 0a+ 0r? 0r+ 1a? 1a+ 2a? 2a+"));
  ASSERT_EQ(r.holds.size(), 2u);
  EXPECT_FALSE(r.holds[0].release.has_value());
  EXPECT_FALSE(r.holds[1].release.has_value());
}

// Case G at its worst: many owners with crashed releases and acquires that all have to be placed
// before an operation that has no possible place.
TEST(LockModels, GiveUpWithTheReasonPastTheirBound) {
  std::string text;
  for (int i = 1; i <= 9; ++i) {  // each name has one release to spend, and then two acquires open
    text += fmt::format("{0}a?#{0} {0}a+#{0} {0}r?#{0} {0}r!#{0} ", i);
  }
  History h = parse(text);
  const auto add = [&](std::int32_t process, std::uint8_t f, OperationType type, HoldId hold) {
    OperationEvent e;
    e.index = static_cast<std::uint32_t>(h.operations.size());
    e.time = kNoTime;
    e.process = process;
    e.f = f;
    e.type = type;
    e.hold = hold;
    h.operations.push_back(e);
  };
  constexpr HoldId kNames = 40;
  for (HoldId i = 10; i < 10 + kNames; ++i) {
    add(static_cast<std::int32_t>(100 + i), 1, OperationType::invoke, i);
    add(static_cast<std::int32_t>(100 + i), 1, OperationType::info, i);
    add(static_cast<std::int32_t>(200 + i), 0, OperationType::invoke, i);
  }
  for (std::int32_t i = 0; i < 50; ++i) {
    add(300 + i, 0, OperationType::invoke, 1000);
    add(300 + i, 0, OperationType::ok, 1000);
    add(300 + i, 1, OperationType::invoke, 1000);
    add(300 + i, 1, OperationType::ok, 1000);
  }
  const CheckResult r = check_history(h);
  EXPECT_TRUE(r.verdict == Verdict::undecided);
  EXPECT_NE(r.explanation.find("more ways"), std::string::npos) << r.explanation;
}

}  // namespace
}  // namespace picklock
