// Independent parts get turns: a hard one keeps neither time nor memory from the others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "checker/models/check_file.hpp"
#include "checker/models/sweep.hpp"

namespace picklock {
namespace {

CheckResult judged(const std::string& text, const HistoryCheckOptions& options) {
  TextSource source(text);
  return check_source(source, "text", options);
}

std::string line(const char* type, const char* f, int process, const std::string& value) {
  return fmt::format("{{:type :{}, :f :{}, :process {}, :value {}}}\n", type, f, process, value);
}

// Concurrent changes from a value to another that no order can chain, though each value is left as often as it is
// reached: the search has to try about 2^operations sets.
std::string hard(const std::string& key, int operations, int first_process) {
  std::string text;
  const auto value = [&](int i) {
    const int half = operations / 2, ring = i < half ? 0 : 1;
    return fmt::format("[{} [\"{}\" \"{}\"]]", key, ring * 100 + i % 7, ring * 100 + (i + 1) % 7);
  };
  text += line("invoke", "put", first_process, fmt::format("[{} \"0\"]", key));
  text += line("ok", "put", first_process, fmt::format("[{} \"0\"]", key));
  for (int i = 0; i < operations; ++i) text += line("invoke", "cas", first_process + i, value(i));
  for (int i = 0; i < operations; ++i) text += line("ok", "cas", first_process + i, value(i));
  return text;
}

std::string reads(const std::string& key, int process, const char* seen) {
  return line("invoke", "put", process, fmt::format("[{} \"a\"]", key)) +
         line("ok", "put", process, fmt::format("[{} \"a\"]", key)) +
         line("invoke", "get", process, fmt::format("[{} nil]", key)) +
         line("ok", "get", process, fmt::format("[{} \"{}\"]", key, seen));
}

TEST(Turns, AHardKeyDoesNotHideAViolation) {
  const std::string text = hard("1", 44, 100) + reads("2", 0, "a") + reads("3", 0, "b");
  const CheckResult r = judged(text, {.model = "kv"});
  EXPECT_EQ(r.verdict, Verdict::violated);
  ASSERT_TRUE(r.partial);
  EXPECT_EQ(r.partial->part, "key 3");
  EXPECT_EQ(r.parts.decided(), 2u);
  EXPECT_EQ(r.parts.undecided.count, 1u);
  EXPECT_NE(r.explanation.find("Parts: 1 valid, 1 INVALID (key 3), 1 undecided (key 1)."), std::string::npos)
      << r.explanation;
}

TEST(Turns, TheKeysThatAreNotDecidedAreNamed) {
  const std::string text = hard("1", 44, 100) + reads("2", 0, "a");
  const CheckResult r = judged(text, {.model = "kv", .memory = 1'000'000});
  EXPECT_EQ(r.verdict, Verdict::undecided);
  EXPECT_NE(r.explanation.find("configurations of key 1"), std::string::npos) << r.explanation;
  EXPECT_NE(r.explanation.find("Parts: 1 valid, 1 undecided (key 1)."), std::string::npos) << r.explanation;
}

TEST(Turns, AKeyThatFillsTheMemoryGivesItBack) {
  const std::string text = hard("1", 44, 100) + hard("2", 12, 200) + reads("3", 0, "a");
  const CheckResult r = judged(text, {.model = "kv", .memory = 1'000'000});
  EXPECT_EQ(r.verdict, Verdict::violated) << r.explanation;  // key 2
  EXPECT_EQ(r.partial->part, "key 2");
  const CheckResult alone = judged(hard("1", 44, 100) + reads("3", 0, "a"), {.model = "kv", .memory = 1'000'000});
  EXPECT_EQ(alone.verdict, Verdict::undecided);
  EXPECT_NE(alone.explanation.find("The memory allowed, 1 MB, was full"), std::string::npos) << alone.explanation;
  EXPECT_NE(alone.explanation.find("1 undecided (key 1)"), std::string::npos) << alone.explanation;
}

// A check without a witness ends with the first violation found: that of the key that occurs first.
TEST(Turns, AVerdictAloneEndsWithAnyViolation) {
  const std::string text = line("invoke", "put", 0, "[2 \"a\"]") + line("ok", "put", 0, "[2 \"a\"]") +
                           reads("3", 1, "b") + line("invoke", "get", 0, "[2 nil]") +
                           line("ok", "get", 0, "[2 \"b\"]") + reads("4", 2, "a");
  const CheckResult shown_first = judged(text, {.model = "kv"});
  EXPECT_EQ(shown_first.partial->part, "key 3");
  EXPECT_TRUE(shown_first.minimal);
  EXPECT_EQ(shown_first.parts.decided(), 3u);
  const CheckResult found_first = judged(text, {.model = "kv", .verdict_only = true});
  EXPECT_EQ(found_first.verdict, Verdict::violated);
  EXPECT_EQ(found_first.partial->part, "key 2");
  EXPECT_FALSE(found_first.minimal);
  EXPECT_EQ(found_first.parts.decided(), 1u);
}

// A valid history in which the operation that returns next is the wrong one to begin with.
TEST(Turns, ManyClientsOnOneRegister) {
  std::string text;
  constexpr int kClients = 29, kRounds = 40;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kClients; ++i) {
      text += line("invoke", i % 2 == 0 ? "write" : "read", i, i % 2 == 0 ? fmt::to_string(i % 5) : "nil");
    }
    for (int i = kClients - 1; i >= 0; --i) {  // each read sees the write before it
      text += line("ok", i % 2 == 0 ? "write" : "read", i, fmt::to_string((i % 2 == 0 ? i : i - 1) % 5));
    }
  }
  const CheckResult r = judged(text, {.model = "register"});
  EXPECT_EQ(r.verdict, Verdict::holds) << r.explanation;
}

// Bytes that a history of many locks adds to what the process holds.
TEST(Memory, FollowsTheLocksAndProcessesThatOccur) {
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    for (const char* f : {"acquire", "release"}) {
      for (const char* type : {"invoke", "ok"}) {
        text += fmt::format("{{:type :{}, :f :{}, :process {}, :object \"l{}\"}}\n", type, f, 60'000 + i, i);
      }
    }
  }
  const CheckResult r = judged(text, {.memory = 10'000'000});  // it took 2.1 GB while arrays were indexed by process
  EXPECT_EQ(r.verdict, Verdict::holds) << r.explanation;
}

// Locks that rest have no model, and say the same as locks that are awake.
TEST(Memory, ALockThatNobodyUsesTakesLittle) {
  for (const char* const model : {"mutex", "fenced-mutex", "rw-mutex", "semaphore:2", "lease-mutex", "try-mutex",
                                  "mutex-ownerless", "fencing-tokens", "logged-lease-mutex"}) {
    History tables;
    Sweep sweep(find_model(model), tables);
    constexpr std::uint32_t kLocks = 20'000;
    for (const char* const f : {"acquire", "release"}) tables.functions.push_back(tables.names.intern(f));
    OperationEvent e;
    for (std::uint32_t i = 0; i < kLocks; ++i) {
      e.object = 10 + i;
      e.process = static_cast<std::int32_t>(i);
      for (const std::uint8_t f : std::array<std::uint8_t, 3>{0, 1, 0}) {  // held at the end
        e.f = f;
        e.token = f == 0 ? e.index + 1 : kNoToken;
        for (const OperationType type : {OperationType::invoke, OperationType::ok}) {
          e.type = type;
          sweep.feed(e);
          ++e.index;
        }
      }
    }
    EXPECT_LT(sweep.memory(), kLocks * 400U + 4'000'000U) << model << ": 200 bytes a lock and a process, and the awake";
    EXPECT_EQ(sweep.finish().verdict, Verdict::holds) << model;
  }
}

// Holds that are never given back: nested ones, readers of one lock, permits, leases whose clients died.
TEST(Memory, HoldsThatLastTakeLittle) {
  struct Lasting {
    const char* model;
    const char* function;
    std::uint32_t locks, clients, times;
  };
  for (const Lasting& c :
       {Lasting{"reentrant-mutex:5", "acquire", 20'000, 1, 3}, Lasting{"rw-mutex", "acquire-read", 1, 20'000, 1},
        Lasting{"semaphore:20000", "acquire", 1, 20'000, 1}, Lasting{"lease-mutex", "acquire", 1, 20'000, 1},
        Lasting{"lease-mutex", "acquire", 4'000, 5, 1}, Lasting{"lease-mutex", "refresh", 4'000, 5, 1}}) {
    History tables;
    Sweep sweep(find_model(c.model), tables);
    const bool refreshes = std::string_view(c.function) == "refresh";
    for (const char* const f : {refreshes ? "acquire" : c.function, "refresh"}) {
      tables.functions.push_back(tables.names.intern(f));
    }
    OperationEvent e;
    for (std::uint32_t i = 0; i < c.locks * c.clients; ++i) {
      e.object = tables.names.intern(fmt::to_string(i / c.clients));
      e.process = static_cast<std::int32_t>(i);
      for (std::uint32_t time = 0; time < c.times + refreshes; ++time) {
        e.f = refreshes && time == 1 ? 1 : 0;
        for (const OperationType type : {OperationType::invoke, OperationType::ok}) {
          e.type = type;
          sweep.feed(e);
          ++e.index;
        }
      }
    }
    const std::size_t allowed = (c.locks + std::size_t{c.locks} * c.clients) * 200 + 4'000'000;
    EXPECT_LT(sweep.memory(), allowed) << c.model << ", " << c.function << ", " << c.locks << " locks";
    EXPECT_EQ(sweep.finish().verdict, Verdict::holds) << c.model;
  }
}

// Acquires (0) and releases (1), event by event, each acquire that succeeds with a token above those before it.
class Fed {
 public:
  explicit Fed(const char* model) : sweep(find_model(model), tables) {
    for (const char* const f : {"acquire", "release"}) tables.functions.push_back(tables.names.intern(f));
  }
  void operator()(std::int32_t process, std::uint8_t f, OperationType type, HoldId hold = kNoHold,
                  NameId lock = kNoName) {
    event_.process = process;
    event_.f = f;
    event_.type = type;
    event_.hold = hold;
    event_.object = lock == kNoName ? kNoName : tables.names.intern(fmt::to_string(lock));
    event_.token = f == 0 && type == OperationType::ok ? event_.index + 1 : kNoToken;
    sweep.feed(event_);
    ++event_.index;
  }

  History tables;
  Sweep sweep;

 private:
  OperationEvent event_;
};

// Calls that stay open, or whose outcome is unknown: the last of each client, on its own lock or on a common one.
TEST(Memory, CallsThatDoNotEndTakeLittle) {
  struct Ending {
    const char* model;
    bool owners;  // named ones
    bool one_lock;
  };
  for (const Ending& c :
       {Ending{"mutex", false, false}, Ending{"mutex", true, false}, Ending{"mutex", false, true},
        Ending{"rw-mutex", false, false}, Ending{"semaphore:2", true, false}, Ending{"semaphore:20000", false, true},
        Ending{"reentrant-mutex:3", false, false}, Ending{"fenced-mutex", false, false},
        Ending{"logged-lease-mutex", true, false}, Ending{"try-mutex", false, false}, Ending{"try-mutex", false, true},
        Ending{"lease-mutex", false, false}, Ending{"lease-mutex", true, false}, Ending{"lease-mutex", false, true},
        Ending{"mutex-ownerless", false, false}, Ending{"mutex-ownerless", false, true},
        Ending{"fencing-tokens", false, false}, Ending{"fencing-tokens", false, true}}) {
    for (const bool releases : {false, true}) {
      for (const OperationType last : {OperationType::invoke, OperationType::info}) {
        if (c.one_lock && releases && std::string_view(c.model) != "semaphore:20000") continue;
        Fed feed(c.model);
        Sweep& sweep = feed.sweep;
        constexpr std::uint32_t kClients = 20'000;
        for (std::uint32_t i = 0; i < kClients; ++i) {
          const NameId lock = feed.tables.names.intern(fmt::format("l{}", c.one_lock ? 0 : i));
          const auto client = static_cast<std::int32_t>(i);
          const HoldId hold = c.owners ? i + 1 : kNoHold;
          if (releases) {
            feed(client, 0, OperationType::invoke, hold, lock);
            feed(client, 0, OperationType::ok, hold, lock);
          }
          feed(client, releases ? 1 : 0, OperationType::invoke, hold, lock);
          if (last != OperationType::invoke) feed(client, releases ? 1 : 0, last, hold, lock);
        }
        const std::size_t allowed = (c.one_lock ? kClients : 2U * kClients) * 200U + 4'000'000U;
        const std::string what =
            fmt::format("{}{}{}, {} {}", c.model, c.owners ? ", named owners" : "", c.one_lock ? ", one lock" : "",
                        releases ? "releases" : "acquires", last == OperationType::invoke ? "open" : "crashed");
        EXPECT_LT(sweep.memory(), allowed) << what;
        const Verdict verdict = sweep.finish().verdict;
        EXPECT_NE(verdict, Verdict::violated) << what;
      }
    }
  }
}

// Owners that go on after a crash, so that every lock has a search of its own: one that releases without a known outcome and
// acquires again, or whose release another owner's acquire settles; once or several times, with names or without.
TEST(Memory, LocksThatAreSearchedTakeLittle) {
  for (const char* const model : {"mutex", "rw-mutex", "semaphore:2", "reentrant-mutex:2", "fenced-mutex",
                                  "reentrant-fenced-mutex:2", "try-mutex", "lease-mutex", "try-lease-mutex",
                                  "logged-lease-mutex", "mutex-ownerless", "semaphore-ownerless:2"}) {
    for (const bool same : {true, false}) {
      for (const bool named : {true, false}) {
        for (const int times : {1, 4}) {
          Fed feed(model);
          Sweep& sweep = feed.sweep;
          constexpr std::uint32_t kLocks = 10'000;
          for (std::uint32_t i = 0; i < kLocks; ++i) {
            const NameId lock = 10 + i;
            const auto first = static_cast<std::int32_t>(2 * i);
            for (int time = 0; time <= times; ++time) {
              const std::int32_t client = same ? first : first + time % 2;
              const HoldId hold = named ? static_cast<HoldId>(client) + 1 : kNoHold;
              feed(client, 0, OperationType::invoke, hold, lock);
              feed(client, 0, OperationType::ok, hold, lock);
              if (time == times) break;
              feed(client, 1, OperationType::invoke, hold, lock);
              feed(client, 1, OperationType::info, hold, lock);
            }
          }
          const std::string what = fmt::format("{}, {}, {} times{}", model, same ? "the same client" : "another one",
                                               times, named ? ", named owners" : "");
          const std::size_t processes = same ? kLocks : 2 * kLocks;
          EXPECT_LT(sweep.memory(), (kLocks + processes) * 200U + 4'000'000U) << what;
          EXPECT_NE(sweep.finish().verdict, Verdict::violated) << what;
        }
      }
    }
  }
}

// A lock whose model was dropped and made again from what it was told says the same, whatever comes next.
TEST(Memory, ASearchThatRestsGoesOnAsBefore) {
  for (const char* const model : {"mutex", "semaphore:2", "reentrant-mutex:2", "try-mutex", "lease-mutex"}) {
    for (std::uint32_t bits = 0; bits < 1U << 12; ++bits) {
      const auto played = [&](std::size_t awake) {
        Fed feed(model);
        feed.sweep.keep_awake(awake);
        for (std::uint32_t i = 0; i < 6; ++i) {  // two bits for each of six calls, of two clients
          const auto client = static_cast<std::int32_t>(bits >> (2 * i) & 1);
          const bool known = (bits >> (2 * i + 1) & 1) != 0;
          const auto f = static_cast<std::uint8_t>(i % 2);
          feed(client, f, OperationType::invoke);
          feed(client, f, known ? OperationType::ok : OperationType::info);
        }
        const ModelResult r = feed.sweep.finish();
        return fmt::format("{} {}", static_cast<int>(r.verdict), r.holds.size());
      };
      EXPECT_EQ(played(0), played(1)) << model << ", " << bits;
    }
  }
}

TEST(NothingIsDropped, AFunctionThatTheModelDoesNotKnow) {
  const std::string text = line("invoke", "acquire", 0, "nil") + line("ok", "acquire", 0, "nil") +
                           line("invoke", "unlok", 0, "nil") + line("ok", "unlok", 0, "nil");
  EXPECT_EQ(judged(text, {}).skipped, (std::vector<std::pair<std::string, std::uint64_t>>{{"unlok", 1}}));
  try {
    judged(text, {.ignored = std::vector<std::string>{}});
    FAIL();
  } catch (const ReadError& error) {
    EXPECT_EQ(error.line, 3u);
    EXPECT_NE(std::string(error.what()).find("found the function 'unlok', which the model 'mutex' does not know"),
              std::string::npos)
        << error.what();
  }
  try {
    judged(text, {.ignored = std::vector<std::string>{"unlokk"}});
    FAIL();
  } catch (const ReadError& error) {
    EXPECT_NE(std::string(error.what()).find("(was it meant by 'unlokk'?)"), std::string::npos) << error.what();
  }
  const CheckResult r = judged(text, {.ignored = std::vector<std::string>{"unlok"}});
  EXPECT_EQ(r.verdict, Verdict::holds);
  EXPECT_EQ(r.skipped.size(), 1u);
}

TEST(NothingIsDropped, AWordThatNoRecordHas) {
  const std::string text = line("invoke", "lock", 0, "nil") + line("ok", "lock", 0, "nil");
  const auto error_of = [&](const HistoryCheckOptions& options) -> std::string {
    try {
      judged(text, options);
      return "none";
    } catch (const ReadError& error) {
      return error.what();
    }
  };
  HistoryCheckOptions options;
  options.functions = {{"lok", "acquire"}};
  EXPECT_NE(error_of(options).find("no record with the function 'lok', expected one of lock; did you mean 'lock'?"),
            std::string::npos)
      << error_of(options);
  options.functions = {{"lock", "acquire"}};
  EXPECT_EQ(error_of(options), "none");
  options.fields.types = {{"invoked", "invoke"}};
  EXPECT_NE(error_of(options).find("no record with the type 'invoked'"), std::string::npos) << error_of(options);
  options.fields.types = {};
  options.fields.keys = {{"proces", "process"}};
  EXPECT_NE(error_of(options).find("did you mean 'process'?"), std::string::npos) << error_of(options);
}

TEST(NothingIsDropped, TimesThatRunBackwardsAreCounted) {
  const std::string text =
      "{:type :invoke, :f :acquire, :process 0, :time 5} {:type :ok, :f :acquire, :process 0, :time 9}"
      "{:type :invoke, :f :release, :process 0, :time 4} {:type :ok, :f :release, :process 0, :time 10}";
  const CheckResult r = judged(text, {});
  EXPECT_EQ(r.backwards, 1u);
  EXPECT_EQ(r.first_backwards, 2u);
}

}  // namespace
}  // namespace picklock
