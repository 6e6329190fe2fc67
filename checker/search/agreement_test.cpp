// The search against every order, and broken twins of the search, which that comparison must notice.
// scripts/check-models does the same on more histories.
#include "checker/search/agreement_lab.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "checker/io/history_reader.hpp"

namespace picklock {
namespace {

class GeneralModels : public testing::TestWithParam<TestModel> {};

TEST_P(GeneralModels, AgreeWithEveryOrder) {
  const Comparison c = compare_general(GetParam(), 1'000, 1'000'000);
  EXPECT_EQ(c.wrong, 0) << c.first;
  EXPECT_GE(c.smaller_share(), 20) << c.valid << " valid, " << c.invalid << " invalid";
}

std::string test_name(const testing::TestParamInfo<TestModel>& info) {
  constexpr const char* kNames[] = {"Register", "CasRegister", "TryCasRegister",  "MultiRegister",
                                    "Set",      "KeyValue",    "KeyValueByObject"};
  return kNames[static_cast<std::size_t>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Search, GeneralModels, testing::ValuesIn(kTestModels), test_name);

constexpr SearchFlaw kFlaws[] = {
    SearchFlaw::none,           SearchFlaw::cut_keeps_one_end,  SearchFlaw::cut_forgets_crashed,
    SearchFlaw::info_is_forced, SearchFlaw::crashed_never_late, SearchFlaw::keys_are_mixed,
    SearchFlaw::all_may_follow};

TEST(BrokenTwins, DisagreeWithEveryOrder) {
  std::map<SearchFlaw, int> errors;
  for (const TestModel model : kTestModels) {
    if (model == TestModel::kv_object) continue;
    LabRandom random(90 + static_cast<std::uint64_t>(model));
    for (int i = 0; i < 400; ++i) {
      const TestHistory h = random_calls(random, model, 6 + random.below(4));
      const bool expected = truth(model, h).linearizable;
      for (const SearchFlaw flaw : kFlaws) {
        const ModelResult result =
            judge(model, h.history, {.straight = false, .segment = 1, .flaw = flaw}, initial_edn(model, h.initial));
        errors[flaw] += (result.verdict == Verdict::holds) != expected;
      }
    }
  }
  EXPECT_EQ(errors[SearchFlaw::none], 0);
  for (const auto& [flaw, count] : errors) {
    std::printf("flaw %d: %d of 2400 wrong\n", static_cast<int>(flaw), count);
    if (flaw != SearchFlaw::none && flaw != SearchFlaw::cut_forgets_crashed) {
      EXPECT_GT(count, 0) << static_cast<int>(flaw);
    }
  }
}

TEST(BrokenTwins, AnotherFirstValueIsNoticed) {
  for (const TestModel model : kTestModels) {
    if (model == TestModel::set || model == TestModel::kv_object) continue;
    LabRandom random(70 + static_cast<std::uint64_t>(model));
    int wrong = 0;
    for (int i = 0; i < 400; ++i) {
      const TestHistory h = random_calls(random, model, 6 + random.below(4));
      if (h.initial.empty()) continue;
      const bool expected = truth(model, h).linearizable;
      wrong += (judge(model, h.history, {.straight = false, .segment = 1}).verdict == Verdict::holds) != expected;
    }
    EXPECT_GT(wrong, 0) << name_of(model);
  }
}

// A refused compare-and-set that is not an observation.
TEST(BrokenTwins, ACasRegisterDropsRefusals) {
  LabRandom random(80);
  int wrong = 0;
  for (int i = 0; i < 400; ++i) {
    const TestHistory h = random_calls(random, TestModel::try_cas_register, 6 + random.below(4));
    const bool expected = truth(TestModel::try_cas_register, h).linearizable;
    const ModelResult twin = judge(TestModel::cas_register, h.history, {.straight = false, .segment = 1},
                                   initial_edn(TestModel::cas_register, h.initial));
    EXPECT_TRUE(!expected || twin.verdict == Verdict::holds) << "it accepts more";
    wrong += (twin.verdict == Verdict::holds) != expected;
  }
  EXPECT_GT(wrong, 0);
}

// A write that crashed explains one of the two reads of its value, not both.  Random histories show
// that too rarely to rely on.
TEST(BrokenTwins, ACrashedOperationIsUsedOnce) {
  const History h = read_history_text(
      "{:type :invoke, :f :write, :process 0, :value 1} {:type :info, :f :write, :process 0}"
      "{:type :invoke, :f :read, :process 1} {:type :ok, :f :read, :process 1, :value 1}"
      "{:type :invoke, :f :write, :process 1, :value 2} {:type :ok, :f :write, :process 1}"
      "{:type :invoke, :f :read, :process 1} {:type :ok, :f :read, :process 1, :value 1}");
  const auto judged = [&](SearchFlaw flaw) {
    return judge(TestModel::reg, h, {.straight = false, .segment = 1, .flaw = flaw}).verdict;
  };
  EXPECT_EQ(judged(SearchFlaw::none), Verdict::violated);
  EXPECT_EQ(judged(SearchFlaw::cut_forgets_crashed), Verdict::holds);
}

}  // namespace
}  // namespace picklock
