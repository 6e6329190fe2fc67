#include "testkit/print.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "algorithms/lock.hpp"
#include "checker/properties/finding.hpp"
#include "faults/plan.hpp"
#include "sim/task/etcd_values.hpp"
#include "sim/task/redis_values.hpp"

namespace picklock {

struct PlainPrint {
  int one = 1;
  std::vector<std::string> names = {"a", "b"};
  std::function<void()> call;
  int (*function)(int) = nullptr;
  struct Inner {
    bool on = true;
  } inner;
};
struct MemberlessPrint {};
struct DerivedPrint : PlainPrint {
  int more = 2;
};

namespace print_test {

// GoogleTest, RapidCheck and << print the same; Catch2 takes the last (tests/catch2).
template <class T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  EXPECT_EQ(::testing::PrintToString(value), out.str());
  EXPECT_EQ(rc::toString(value), out.str());
  return out.str();
}

TEST(Print, AnswersOfServices) {
  Hold hold("4711");
  hold.token = 7;
  hold.deadline = MonoTime{milliseconds(30).ns};
  EXPECT_EQ(printed(Acquired::of(hold)), "yes(Hold{value=\"4711\", token=7, deadline=30ms})");
  EXPECT_EQ(printed(Outcome<>::of({})), "yes");
  EXPECT_EQ(printed(Acquired::refusal()), "no: refused");
  EXPECT_EQ(printed(Outcome<>::refusal(Why::error, "WRONGTYPE")), "no: error (WRONGTYPE)");
  EXPECT_EQ(printed(Outcome<std::int64_t>::unknown_because(Why::timed_out)), "unknown: timed out");
  EXPECT_EQ(printed(Outcome<std::optional<Duration>>::of(std::nullopt)), "yes(none)");
  EXPECT_EQ(printed(RedisReply::array({RedisReply::integer(1)})), "[1]");
}

TEST(Print, ValuesOfHistories) {
  EXPECT_EQ(printed(Value()), "nil");
  EXPECT_EQ(printed(Value::integer(-7)), "-7");
  EXPECT_EQ(printed(Value::text(3)), "text 3");
}

TEST(Print, TimesAndLaws) {
  EXPECT_EQ(printed(milliseconds(150)), "150ms");
  EXPECT_EQ(printed(WallTime{1'500'000}), "1.5ms");
  EXPECT_EQ(printed(Law::uniform(milliseconds(5), milliseconds(10))), "5ms..10ms");
}

TEST(Print, EnumeratorsByName) {
  EXPECT_EQ(printed(Property::lost_wake_up), "lost_wake_up");
  EXPECT_EQ(printed(CheckVerdict::not_tested), "not_tested");
  EXPECT_EQ(printed(Law::Kind::heavy_tailed), "heavy_tailed");
  EXPECT_EQ(printed(static_cast<Property>(99)), "Property(99)");
}

TEST(Print, FindingsAndReports) {
  Finding finding;
  finding.measure = 12;
  finding.verdict = Verdict::violated;
  const std::string text = printed(finding);
  EXPECT_TRUE(text.starts_with("Finding{witness=Witness{holds=[")) << text;
  EXPECT_TRUE(text.ends_with(
      "measure=12, beside=0, property=mutual_exclusion, verdict=violated, reason=none, missing=someone_acquired}"))
      << text;
  Tested tested;
  tested.runs = 3;
  tested.faults["pause"] = 2;
  tested.claims.push_back({Property::starvation, 3, 1, 0});
  tested.assumptions.push_back({"pauses-shorter-than", 600, 300, 0, ParameterUnit::nanoseconds});
  EXPECT_EQ(printed(tested),
            "Tested{runs=3, contended=0, struck=0, within=0, all=0, errors=0, faults=[(\"pause\", 2)], "
            "heeded=0, claims=[Claimed{property=starvation, runs=3, faulty=1, beyond=0}], "
            "assumptions=[Approached{assumption=\"pauses-shorter-than\", limit=600, largest=300, broken=0, "
            "unit=nanoseconds}]}");
  LockReport report;
  report.lock = "my-lock";
  report.why = "nothing struck";
  EXPECT_EQ(printed(report), report.text());
  CheckOptions options;
  options.seed = 3;
  options.set = {"lock.ttl=2s"};
  EXPECT_EQ(printed(options),
            "CheckOptions{seed=3, effort=none, set=[\"lock.ttl=2s\"], vary_options=false, keep=\"kept\", program=\"\", "
            "report=null}");
}

TEST(Print, ScenariosFaultsAndOptions) {
  const Scenario scenario = scenario_of_lock("set-nx-px", {"lock.ttl=2s"});
  EXPECT_EQ(printed(scenario), '\n' + write_scenario(scenario));
  EXPECT_EQ(printed(BrokenClaim{.seed = 5, .scenario = scenario})
                .find("BrokenClaim{property=mutual_exclusion, seed=5, scenario=\n"),
            0u);
  EXPECT_NE(printed(scenario.lock.options).find("ttl=2s"), std::string::npos);
  EXPECT_NE(printed(scenario.lock).find("LockSpec{name=\"set-nx-px\""), std::string::npos) << printed(scenario.lock);
  EXPECT_NE(printed(scenario.clients[0]).find("name=\"a\""), std::string::npos) << printed(scenario.clients[0]);
  Fault fault;
  fault.kind = "pause";
  EXPECT_EQ(printed(fault), to_text(fault));
}

TEST(Print, ValuesWithinValues) {
  EtcdTxn txn;
  EtcdCompare compare;
  compare.keys.key = "k";
  txn.compares.push_back(compare);
  const std::string text = printed(txn);
  EXPECT_NE(text.find("EtcdTxn{compares=[EtcdCompare{keys=EtcdInterval{key=\"k\""), std::string::npos) << text;
}

// The compiler says what the members are called; nothing lists them.
TEST(Print, AnyStructByTheNamesOfItsMembers) {
  EXPECT_EQ(printed(PlainPrint()), "PlainPrint{one=1, names=[\"a\", \"b\"], call=…, function=…, inner=Inner{on=true}}");
  EXPECT_EQ(printed(MemberlessPrint()), "MemberlessPrint{}");
  EXPECT_FALSE(printing::Shown<DerivedPrint>) << "members of a base have no place in a structured binding";
  EXPECT_EQ(printing::kMemberCount<ExecutedFaults>, 29u);
}

// A failed comparison shows both sides.
TEST(Print, AComparisonThatFailsIsReadable) {
  const ::testing::AssertionResult result =
      ::testing::internal::EqHelper::Compare("found", "expected", Property::deadlock, Property::starvation);
  EXPECT_NE(std::string(result.message()).find("deadlock"), std::string::npos) << result.message();
}

}  // namespace print_test
}  // namespace picklock
