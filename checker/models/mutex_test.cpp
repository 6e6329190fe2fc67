#include "checker/models/mutex.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "checker/io/history_reader.hpp"
#include "checker/io/history_writer.hpp"
#include "checker/models/check_file.hpp"
#include "checker/models/exhaustive.hpp"

namespace picklock {
namespace {

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
  Judgement judgement;
  std::vector<std::uint32_t> witness;
};

TEST(Mutex, JudgesSmallHistories) {
  constexpr auto kHolds = Judgement::holds;
  constexpr auto kViolated = Judgement::violated;
  constexpr auto kUndecided = Judgement::undecided;
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
      {"0a? 0aok 0r? 1a? 1aok 1r? 1rok 2a? 2aok 0rfail", kViolated, {1, 2, 4, 9}},
      {"0a? 0ainfo 1a? 1aok", kHolds, {}},
      {"0a? 0afail 1a? 1aok", kHolds, {}},
      {"0r? 0rok", kViolated, {0, 1}},
      {"0r? 0rfail 0r? 0rinfo 1a?", kHolds, {}},
      {"0a? 0aok 1r? 1rok", kViolated, {1, 2, 3}},
      {"0a? 0aok 0r? 0rok 0r? 0rok", kViolated, {4, 5}},
      // A process that lives on after a crash.
      {"0a? 0ainfo 0r? 0rok 1a? 1aok", kUndecided, {}},
      {"0a? 0aok 0r? 0rinfo 0a? 0aok 1a? 1aok", kUndecided, {}},
      {"0a? 0ainfo 0a? 0aok 0r? 0rok 1a? 1aok 2a? 2aok", kViolated, {7, 9}},
      {"0a? 0a? 0aok 0r? 0rok", kHolds, {}},
      // Owners are holds.
      {"0a?#1 0aok#1 1r?#1 1rok#1 1a?#2 1aok#2", kHolds, {}},
      {"0a?#1 0aok#1 0r?#2 0rok#2", kViolated, {1, 2, 3}},
      {"0a?#1 0aok#1 0r?#1 0rinfo#1 0r?#1 0rok#1 1a?#2 1aok#2", kHolds, {}},
      {"0a?#1 0aok#1 0r?#1 0rinfo#1 1a?#2 1aok#2 0r?#1 0rok#1", kViolated, {1, 2, 3, 5}},
      {"0a?#1 0aok#1 0r?#1 0rinfo#1 0r?#1 1a?#2 1aok#2 0rok#1", kHolds, {}},
      {"0a?#1 0aok#1 0r?#1 0rinfo#1 1a?#2 1aok#2 0r?#1 0rfail#1", kHolds, {}},
      {"0a?#1 0ainfo#1 0r?#1 0rok#1", kUndecided, {}},
  };
  for (const Case& c : cases) {
    const CheckResult result = check_history(parse(c.history));
    EXPECT_TRUE(result.judgement == c.judgement) << c.history << "\n" << result.explanation;
    EXPECT_EQ(indices(result.events), c.witness) << c.history;
    EXPECT_FALSE(result.explanation.empty());
    EXPECT_LE(result.holds.size(), 2u);
  }
}

TEST(Mutex, SaysWhatHappened) {
  EXPECT_EQ(
      check_history(parse("0a? 1a? 0aok 1aok 1r?")).explanation,
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

// splitmix64
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t n) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) % n);
  }
  bool percent(std::uint32_t p) { return below(100) < p; }

 private:
  std::uint64_t state_;
};

enum class Crash { ends_the_process, is_outlived };

// A real mutex whose answers are now and then wrong.
History random_history(Random& random, Owner owner, Crash crash) {
  History h;
  h.functions = {h.names.intern("acquire"), h.names.intern("release")};
  struct Client {
    std::int32_t process = 0;
    bool busy = false;
    bool applied = false;  // did the mutex get to it, and did it agree?
    bool agreed = false;
    OperationEvent invoke;
    HoldId hold = kNoHold;  // that it thinks it has
  };
  std::vector<Client> clients(2 + random.below(3));
  std::int32_t fresh = 0;
  for (Client& client : clients) client.process = fresh++;
  std::int64_t owner_now = -1;
  HoldId holds = 0;
  const std::uint32_t lies = random.below(4) * 20;
  const std::uint32_t events = 4 + random.below(20);
  while (h.operations.size() < events) {
    Client& client = clients[random.below(static_cast<std::uint32_t>(clients.size()))];
    OperationEvent event = client.invoke;
    event.index = static_cast<std::uint32_t>(h.operations.size());
    if (!client.busy) {
      event = OperationEvent{};
      event.index = static_cast<std::uint32_t>(h.operations.size());
      event.process = client.process;
      const bool release = random.percent(client.hold != kNoHold ? 80 : 12);
      event.f = release ? 1 : 0;
      if (owner == Owner::hold) {
        event.hold = !release                               ? ++holds
                     : client.hold != kNoHold || holds == 0 ? client.hold
                                                            : 1 + random.below(holds);
        if (event.hold == kNoHold) continue;
      }
      client.invoke = event;
      client.busy = true;
      client.applied = client.agreed = false;
      h.operations.push_back(event);
      continue;
    }
    const bool acquire = event.f == 0;
    const std::int64_t key = owner == Owner::hold ? event.hold : event.process;
    if (!client.applied) {
      client.agreed = owner_now == (acquire ? -1 : key);
      if (acquire && !client.agreed && random.percent(70)) continue;  // waits
      client.applied = true;
      if (client.agreed) owner_now = acquire ? key : -1;
      if (random.percent(50)) continue;
    }
    if (random.percent(12)) {
      event.type = OperationType::info;
      client.hold = random.percent(50) ? client.hold : kNoHold;
      if (crash == Crash::ends_the_process) {
        client.process = fresh++;
        client.hold = owner == Owner::hold ? client.hold : kNoHold;
      }
      if (random.percent(20)) {  // no completion at all
        client.busy = false;
        continue;
      }
    } else {
      const bool says = client.agreed != random.percent(lies);
      event.type = says ? OperationType::ok : OperationType::fail;
      if (says) client.hold = acquire ? (owner == Owner::hold ? event.hold : 1) : kNoHold;
    }
    client.busy = false;
    h.operations.push_back(event);
  }
  return h;
}

struct Tally {
  int holds = 0, violated = 0, undecided = 0;
};

int times() {  // PICKLOCK_ROUNDS multiplies the histories
  const char* const text = std::getenv("PICKLOCK_ROUNDS");
  return text == nullptr ? 1 : std::atoi(text);
}

Tally compare(Owner owner, Crash crash, int rounds, std::uint64_t seed) {
  Random random(seed);
  Tally tally;
  for (int i = 0; i < rounds * times(); ++i) {
    const History history = random_history(random, owner, crash);
    const bool expected = mutex_is_linearizable(history, owner);
    const CheckResult result = check_history(history);
    if (result.judgement == Judgement::undecided) {
      const bool vacuous = result.explanation.find("no operation") != std::string::npos;
      if (!vacuous) ++tally.undecided;
      continue;
    }
    const bool found = result.judgement != Judgement::violated;
    EXPECT_EQ(found, expected) << write_history_text(history) << result.explanation;
    if (found != expected) break;
    ++(found ? tally.holds : tally.violated);
    if (!found) {
      EXPECT_LE(result.events.size(), 4u);
    }
  }
  return tally;
}

TEST(Mutex, AgreesWithExhaustiveSearch) {
  const Tally tally = compare(Owner::process, Crash::ends_the_process, 20'000, 1);
  EXPECT_EQ(tally.undecided, 0);
  EXPECT_GT(tally.holds, 6'000);
  EXPECT_GT(tally.violated, 6'000);
}

TEST(Mutex, AgreesWhereTheHoldIsTheOwner) {
  const Tally tally = compare(Owner::hold, Crash::is_outlived, 20'000, 2);
  EXPECT_GT(tally.holds, 4'000);
  EXPECT_GT(tally.violated, 4'000);
  EXPECT_LT(tally.undecided, 4'000 * times());
}

TEST(Mutex, IsRightOrUndecidedWhereProcessesOutliveTheirCrashes) {
  const Tally tally = compare(Owner::process, Crash::is_outlived, 20'000, 3);
  EXPECT_GT(tally.holds, 4'000);
  EXPECT_GT(tally.violated, 4'000);
  EXPECT_LT(tally.undecided, 8'000 * times());
}

TEST(Exhaustive, KnowsTheObvious) {
  EXPECT_TRUE(mutex_is_linearizable(parse("0a? 0aok 1a? 0r? 1aok 0rok"), Owner::process));
  EXPECT_FALSE(mutex_is_linearizable(parse("0a? 0aok 1a? 1aok"), Owner::process));
  EXPECT_TRUE(mutex_is_linearizable(parse("0a? 0ainfo 0r? 0rok 1a? 1aok"), Owner::process));
}

}  // namespace
}  // namespace picklock
