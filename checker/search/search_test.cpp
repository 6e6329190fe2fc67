#include "checker/search/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "checker/models/check_with.hpp"
#include "checker/search/call.hpp"

namespace picklock {
namespace {

CheckResult check(std::string_view text, const std::string& model) {
  TextSource source(text);
  return check_source(source, "text", {.model = model});
}

std::string line(const char* type, const char* f, int process, const std::string& value) {
  return "{:type :" + std::string(type) + ", :f :" + f + ", :process " + std::to_string(process) + ", :value " + value +
         "}\n";
}

TEST(EdnElements, CutsSequences) {
  std::vector<std::string> all;
  EdnElements elements("[1 [2 #{3}] \"a ] \\\" b\" \\] {:k (4)}]");
  for (std::string_view e; elements.next(e);) all.emplace_back(e);
  EXPECT_EQ(all, (std::vector<std::string>{"1", "[2 #{3}]", "\"a ] \\\" b\"", "\\]", "{:k (4)}"}));
}

TEST(Search, ExplainsWhatCannotBePlaced) {
  const CheckResult r =
      check(line("invoke", "write", 0, "0") + line("ok", "write", 0, "0") + line("invoke", "read", 1, "nil") +
                line("invoke", "write", 2, "4") + line("ok", "read", 1, "3") + line("ok", "write", 2, "4"),
            "register");
  EXPECT_EQ(r.verdict, Verdict::violated);
  EXPECT_EQ(r.explanation,
            "Process 1's read 3, invoked at index 2 (line 3) and returned at index 4 (line 5), has no place in any "
            "order: in the longest one, after 1 operation, the register is 0, and none of the 1 "
            "that might come first makes it possible.");
  ASSERT_TRUE(r.partial);
  EXPECT_EQ(r.partial->initial, "nil");
  ASSERT_EQ(r.partial->placed.size(), 1u);
  EXPECT_EQ(r.partial->placed[0].operation, "write 0");
  EXPECT_EQ(r.partial->placed[0].state, "0");
  EXPECT_EQ(r.partial->stuck.operation, "read 3");
  ASSERT_EQ(r.partial->candidates.size(), 2u);
  EXPECT_FALSE(r.partial->candidates[0].possible);
  EXPECT_EQ(r.partial->candidates[0].why, "the register is 0");
  EXPECT_TRUE(r.partial->candidates[1].possible);
  EXPECT_EQ(r.partial->candidates[1].state, "4");
  EXPECT_EQ(r.partial->candidates[1].why, "it leaves read 3 impossible: the register is 4");
  ASSERT_EQ(r.events.size(), 2u);
  EXPECT_EQ(r.events[1].index, 4u);
}

TEST(Search, NamesTheKeyAndTheLostElement) {
  const CheckResult kv = check(line("invoke", "put", 0, "[:x \"a\"]") + line("ok", "put", 0, "[:x \"a\"]") +
                                   line("invoke", "get", 0, "[:y nil]") + line("ok", "get", 0, "[:y \"a\"]"),
                               "kv");
  EXPECT_EQ(kv.verdict, Verdict::violated);
  EXPECT_EQ(kv.partial->part, "key :y");
  EXPECT_NE(kv.explanation.find("of key :y"), std::string::npos) << kv.explanation;

  const CheckResult set =
      check(line("invoke", "add", 0, "7") + line("ok", "add", 0, "7") + line("invoke", "add", 0, "8") +
                line("info", "add", 0, "8") + line("invoke", "read", 1, "nil") + line("ok", "read", 1, "[8]"),
            "set");
  EXPECT_EQ(set.verdict, Verdict::violated);
  EXPECT_EQ(set.partial->candidates[0].why,
            "the set contains 7, which was not read, and the set lacks 8, which was read");
}

TEST(Search, ObjectsBeginAsTheyAreSaidTo) {
  const auto verdict = [](const std::string& text, const std::string& model, const std::string& initial) {
    TextSource source(text);
    return check_source(source, "text", {.model = model, .initial = initial}).verdict;
  };
  const std::string read = line("invoke", "read", 0, "nil");
  EXPECT_EQ(verdict(read + line("ok", "read", 0, "7"), "register", "7"), Verdict::holds);
  EXPECT_EQ(verdict(read + line("ok", "read", 0, "nil"), "register", "7"), Verdict::violated);
  EXPECT_EQ(verdict(read + line("ok", "read", 0, "\"idle\""), "register", "idle"), Verdict::holds);
  EXPECT_EQ(verdict(read + line("ok", "read", 0, ":idle"), "cas-register", ":idle"), Verdict::holds);
  const std::string txn = line("invoke", "txn", 0, "[[:r :x nil] [:r \"y\" nil] [:r z nil]]");
  const std::string seen = line("ok", "txn", 0, "[[:r :x 1] [:r \"y\" 2] [:r z nil]]");
  EXPECT_EQ(verdict(txn + seen, "multi-register", "{x 1, y 2}"), Verdict::holds);
  EXPECT_EQ(verdict(txn + seen, "multi-register", "{x 1}"), Verdict::violated);
  const std::string get = line("invoke", "get", 0, "[:k nil]") + line("ok", "get", 0, "[:k \"a\"]");
  EXPECT_EQ(verdict(get, "kv", "{k \"a\"}"), Verdict::holds);
  EXPECT_EQ(verdict(get, "kv", "{k \"b\"}"), Verdict::violated);
  EXPECT_THROW(verdict(get, "kv", "[k]"), std::invalid_argument);
  EXPECT_THROW(verdict(get, "kv", "{k"), std::invalid_argument);
}

TEST(Search, AKeyThatNoOperationHasIsAnError) {
  const auto error = [](const std::string& text, const std::string& model, const std::string& initial) -> std::string {
    try {
      TextSource source(text);
      check_source(source, "text", {.model = model, .initial = initial});
      return "none";
    } catch (const ReadError& e) {
      return e.what();
    }
  };
  const std::string get = line("invoke", "get", 0, "[:order nil]") + line("ok", "get", 0, "[:order nil]");
  EXPECT_EQ(error(get, "kv", "{order nil}"), "none");
  EXPECT_NE(error(get, "kv", "{ordr 0}").find("no operation with the key 'ordr', which --initial names"),
            std::string::npos);
  EXPECT_NE(error(get, "kv", "{ordr 0}").find("did you mean 'order'?"), std::string::npos);
  const std::string txn = line("invoke", "txn", 0, "[[:r x nil] [:w y 1]]");
  EXPECT_EQ(error(txn, "multi-register", "{x 0, y 1}"), "none");
  EXPECT_NE(error(txn, "multi-register", "{x 0, z 1}").find("the key 'z'"), std::string::npos);
  const std::string object = "{:type :invoke, :f :read, :process 0, :object \"stock\"}";
  EXPECT_EQ(error(object, "kv", "{stock 0}"), "none");
  EXPECT_NE(error(object, "kv", "{stok 0}").find("did you mean 'stock'?"), std::string::npos);
  EXPECT_EQ(error(object, "register", "{x 0}"), "none") << "a map may be the value of a register";
}

TEST(Search, ARefusedCasSaysThatTheValueDiffered) {
  const std::string wrote = line("invoke", "write", 0, "1") + line("ok", "write", 0, "1");
  const auto refused = [](const std::string& pair) {
    return line("invoke", "cas", 1, pair) + line("fail", "cas", 1, pair);
  };
  EXPECT_EQ(check(wrote + refused("[2 3]"), "try-cas-register").verdict, Verdict::holds);
  EXPECT_EQ(check(wrote + refused("[1 3]"), "cas-register").verdict, Verdict::undecided) << "nothing was observed";
  const CheckResult r = check(wrote + refused("[1 3]"), "try-cas-register");
  EXPECT_EQ(r.verdict, Verdict::violated);
  EXPECT_EQ(r.explanation,
            "Process 1's cas [1 3] (refused), invoked at index 2 (line 3) and returned at index 3 (line 4), has no "
            "place in any order: in "
            "the longest one, after 1 operation, the register is 1.");
}

TEST(Search, AValueWithoutSenseHasItsPlace) {
  try {
    check(line("invoke", "write", 0, "1") + " " + line("invoke", "cas", 1, "3"), "cas-register");
    FAIL();
  } catch (const ReadError& error) {
    EXPECT_STREQ(error.what(), "text:2:2: found a cas of 3, expected [old new] as the value of a cas");
  }
  EXPECT_THROW(check(line("invoke", "get", 0, "1"), "kv"), ReadError);
  EXPECT_THROW(check(line("invoke", "txn", 0, "[[:q 1 2]]"), "multi-register"), ReadError);
  const std::string read = line("invoke", "read", 0, "nil");
  EXPECT_THROW(check(read + line("ok", "read", 0, "5"), "set"), ReadError);
}

// A model of one's own.
struct Counter {
  static constexpr std::array<std::string_view, 2> functions = {"add", "read"};
  using State = std::int64_t;
  static State initial() { return 0; }
  static std::optional<State> step(State state, const Call& call) {
    if (call.function == "add") return state + call.argument.number();
    if (call.completed && call.result.number() != state) return std::nullopt;
    return state;
  }
};

// Thousands of additions that may each take effect at any time or never, then a sum that none of
// their subsets has.
History hostile(std::uint32_t crashed) {
  std::string text;
  for (std::uint32_t i = 1; i <= crashed; ++i) {
    const std::string value = std::to_string(i);
    const int process = static_cast<int>(i);
    text += line("invoke", "add", process, value) + line("info", "add", process, value);
  }
  text += line("invoke", "read", 0, "nil") + line("ok", "read", 0, "-1");
  return read_history_text(text);
}

TEST(Search, KeepsItsTimeInsideOneStep) {
  HistoryCheckOptions options;
  options.timeout = std::chrono::milliseconds(1);
  const CheckResult r = check_with<Counter>(hostile(5'000), options);
  EXPECT_EQ(r.verdict, Verdict::undecided) << r.explanation;
  EXPECT_EQ(r.explanation.find("The time allowed, 0.001 s, was over after "), 0u) << r.explanation;
}

TEST(Search, KeepsItsMemoryInsideOneStep) {
  HistoryCheckOptions options;
  options.timeout = std::chrono::seconds(60);
  options.memory = 8'000'000;
  const CheckResult r = check_with<Counter>(hostile(5'000), options);
  EXPECT_EQ(r.verdict, Verdict::undecided) << r.explanation;
  EXPECT_EQ(r.explanation.find("The memory allowed, 8 MB, was full after "), 0u) << r.explanation;
}

// Thousands of crashed operations that are alike decide in no time.
TEST(Search, CrashedOperationsThatAreAlikeCostLittle) {
  std::string text;
  for (int i = 0; i < 3'000; ++i) {
    const std::string value = std::to_string(i % 5);
    text += line("invoke", "write", i + 10, value) + line("info", "write", i + 10, value);
    text += line("invoke", "read", 0, "nil") + line("ok", "read", 0, std::to_string(i / 100 % 5));
  }
  EXPECT_EQ(check(text, "register").verdict, Verdict::holds);
  text += line("invoke", "read", 0, "nil") + line("ok", "read", 0, "9");
  const CheckResult r = check(text, "register");
  EXPECT_EQ(r.verdict, Verdict::violated);
  EXPECT_EQ(r.partial->stuck.operation, "read 9");
  EXPECT_EQ(r.partial->placed.size(), PartialLinearization::kListed);
  EXPECT_GT(r.partial->omitted, 2'000u);
}

// A last read that misses an acknowledged element, among many crashed additions.
TEST(Search, ALostElementIsFoundAmongCrashedAdditions) {
  std::string text, all = "#{";
  for (int i = 0; i < 400; ++i) {
    const std::string value = std::to_string(i);
    const bool crashed = i % 3 == 0;
    text += line("invoke", "add", i, value) + line(crashed ? "info" : "ok", "add", i, value);
    if (i % 2 == 0 || (!crashed && i != 301)) all += (all.size() > 2 ? " " : "") + value;
  }
  const std::string read = line("invoke", "read", 1000, "nil");
  const CheckResult lost = check(text + read + line("ok", "read", 1000, all + "}"), "set");
  EXPECT_EQ(lost.verdict, Verdict::violated);
  EXPECT_NE(lost.explanation.find("contains 301"), std::string::npos) << lost.explanation;
  EXPECT_LT(lost.partial->configurations, 5'000u);
  EXPECT_EQ(check(text + read + line("ok", "read", 1000, all + " 301}"), "set").verdict, Verdict::holds);
  EXPECT_EQ(check(text + read + line("ok", "read", 1000, all + " 301 9999}"), "set").verdict, Verdict::violated);
}

// Neither the length of a history nor that of a queue of pending operations costs a stack.
TEST(Search, LongHistoriesNeedNoRecursion) {
  std::string text;
  constexpr int kClients = 20;
  for (int i = 0; i < 20'000; ++i) {  // never quiescent
    const int client = i % kClients;
    if (i >= kClients) text += line("ok", "write", client, std::to_string(i - kClients));
    text += line("invoke", "write", client, std::to_string(i));
  }
  text += line("invoke", "read", kClients, "nil") + line("ok", "read", kClients, "19999");
  EXPECT_EQ(check(text, "register").verdict, Verdict::holds);
}

TEST(OwnModel, IsJudgedByItsStep) {
  const std::string text = line("invoke", "add", 0, "2") + line("info", "add", 0, "2") + line("invoke", "add", 1, "3") +
                           line("ok", "add", 1, "3") + line("invoke", "read", 1, "nil");
  const History good = read_history_text(text + line("ok", "read", 1, "5"));
  EXPECT_EQ(check_with<Counter>(good).verdict, Verdict::holds);
  const CheckResult bad = check_with<Counter>(read_history_text(text + line("ok", "read", 1, "2")));
  EXPECT_EQ(bad.verdict, Verdict::violated);
  ASSERT_EQ(bad.partial->placed.size(), 2u);
  EXPECT_EQ(bad.partial->placed[1].operation, "add 2 (crashed)");
  EXPECT_EQ(bad.partial->candidates[0].why, "the state is 5");
  EXPECT_EQ(bad.model, "own model");

  EXPECT_TRUE(add_search_model<Counter>("counter", "counts"));
  EXPECT_FALSE(add_search_model<Counter>("counter", "counts"));
  EXPECT_EQ(check(text, "counter").verdict, Verdict::holds);
}

// Histories of real systems, which are not part of this project.
std::filesystem::path shared_data() {
  const char* const shared = std::getenv("PICKLOCK_SHARED");
  return (shared != nullptr ? std::filesystem::path(shared)
                            : std::filesystem::path(PICKLOCK_SOURCE_DIR) / ".." / "shared") /
         "data";
}

CheckResult check_register(const std::filesystem::path& path) {
  const CheckResult r = check_file(path.string(), {.model = "cas-register"});
  std::printf("%-28s %-8s %6.2f ms\n", path.filename().c_str(), r.verdict == Verdict::holds ? "valid" : "invalid",
              static_cast<double>(r.elapsed.count()) / 1e6);
  return r;
}

TEST(RealHistories, RegistersGetTheirVerdicts) {
  const auto folder = shared_data() / "cas-register";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "skipped: " << folder << " is not here";
  const std::vector<std::string> invalid = {"bad-analysis.edn", "immediate-failure.edn", "rethink-fail-minimal.edn"};
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".edn") continue;
    ++files;
    const bool bad = std::find(invalid.begin(), invalid.end(), entry.path().filename().string()) != invalid.end();
    EXPECT_EQ(check_register(entry.path()).verdict, bad ? Verdict::violated : Verdict::holds) << entry.path();
  }
  EXPECT_GE(files, 6);
}

TEST(RealHistories, EtcdsRegistersGetTheirVerdicts) {
  const auto folder = shared_data() / "jepsen-etcd";
  std::ifstream expected(folder / "EXPECTED.txt");
  if (!expected) GTEST_SKIP() << "skipped: " << folder << " is not here (see PICKLOCK_SHARED)";
  int files = 0;
  for (std::string name, verdict; expected >> name >> verdict; ++files) {
    for (const char* const form : {".edn", ".log"}) {
      auto path = folder / name;
      path.replace_extension(form);
      EXPECT_EQ(check_register(path).verdict, verdict == "true" ? Verdict::holds : Verdict::violated) << path;
    }
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace picklock
