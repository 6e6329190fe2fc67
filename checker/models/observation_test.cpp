// Each model names what it has to observe before it calls a history valid: silence is not safety.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "checker/models/check_file.hpp"

namespace picklock {
namespace {

struct Asked {
  const char* f;
  const char* value;      // value of the invoke
  const char* answer;     // value of the ok
  const char* more = "";  // further keys of the ok
};

struct ModelCase {
  const char* model;
  std::vector<Asked> each;    // each function once, as one client may call them one after the other
  std::vector<Asked> silent;  // calls that succeed, and that no model could have refused
  std::vector<Asked> telling;
  bool failures_tell = false;
};

const Asked kAcquire = {"acquire", "nil", "nil"}, kRelease = {"release", "nil", "nil"},
            kRefresh = {"refresh", "nil", "nil"}, kExpire = {"expire", "nil", "nil"},
            kAcquireToken = {"acquire", "nil", "nil", ", :token 3"}, kWrite = {"write", "1", "1"},
            kWriteToken = {"write", "1", "1", ", :token 3"}, kRead = {"read", "nil", "nil"},
            kCas = {"cas", "[nil 2]", "[nil 2]"};

const ModelCase kObserved[] = {
    {"mutex", {kAcquire, kRelease}, {}, {kAcquire}},
    {"mutex-ownerless", {kAcquire, kRelease}, {}, {kAcquire}},
    {"try-mutex", {kAcquire, kRelease}, {}, {kAcquire}, true},
    {"reentrant-mutex:2", {kAcquire, kRelease}, {}, {kAcquire}},
    {"fenced-mutex", {kAcquire, kRelease}, {kAcquire, kRelease}, {kAcquireToken}},
    {"reentrant-fenced-mutex:2", {kAcquire, kRelease}, {kAcquire, kRelease}, {kAcquireToken}},
    {"fencing-tokens",
     {kAcquire, kRead, kWrite, kRelease},
     {kAcquire, kRead, kWrite, kRelease},
     {kAcquire, kWriteToken}},
    {"rw-mutex",
     {{"acquire-write", "nil", "nil"}, kRelease, {"acquire-read", "nil", "nil"}, kRelease, kAcquire},
     {},
     {{"acquire-read", "nil", "nil"}}},
    {"semaphore:2", {kAcquire, kRelease}, {}, {kAcquire}},
    {"semaphore-ownerless:2", {kAcquire, kRelease}, {}, {kAcquire}},
    {"lease-mutex", {kAcquire, kRefresh, kRelease, kExpire}, {kAcquire, kAcquire}, {kAcquire, kRefresh}},
    {"try-lease-mutex", {kAcquire, kRefresh, kRelease, kExpire}, {kAcquire, kAcquire}, {kAcquire, kRefresh}, true},
    {"logged-lease-mutex", {kAcquire, kRefresh, kRelease, kExpire}, {}, {kAcquire}},
    {"register", {kWrite, kRead}, {kWrite, kWrite}, {kRead}},
    {"cas-register", {kWrite, kRead, kCas}, {kWrite, kWrite}, {kCas}},
    {"try-cas-register", {kWrite, kRead, kCas}, {kWrite, kWrite}, {kRead}, true},
    {"multi-register",
     {{"txn", "[[:w x 1]]", "[[:w x 1]]"}, {"txn", "[[:r x nil]]", "[[:r x 1]]"}},
     {{"txn", "[[:w x 1]]", "[[:w x 1]]"}, {"txn", "[[:w x 2]]", "[[:w x 2]]"}},
     {{"txn", "[[:r x nil]]", "[[:r x nil]]"}}},
    {"set",
     {{"add", "1", "1"}, kRead},
     {{"add", "1", "1"}, kRead},  // a read of nil says nothing
     {{"add", "1", "1"}, {"read", "nil", "[1]"}}},
    {"kv",
     {{"put", "[x 1]", "[x 1]"},
      {"get", "[x nil]", "[x 1]"},
      {"append", "[x 1]", "[x 1]"},
      {"cas", "[x [1 2]]", "[x [1 2]]"}},
     {{"put", "[x 1]", "[x 1]"}, {"append", "[x 2]", "[x 2]"}, {"write", "[y 1]", "[y 1]"}},
     {{"get", "[x nil]", "[x nil]"}}},
};

// Each operation has its own client, one after the other; `end` is ok, fail, info, or nothing.
std::string history(const std::vector<Asked>& all, const std::string& end, bool one_client = false) {
  std::string text;
  int client = 0;
  for (const Asked& o : all) {
    text += fmt::format("{{:type :invoke, :f :{}, :process {}, :value {}}}\n", o.f, client, o.value);
    const bool ok = end == "ok";
    if (!end.empty()) {
      text += fmt::format("{{:type :{}, :f :{}, :process {}, :value {}{}}}\n", end, o.f, client,
                          ok ? o.answer : o.value, ok ? o.more : "");
    }
    if (!one_client) ++client;
  }
  return text;
}

CheckResult check(const std::string& text, const std::string& model) {
  TextSource source(text);
  return check_source(source, "text", {.model = model});
}

// The problem with the answers for a model's case, or empty.
std::string flaw_of(const ModelCase& c) {
  const auto expect = [&](Verdict wanted, const std::string& text) -> std::string {
    const CheckResult r = check(text, c.model);
    return r.verdict == wanted ? "" : fmt::format("{}: {}\n{}", c.model, r.explanation, text);
  };
  std::vector<std::string> silent = {history(c.each, "info"), history(c.each, "")};
  if (!c.failures_tell) silent.push_back(history(c.each, "fail"));
  if (!c.silent.empty()) silent.push_back(history(c.silent, "ok", true));
  for (const std::string& text : silent) {
    if (std::string flaw = expect(Verdict::undecided, text); !flaw.empty()) return flaw;
  }
  return expect(Verdict::holds, history(c.telling, "ok", true));
}

TEST(Observation, EachModelAsksForOne) {
  for (const ModelInfo& info : models()) {
    if (info.name == "counter" || info.name == "credulous") continue;  // other tests cover these
    const auto known = std::find_if(std::begin(kObserved), std::end(kObserved), [&](const ModelCase& c) {
      return std::string_view(c.model).substr(0, std::string_view(c.model).find(':')) == info.name;
    });
    ASSERT_NE(known, std::end(kObserved)) << "say above what the model " << info.name << " has to observe";
    EXPECT_EQ(flaw_of(*known), "");
    EXPECT_FALSE(info.observation.empty());
  }
}

TEST(Observation, FailuresTellWhereTheModelJudgesThem) {
  EXPECT_EQ(check(history({kAcquire}, "fail"), "try-mutex").verdict, Verdict::violated) << "the lock was surely free";
  EXPECT_EQ(check(history({kRefresh}, "fail"), "try-lease-mutex").verdict, Verdict::undecided) << "no acquire";
  EXPECT_EQ(check(history({kAcquire}, "ok") + history({kRefresh}, "fail"), "try-lease-mutex").verdict, Verdict::holds);
  EXPECT_EQ(check(history({kAcquire}, "ok") + history({kRefresh}, "fail"), "lease-mutex").verdict, Verdict::undecided);
  EXPECT_EQ(check(history({{"cas", "[1 2]", ""}}, "fail"), "try-cas-register").verdict, Verdict::holds);
  EXPECT_EQ(check(history({{"cas", "[1 2]", ""}}, "fail"), "cas-register").verdict, Verdict::undecided);
}

// A model of one's own that takes whatever it is told for an observation.
class Credulous final : public Model {
 public:
  void invoked(const OperationEvent&, std::size_t) override {}
  void returned(const OperationEvent&, const OperationEvent&, std::size_t) override {}
  void outlived(const OperationEvent&, std::size_t) override {}
  [[nodiscard]] bool observes(const OperationEvent&, const OperationEvent&, std::size_t) const override { return true; }
  ModelResult finish(std::uint32_t) override { return {}; }
  [[nodiscard]] std::size_t memory() const override { return sizeof *this; }
};

constexpr std::string_view kFunctions[] = {"acquire", "release"};

TEST(Observation, AModelThatTakesSilenceForAnAnswerIsCaught) {
  add_model({.name = "credulous",
             .parameter = "",
             .description = "takes whatever it is told for an observation",
             .functions = kFunctions,
             .make = [](const ModelContext&) -> std::unique_ptr<Model> { return std::make_unique<Credulous>(); }});
  EXPECT_NE(flaw_of({"credulous", {kAcquire, kRelease}, {}, {kAcquire}}), "");
}

TEST(Observation, TheWordsCountOutcomesAndSayWhatIsMissing) {
  EXPECT_EQ(check(history({kWrite, kWrite}, "ok"), "register").explanation,
            "Nothing was observed: 2 succeeded, 0 failed and 0 have an unknown outcome, and only a read that succeeded "
            "could have contradicted the model 'register'.");
  EXPECT_EQ(check(history({kAcquire}, "info") + history({kAcquire}, "fail"), "mutex").verdict, Verdict::undecided);
}

// A lock without an observation does not stand for the others, nor they for it.
TEST(Observation, PartsThatWereNotTestedAreNamed) {
  const auto on = [](const char* lock, const char* type) {
    return fmt::format(
        "{{:type :invoke, :f :acquire, :process 0, :object \"{0}\"}} {{:type :{1}, :f :acquire, :process "
        "0, :object \"{0}\"}}\n",
        lock, type);
  };
  const CheckResult r = check(on("a", "ok") + on("b", "fail"), "mutex");
  EXPECT_EQ(r.verdict, Verdict::holds);
  EXPECT_EQ(r.explanation, "All 2 operations fit the model 'mutex'. Parts: 1 valid, 1 not tested (lock b).");
  EXPECT_EQ(check(on("a", "fail") + on("b", "fail"), "mutex").verdict, Verdict::undecided);
  const std::string put = history({{"put", "[x 1]", "[x 1]"}}, "ok"),
                    get = history({{"get", "[y nil]", "[y nil]"}}, "ok");
  EXPECT_EQ(check(put + get, "kv").explanation,
            "All 2 operations fit the model 'kv'. Parts: 1 valid, 1 not tested (key x).");
}

}  // namespace
}  // namespace picklock
