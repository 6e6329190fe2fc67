// Results, values and enumerations of the installed headers print themselves, with all that they are made of.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/lock.hpp"
#include "campaigns/campaign.hpp"
#include "campaigns/comparison.hpp"
#include "campaigns/keep.hpp"
#include "campaigns/regress.hpp"
#include "campaigns/store/store.hpp"
#include "campaigns/sweep.hpp"
#include "checker/history.hpp"
#include "checker/io/history_reader.hpp"
#include "faults/plan.hpp"
#include "instruments/envelope/envelope.hpp"
#include "instruments/estimate/estimate.hpp"
#include "instruments/explain/explanation.hpp"
#include "instruments/hunt/hunt.hpp"
#include "reports/campaigns/sweep.hpp"
#include "reports/json.hpp"
#include "reports/run/scene.hpp"
#include "reports/run/slice.hpp"
#include "reports/run/tell.hpp"
#include "scenarios/generators/scenario.hpp"
#include "scenarios/run/run.hpp"
#include "sim/task/etcd_values.hpp"
#include "sim/task/redis_values.hpp"
#include "sim/task/zookeeper.hpp"
#include "sim/task/zookeeper_values.hpp"
#include "testkit/print.hpp"

namespace picklock {
namespace all_types_test {

template <class T>
void expect_readable(const T& value, const std::string& name) {
  const std::string text = ::testing::PrintToString(value);
  EXPECT_EQ(text.find("byte object"), text.npos) << name << ": " << text;
  EXPECT_EQ(rc::toString(value), text);
}

template <class... T>
struct Types {};

// What they are made of is looked at as well.
using Structs =
    Types<AssumptionInfo, BeliefEvent, BrokenClaim, CampaignResult, CellResult, CheckOptions, Claims, ComparisonResult,
          EditResult, EffectEvent, Envelope, Estimated, EtcdCompare, EtcdDelete, EtcdLeaseReply, EtcdPut, EtcdRange,
          EtcdRangeReply, EtcdReply, EtcdTxn, EtcdTxnReply, EtcdWatchCreate, EtcdWatchReply, ExecutedFaults,
          Explanation, FaultSpace, Finding, GrantEvent, History, Hold, HuntResult, HuntSpace, JudgeOptions, KeptRun,
          LockKind, OperationEvent, PropertyInfo, ReadOptions, Regression, RunResult, Scenario, ScenarioBounds,
          ScenarioEdits, ScenarioError, ScenarioFile, Scene, ShardResult, SliceStory, StopRule, SweepTable, Tale,
          Tested, Witness, ZooChildren, ZooCreated, ZooData, ZooEvent>;
using Enums = Types<CheckVerdict, Fit, Fulfilment, Property, Seeds, Verdict, Why>;

template <class... T>
void for_each_type(Types<T...>, auto&& see) {
  (see.template operator()<T>(), ...);
}

TEST(AllTypes, PrintThemselves) {
  for_each_type(Structs(), []<class T>() {
    static_assert(printing::Shown<T>);
    if constexpr (std::is_default_constructible_v<T> && std::is_copy_constructible_v<T>)
      expect_readable(T{}, std::string(printing::kName<T>));
  });
  for_each_type(Enums(), []<class E>() { expect_readable(E{}, std::string(printing::kName<E>)); });
}

TEST(AllTypes, OfHuntsExplanationsAndEnvelopesToo) {
  Generality generality;
  generality.thresholds.push_back({{1, 32}, {31, 32}});
  EXPECT_NE(::testing::PrintToString(generality)
                .find("thresholds=[Sides{below=Share{hits=1, of=32}, above=Share{hits=31, of=32}}]"),
            std::string::npos)
      << ::testing::PrintToString(generality);
  HuntResult hunt;
  hunt.findings.emplace_back().file = "kept/a.toml";
  const std::string text = ::testing::PrintToString(hunt);
  EXPECT_NE(text.find("HuntResult{plans=0, "), std::string::npos) << text;
  EXPECT_NE(text.find("findings=[HuntFinding{cause=Cause{failure=Failure{property="), std::string::npos) << text;
  EXPECT_NE(text.find("file=\"kept/a.toml\""), std::string::npos) << text;
  EXPECT_EQ(::testing::PrintToString(Fit{}).find("byte object"), std::string::npos);
}

struct Wordless {  // a constructor hides how many members there are
  Wordless() {}
  int number = 0;
};
struct Outer {
  std::optional<std::vector<Wordless>> inner;
};

// Types below T that have no words: each prints as "…".
template <class T>
void collect_wordless(const std::string& where, std::set<std::string>& found, std::set<std::string_view>& seen) {
  using namespace printing;
  if constexpr (kIsOptional<T>) {
    collect_wordless<typename T::value_type>(where, found, seen);
  } else if constexpr (kIsVariant<T>) {
    [&]<class... A>(const std::variant<A...>*) {
      (collect_wordless<A>(where, found, seen), ...);
    }(static_cast<const T*>(nullptr));
  } else if constexpr (kIsPair<T>) {
    collect_wordless<std::remove_const_t<typename T::first_type>>(where, found, seen);
    collect_wordless<typename T::second_type>(where, found, seen);
  } else if constexpr (kIsOfPicklock<T> && !Shown<T>) {
    if (!std::is_polymorphic_v<T>) found.insert(where + ": " + std::string(kFullName<T>));
  } else if constexpr (kIsOfPicklock<T> && HasNamedMembers<T> && !std::is_empty_v<T> && !HasText<T> && !HasPrint<T> &&
                       !HasToString<T> && !HasOwnText<T> && !HasFields<T> && !std::is_same_v<T, Scenario>) {
    if (!seen.insert(kFullName<T>).second) return;
    [&]<std::size_t... kIndices>(std::index_sequence<kIndices...>) {
      (collect_wordless<
           std::remove_cvref_t<std::tuple_element_t<kIndices, decltype(members(std::declval<const T&>()))>>>(
           std::string(kName<T>) + '.' + std::string(name_of_member<T, kIndices>()), found, seen),
       ...);
    }
    (std::make_index_sequence<kMemberCount<T>>());
  } else if constexpr (Range<T> && !std::is_convertible_v<const T&, std::string_view> && !kIsOfPicklock<T>) {
    collect_wordless<std::remove_cvref_t<decltype(*std::declval<const T&>().begin())>>(where, found, seen);
  }
}

TEST(AllTypes, MembersHaveWordsToo) {
  std::set<std::string> found;
  std::set<std::string_view> seen;
  for_each_type(Structs(), [&]<class T>() { collect_wordless<T>("", found, seen); });
  // Classes that keep their parts to themselves.
  EXPECT_EQ(found, (std::set<std::string>{"EditResult.left_out: picklock::LeftOut", "History.names: picklock::Names",
                                          "History.values: picklock::ValueTable",
                                          "ScenarioFile.positions: picklock::ScenarioPositions",
                                          "ScenarioVariant.positions: picklock::ScenarioPositions"}));
  EXPECT_GT(seen.size(), 100u);
}

TEST(AllTypes, TheSearchFindsAMemberWithoutWords) {
  std::set<std::string> found;
  std::set<std::string_view> seen;
  collect_wordless<Outer>("", found, seen);
  EXPECT_EQ(found, std::set<std::string>{"Outer.inner: picklock::all_types_test::Wordless"});
}

// An enumerator has its name; a value that has none, its number.
template <class E>
void expect_names(const std::string& name) {
  EXPECT_EQ(::testing::PrintToString(static_cast<E>(127)), name + "(127)");
  const std::string first = ::testing::PrintToString(static_cast<E>(0)),
                    second = ::testing::PrintToString(static_cast<E>(1));
  EXPECT_TRUE(first.find('(') == first.npos || second.find('(') == second.npos) << name << ": " << first;
}

TEST(AllTypes, EnumeratorsHaveNames) {
  for_each_type(Enums(), []<class E>() { expect_names<E>(std::string(printing::kName<E>)); });
}

}  // namespace all_types_test
}  // namespace picklock
