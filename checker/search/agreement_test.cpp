// The search against every order (random_calls.hpp), and broken twins of the search, which that
// comparison must notice.  PICKLOCK_ROUNDS multiplies the histories: scripts/check-models.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "checker/io/history_writer.hpp"
#include "checker/models/check_file.hpp"
#include "checker/models/search_model.hpp"
#include "checker/search/random_calls.hpp"
#include "checker/search/specs/registers.hpp"
#include "checker/search/specs/set.hpp"

namespace picklock {
namespace {

constexpr TestModel kModels[] = {TestModel::reg, TestModel::cas_register, TestModel::multi_register,
                                 TestModel::set, TestModel::kv,           TestModel::kv_object};

int times() {
  const char* const text = std::getenv("PICKLOCK_ROUNDS");
  return text == nullptr ? 1 : std::atoi(text);
}

// The verdict of the model itself, its search so set up.
template <Spec S>
ModelResult judge(const History& history, S spec, const SearchOptions& options) {
  SearchModel<S> model({history, kNoName}, std::move(spec), options);
  std::map<std::int32_t, OperationEvent> open;
  for (const OperationEvent& event : history.operations) {
    const std::string_view f = history.names.view(history.functions[event.f]);
    const auto role = static_cast<std::size_t>(
        std::find(S::functions.begin(), S::functions.end(), f) - S::functions.begin());
    if (event.type == OperationType::invoke) {
      model.invoked(event, role);
      open[event.process] = event;
    } else {
      model.returned(open.at(event.process), event, role);
    }
  }
  return model.finish();
}

ModelResult judge(TestModel model, const History& history, const SearchOptions& options) {
  switch (model) {
    case TestModel::reg:
      return judge(history, Register{}, options);
    case TestModel::cas_register:
      return judge(history, CasRegister{}, options);
    case TestModel::multi_register:
      return judge(history, MultiRegister{}, options);
    case TestModel::set:
      return judge(history, GrowingSet{}, options);
    case TestModel::kv:
      return judge(history, KeyValue(false), options);
    case TestModel::kv_object:
      break;
  }
  return {};
}

bool is_kv(TestModel model) { return model == TestModel::kv || model == TestModel::kv_object; }

TestVerdict truth(TestModel model, const TestHistory& h) {
  if (!is_kv(model)) return try_every_order(h.calls);
  TestVerdict verdict{true, 0};
  for (const int key : {0, 1}) {
    if (!try_every_order(h.calls, key).linearizable) verdict.linearizable = false;
  }
  return verdict;
}

// The order that the explanation lists obeys the object and real time.
void expect_sound(const TestHistory& h, const PartialLinearization& partial) {
  const auto call_of = [&](const OperationEvent& invoke) -> const TestCall& {
    return *std::find_if(h.calls.begin(), h.calls.end(),
                         [&](const TestCall& c) { return c.invoked == invoke.index; });
  };
  TestObject object;
  std::set<std::uint32_t> done;
  for (const PlacedOperation& placed : partial.placed) {
    const TestCall& call = call_of(placed.invoke);
    for (const TestCall& other : h.calls) {
      if (other.fate != TestCall::Fate::ok) continue;
      EXPECT_TRUE(*other.returned > call.invoked || done.count(other.invoked) > 0);
    }
    EXPECT_TRUE(replay(object, call)) << write_history_text(h.history);
    EXPECT_TRUE(done.insert(call.invoked).second);
  }
  ASSERT_FALSE(partial.candidates.empty());
  EXPECT_EQ(partial.candidates[0].invoke.index, partial.stuck.invoke.index);
  for (const FailedCandidate& candidate : partial.candidates) {
    TestObject after = object;
    EXPECT_EQ(candidate.possible, replay(after, call_of(candidate.invoke)));
    EXPECT_FALSE(candidate.why.empty());
  }
}

class Agreement : public testing::TestWithParam<TestModel> {};

TEST_P(Agreement, WithEveryOrder) {
  const TestModel model = GetParam();
  TestRandom random(20 + static_cast<std::uint64_t>(model));
  const SearchOptions settings[] = {
      {}, {.segment = 1}, {.segment = 1, .configurations_per_operation = 0}};
  int valid = 0, invalid = 0;
  for (int i = 0; i < 1'000 * times(); ++i) {
    const TestHistory h = random_calls(random, model, 4 + random.below(6));
    const TestVerdict expected = truth(model, h);
    ++(expected.linearizable ? valid : invalid);
    const CheckResult result = check_history(h.history, {.model = std::string(name_of(model))});
    const bool empty = result.operations == 0;
    ASSERT_EQ(result.judgement, !expected.linearizable ? Judgement::violated
                                : empty                ? Judgement::undecided
                                                       : Judgement::holds)
        << write_history_text(h.history) << result.explanation;
    if (!expected.linearizable) {
      ASSERT_TRUE(result.partial);
      const std::uint32_t stuck = result.partial->stuck.invoke.index;
      if (!is_kv(model)) {
        EXPECT_EQ(stuck, expected.stuck) << write_history_text(h.history);
        expect_sound(h, *result.partial);
      }
    }
    if (model == TestModel::kv_object) continue;
    for (const SearchOptions& options : settings) {
      const ModelResult again = judge(model, h.history, options);
      ASSERT_EQ(again.judgement == Judgement::holds, expected.linearizable)
          << write_history_text(h.history) << again.explanation << " segment " << options.segment;
      if (again.partial && !is_kv(model)) expect_sound(h, *again.partial);
    }
  }
  EXPECT_GT(valid * 5, valid + invalid);
  EXPECT_GT(invalid * 5, valid + invalid);
  std::printf("%d valid, %d invalid\n", valid, invalid);
}

std::string test_name(const testing::TestParamInfo<TestModel>& info) {
  constexpr const char* kNames[] = {"Register", "CasRegister", "MultiRegister",
                                    "Set",      "KeyValue",    "KeyValueByObject"};
  return kNames[static_cast<std::size_t>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(General, Agreement, testing::ValuesIn(kModels), test_name);

constexpr SearchFlaw kFlaws[] = {SearchFlaw::none,
                                 SearchFlaw::cut_keeps_one_end,
                                 SearchFlaw::cut_forgets_crashed,
                                 SearchFlaw::info_is_forced,
                                 SearchFlaw::crashed_never_late,
                                 SearchFlaw::keys_are_mixed,
                                 SearchFlaw::all_may_follow};

TEST(BrokenTwins, DisagreeWithEveryOrder) {
  std::map<SearchFlaw, int> errors;
  for (const TestModel model : kModels) {
    if (model == TestModel::kv_object) continue;
    TestRandom random(90 + static_cast<std::uint64_t>(model));
    for (int i = 0; i < 400; ++i) {
      const TestHistory h = random_calls(random, model, 6 + random.below(4));
      const bool expected = truth(model, h).linearizable;
      for (const SearchFlaw flaw : kFlaws) {
        const ModelResult result = judge(model, h.history, {.segment = 1, .flaw = flaw});
        errors[flaw] += (result.judgement == Judgement::holds) != expected;
      }
    }
  }
  EXPECT_EQ(errors[SearchFlaw::none], 0);
  for (const auto& [flaw, count] : errors) {
    std::printf("flaw %d: %d of 2000 wrong\n", static_cast<int>(flaw), count);
    if (flaw != SearchFlaw::none && flaw != SearchFlaw::cut_forgets_crashed) {
      EXPECT_GT(count, 0) << static_cast<int>(flaw);
    }
  }
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
    return judge(TestModel::reg, h, {.segment = 1, .flaw = flaw}).judgement;
  };
  EXPECT_EQ(judged(SearchFlaw::none), Judgement::violated);
  EXPECT_EQ(judged(SearchFlaw::cut_forgets_crashed), Judgement::holds);
}

}  // namespace
}  // namespace picklock
