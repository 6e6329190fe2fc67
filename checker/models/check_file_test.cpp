#include "checker/models/check_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

#include "checker/models/models.hpp"

namespace picklock {
namespace {

CheckResult check(std::string_view text, const HistoryCheckOptions& options = {}) {
  TextSource source(text);
  return check_source(source, "text", options);
}

const char* const kGood = "{:type :invoke, :f :acquire, :process 0} {:type :ok, :f :acquire, :process 0, :value 7}";

TEST(CheckFile, TellsWhatItRead) {
  const CheckResult result = check(kGood);
  EXPECT_EQ(result.verdict, Verdict::holds);
  EXPECT_EQ(result.model, "mutex");
  EXPECT_EQ(result.operations, 1u);
  EXPECT_EQ(result.records, 2u);
  EXPECT_EQ(result.format, Format::edn);
  EXPECT_EQ(result.explanation, "All 1 operations fit the model 'mutex'.");
  EXPECT_EQ(check("[{\"type\":\"invoke\",\"f\":\"acquire\",\"process\":0}]").format, Format::json);
}

TEST(CheckFile, PlacesACompletionWithoutItsInvoke) {
  try {
    check(std::string(kGood) + "\n  {:type :ok, :f :release, :process 3}");
    FAIL();
  } catch (const ReadError& error) {
    EXPECT_STREQ(error.what(),
                 "text:2:3: found the ok of a release by process 3, which waits for nothing, "
                 "expected a completion of what the process invoked");
  }
}

TEST(CheckFile, IsUndecidedWithoutAnAcquire) {
  const CheckResult result = check(
      "{:type :invoke, :f :lock, :process 0} {:type :ok, :f :lock, :process 0}"
      "{:type :info, :f :unlock, :process :nemesis}");
  EXPECT_EQ(result.verdict, Verdict::undecided);
  EXPECT_NE(result.explanation.find("lock, unlock"), std::string::npos) << result.explanation;
  EXPECT_EQ(check("").verdict, Verdict::undecided);
}

// The clients' work under the lock is left out unasked, and counted; other histories have to say so.
TEST(CheckFile, LeavesOutTheWorkOfARun) {
  const std::string run = "{:type :info, :f :history, :process :picklock, :omniscient true}";
  const std::string work =
      "{:type :invoke, :f :acquire, :process 0} {:type :ok, :f :acquire, :process 0}"
      "{:type :invoke, :f :append, :process 0} {:type :ok, :f :append, :process 0}"
      "{:type :invoke, :f :final-read, :process 0} {:type :ok, :f :final-read, :process 0}";
  HistoryCheckOptions options;
  options.ignored = std::vector<std::string>{};
  for (const CheckResult& result :
       {check(run + work, options), check_history(read_history_text(run + work), options)}) {
    EXPECT_EQ(result.verdict, Verdict::holds);
    EXPECT_EQ(result.operations, 1U);
    EXPECT_EQ(result.skipped, (std::vector<std::pair<std::string, std::uint64_t>>{{"append", 1}, {"final-read", 1}}));
  }
  EXPECT_THROW(check(work, options), ReadError);
  EXPECT_THROW(check(run + "{:type :invoke, :f :refresh, :process 0}", options), ReadError) << "no work of a run's";
}

// Functions that no client calls need not be known: those of the nemesis, and those of the table alone.
TEST(CheckFile, AsksForFunctionsOfClientsAlone) {
  HistoryCheckOptions options;
  options.ignored = std::vector<std::string>{};
  const std::string nemesis = "{:type :info, :f :start, :process :nemesis}";
  EXPECT_EQ(check(nemesis + kGood, options).verdict, Verdict::holds);
  History unused = read_history_text(std::string(kGood));
  unused.functions.insert(unused.functions.begin(), unused.names.intern("read"));
  for (OperationEvent& e : unused.operations) ++e.f;
  EXPECT_EQ(check_history(unused, options).verdict, Verdict::holds);
}

TEST(CheckFile, SuspectsTimesOfOtherUnits) {
  const auto hint = [](std::int64_t from, std::int64_t to, std::optional<std::int64_t> unit = {}) {
    HistoryCheckOptions options;
    options.fields.time_unit = unit;
    const auto event = [](const char* type, std::int64_t time) {
      return "{:type :" + std::string(type) + ", :f :acquire, :process 0, :time " + std::to_string(time) + "}";
    };
    return check(event("invoke", from) + event("ok", to), options).likely_time_unit;
  };
  EXPECT_EQ(hint(1'714'564'800, 1'714'565'000), "s");
  EXPECT_EQ(hint(1'714'564'800'000, 1'714'565'000'000), "ms");
  EXPECT_EQ(hint(1'714'564'800'000'000, 1'714'565'000'000'000), "us");
  EXPECT_EQ(hint(1'714'564'800'000'000'000, 1'714'565'000'000'000'000), "");
  EXPECT_EQ(hint(0, 1'714'565'000), "") << "nanoseconds since the start";
  EXPECT_EQ(hint(1'000'000'000, 3'000'000'000), "") << "two seconds of nanoseconds, or sixty years of seconds";
  EXPECT_EQ(hint(1'714'564'800, 1'714'565'000, 1), "") << "said to be nanoseconds";
}

TEST(CheckFile, MapsForeignFunctions) {
  HistoryCheckOptions options;
  options.functions = {{"lock", "acquire"}};
  const char* const text =
      "{:type :invoke, :f :lock, :process 0} {:type :ok, :f :lock, :process 0}"
      "{:type :invoke, :f :lock, :process 1} {:type :ok, :f :lock, :process 1}";
  EXPECT_EQ(check(text, options).verdict, Verdict::violated);
  EXPECT_EQ(check_history(read_history_text(text), options).verdict, Verdict::violated);
}

TEST(CheckFile, KeepsLocksApart) {
  const std::string two =
      "{:type :invoke, :f :acquire, :process 0, :object :a}"
      "{:type :ok, :f :acquire, :process 0}"
      "{:type :invoke, :f :acquire, :process 1, :object :b}"
      "{:type :ok, :f :acquire, :process 1}";
  EXPECT_EQ(check(two).verdict, Verdict::holds);
  const CheckResult result = check(two +
                                   "{:type :invoke, :f :acquire, :process 2, :object :b}"
                                   "{:type :ok, :f :acquire, :process 2}");
  EXPECT_EQ(result.verdict, Verdict::violated);
  EXPECT_NE(result.explanation.find("lock 'b'"), std::string::npos) << result.explanation;
}

TEST(CheckFile, KnowsItsModels) {
  EXPECT_EQ(find_model("mutex").info, &models()[0]);
  for (const char* name : {"mutx", "mutex:3", "", ":"}) {
    EXPECT_THROW(find_model(name), std::invalid_argument) << name;
  }
  try {
    find_model("mutx");
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "there is no model 'mutx'; did you mean 'mutex'?");
  }
  try {
    find_model("earthquake");
  } catch (const std::invalid_argument& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("there is no model 'earthquake'; the models are mutex, "))
        << error.what();
  }
}

// Writes itself while it is read: as long as one likes, and nowhere stored.
class EndlessClients final : public ByteSource {
 public:
  EndlessClients(std::uint32_t operations, bool json) : left_(operations), json_(json) {}

  std::size_t read(char* into, std::size_t room) override {
    while (text_.size() < room && left_ > 0) add();
    const std::size_t count = std::min(text_.size(), room);
    std::copy_n(text_.data(), count, into);
    text_.erase(0, count);
    return count;
  }

 private:
  void add() {
    for (const char* type : {"invoke", "ok"}) {
      const char* const f = left_ % 2 == 0 ? "acquire" : "release";
      fmt::format_to(std::back_inserter(text_),
                     fmt::runtime(json_ ? "{{\"type\":\"{}\",\"f\":\"{}\",\"process\":{},\"time\":{},"
                                          "\"value\":\"v{}\",\"index\":{}}}\n"
                                        : "{{:type :{}, :f :{}, :process {}, :time {}, :value "
                                          "\"v{}\", :index {}}}\n"),
                     type, f, (left_ + left_ % 2) / 2 % 30, std::uint64_t{index_} * 1000, index_, index_);
      ++index_;
    }
    --left_;
  }

  std::uint32_t left_;
  bool json_;
  std::uint32_t index_ = 0;
  std::string text_;
};

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(CheckFile, MemoryDoesNotGrowWithTheFile) {
  for (const bool json : {false, true}) {
    EndlessClients warm_up(2'000, json);
    check_source(warm_up, "warm-up");
    const long before = peak_kilobytes();
    EndlessClients clients(200'000, json);
    const CheckResult result = check_source(clients, "endless");
    EXPECT_EQ(result.verdict, Verdict::holds) << result.explanation;
    EXPECT_EQ(result.operations, 200'000u);
    EXPECT_LT(peak_kilobytes() - before, 8 * 1024);
  }
}

TEST(CheckFile, KeepsItsBounds) {
  EndlessClients clients(2'000'000, false);
  HistoryCheckOptions options;
  options.timeout = std::chrono::nanoseconds(1);
  const CheckResult late = check_source(clients, "endless", options);
  EXPECT_EQ(late.verdict, Verdict::undecided);
  EXPECT_NE(late.explanation.find("time allowed"), std::string::npos) << late.explanation;

  options.timeout = {};
  options.memory = 1;
  EndlessClients others(100'000, false);
  const CheckResult full = check_source(others, "endless", options);
  EXPECT_EQ(full.verdict, Verdict::undecided);
  EXPECT_NE(full.explanation.find("memory allowed"), std::string::npos) << full.explanation;
}

// Histories of real systems, which are not part of this project.
std::string shared_data(const std::string& file) {
  const char* const shared = std::getenv("PICKLOCK_SHARED");
  const std::filesystem::path folder =
      shared != nullptr ? std::filesystem::path(shared) : std::filesystem::path(PICKLOCK_SOURCE_DIR) / ".." / "shared";
  const auto path = folder / "data" / file;
  return std::filesystem::exists(path) ? path.string() : std::string();
}

void etcd_is_violated(const std::string& file, Format format) {
  const std::string path = shared_data(file);
  if (path.empty()) GTEST_SKIP() << "skipped: " << file << " is not here (see PICKLOCK_SHARED)";
  const CheckResult result = check_file(path);
  EXPECT_EQ(result.format, format);
  EXPECT_EQ(result.operations, 563u);
  EXPECT_EQ(result.verdict, Verdict::violated);
  ASSERT_EQ(result.holds.size(), 2u);
  EXPECT_EQ(result.holds[0].acquired.process, 3);
  EXPECT_EQ(result.holds[0].acquired.index, 1109u);
  EXPECT_EQ(result.holds[0].release->index, 1115u);
  EXPECT_EQ(result.holds[0].release_ended->index, 1120u);
  EXPECT_EQ(result.holds[0].release_ended->type, OperationType::fail);
  EXPECT_EQ(result.holds[1].acquired.process, 0);
  EXPECT_EQ(result.holds[1].acquired.index, 1119u);
  EXPECT_EQ(result.events.size(), 4u);
  EXPECT_EQ(
      result.explanation,
      format == Format::json
          ? "Process 3 acquired the lock at index 1109 (29.421 s); its release, invoked at index 1115 (29.589 s), "
            "failed at index 1120 (32.094 s), so it held on. Meanwhile process 0 acquired it at index 1119 (32.085 s)."
          : "Process 3 acquired the lock at index 1109 (line 1110, 29.421 s); its release, invoked at index 1115 "
            "(line 1116, 29.589 s), failed at index 1120 (line 1121, 32.094 s), so it held on. Meanwhile process 0 "
            "acquired it at index 1119 (line 1120, 32.085 s).");
}

TEST(RealHistories, EtcdsMutexInEdnIsViolated) { etcd_is_violated("jepsen-mutex/etcd.edn", Format::edn); }

TEST(RealHistories, EtcdsMutexInJsonIsViolated) { etcd_is_violated("jepsen-mutex/etcd.json", Format::json); }

// Hazelcast's fenced lock: what was granted stands in the :value of the ok, and the invoke says
// nothing of it.  "0a" is an acquire of process 0 with what it answers, "0r" a release.
std::string hazelcast(std::initializer_list<std::pair<const char*, int>> operations) {
  std::string text;
  for (const auto& [who, fence] : operations) {
    const std::string head = fmt::format(":f :{}, :process {}", who[1] == 'a' ? "acquire" : "release", who[0]);
    text += "{:type :invoke, " + head + ", :value nil}\n";
    text += fmt::format("{{:type :ok, {}, :value {{:client \"c{}\", :fence {}, :uid \"{}-x\"}}}}\n", head, who[0],
                        fence, who);
  }
  return text;
}

TEST(CheckFile, TokensInsideTheValuesOfHazelcast) {
  struct Case {
    const char* model;
    std::string history;
    Verdict expected;
    const char* says;
  };
  using enum Verdict;
  const std::string good = hazelcast({{"0a", 7}, {"0r", 7}, {"1a", 9}, {"1r", 9}, {"0a", 10}});
  const std::string again = hazelcast({{"0a", 7}, {"0r", 7}, {"1a", 7}});
  const std::string zero = hazelcast({{"0a", 0}, {"0r", 0}});
  const std::string nested = hazelcast({{"0a", 7}, {"0a", 7}, {"0r", 7}, {"0r", 7}, {"1a", 8}});
  const std::string other = hazelcast({{"0a", 7}, {"0a", 8}});
  const std::string thrice = hazelcast({{"0a", 7}, {"0a", 7}, {"0a", 7}});
  const std::string early = hazelcast({{"0a", 7}, {"0a", 7}, {"0r", 7}, {"1a", 8}});
  const char* const reentrant = "reentrant-fenced-mutex:2";
  const Case cases[] = {
      {"fenced-mutex", good, holds, ""},
      {"fenced-mutex", again, violated, "not greater"},
      {"fenced-mutex", zero, violated, "greater than 0"},
      {"fenced-mutex", nested, violated, "had not released it"},
      {reentrant, good, holds, ""},
      {reentrant, nested, holds, ""},
      {reentrant, again, violated, "not greater"},
      {reentrant, zero, violated, "greater than 0"},
      {reentrant, other, violated, "stays the same"},
      {reentrant, thrice, violated, "once more than the 2 times"},
      {reentrant, early, violated, "had not released it"},
  };
  for (const Case& c : cases) {
    for (const char* owner : {"", "client", "value.client"}) {
      HistoryCheckOptions options;
      options.model = c.model;
      options.fields.token = "value.fence";
      options.fields.owner = owner;
      const CheckResult r = check(c.history, options);
      EXPECT_EQ(r.verdict, c.expected) << c.model << " by '" << owner << "'\n" << c.history << r.explanation;
      EXPECT_NE(r.explanation.find(c.says), std::string::npos) << r.explanation;
    }
  }
}

// Owners are holds, which several processes share.  Hold 2 was given back and acquired again, with
// token 3, before hold 3 got token 4: its first release must come before its second acquire, or that
// would be nested and have token 1.  Both are operations of another owner than the one that returns.
TEST(CheckFile, AnotherOwnerMayHaveToLetGoBeforeItAcquiresAgain) {
  const auto event = [](const char* type, const char* f, int process, int hold, int token = 0) {
    return fmt::format("{{:type :{}, :f :{}, :process {}, :hold {}{}}}\n", type, f, process, hold,
                       token == 0 ? "" : fmt::format(", :token {}", token));
  };
  const auto history = [&](int third) {
    std::string text = "{:type :info, :f :hold, :process :hold, :hold 1}\n";
    for (const int hold : {2, 3}) text += fmt::format("{{:type :info, :f :hold, :process :hold, :hold {}}}\n", hold);
    return text + event("invoke", "acquire", 3, 2) + event("ok", "acquire", 3, 2, 1) +
           event("invoke", "release", 0, 2) + event("invoke", "acquire", 1, 2) + event("invoke", "acquire", 2, 3) +
           event("invoke", "release", 3, 2) + event("ok", "acquire", 2, 3, 4) + event("ok", "acquire", 1, 2, third) +
           event("ok", "release", 3, 2) + event("ok", "release", 0, 2) + event("invoke", "release", 2, 3) +
           event("ok", "release", 2, 3);
  };
  HistoryCheckOptions options;
  options.model = "reentrant-fenced-mutex:2";
  const CheckResult valid = check(history(3), options);
  EXPECT_EQ(valid.verdict, Verdict::holds) << valid.explanation;
  EXPECT_EQ(check(history(5), options).verdict, Verdict::violated) << "after token 4";
}

// Eight permits; owners go on after crashed releases, so that each may have come anywhere.
std::string ambiguous(int owners, int rounds) {
  std::string text;
  const auto event = [&](const char* type, const char* f, int process) {
    text += fmt::format("{{:type :{}, :f :{}, :process {}}}\n", type, f, process);
  };
  for (int round = 0; round < rounds; ++round) {
    for (int p = 0; p < owners; ++p) {
      event("invoke", "acquire", p);
      event(round < 2 && p % 2 == 0 ? "info" : "ok", "acquire", p);
      event("invoke", "release", p);
      event(round < 2 ? "info" : "ok", "release", p);
    }
  }
  return text;
}

TEST(CheckFile, KeepsItsBoundsWithinOneEventOfALockWhoseOwnersLiveOn) {
  HistoryCheckOptions options;
  options.model = "semaphore:8";
  const std::string history = ambiguous(24, 4);
  // Over at the first look at the clock, on any machine.
  options.timeout = std::chrono::nanoseconds(1);
  const CheckResult late = check(history, options);
  EXPECT_EQ(late.verdict, Verdict::undecided);
  EXPECT_NE(late.explanation.find("The time allowed"), std::string::npos) << late.explanation;
  options.timeout = {};
  options.memory = 400'000;
  const CheckResult full = check(history, options);
  EXPECT_EQ(full.verdict, Verdict::undecided);
  EXPECT_NE(full.explanation.find("was full"), std::string::npos) << full.explanation;
}

}  // namespace
}  // namespace picklock
