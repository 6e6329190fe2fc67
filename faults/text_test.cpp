#include "faults/text.hpp"

#include <gtest/gtest.h>

#include <set>

#include "faults/fault_kinds.hpp"
#include "faults/freeze.hpp"
#include "faults/kill.hpp"
#include "faults/partition.hpp"
#include "faults/pause.hpp"
#include "faults/trigger.hpp"
#include "sim/task/mark.hpp"

namespace picklock {
namespace {

TEST(FaultText, WritesWhatDiffersFromTheDefault) {
  Fault fault{.kind = "pause"};
  fault.options = AnyOptions::of(PauseOptions{.node = "a", .lasts = milliseconds(200)});
  fault.trigger.on = "a enters";
  fault.trigger.count = 2;
  EXPECT_EQ(to_text(fault), "pause on=\"a enters\" count=2 node=a lasts=200ms");
  EXPECT_EQ(to_text(Fault{.kind = "kill"}), "kill");
}

TEST(FaultText, ReadsItsOwnWriting) {
  FaultPlan plan;
  plan.push_back({.kind = "pause",
                  .trigger = {.on = "before a writes", .count = 3, .offset = nanoseconds(17)},
                  .options = AnyOptions::of(PauseOptions{.node = "a", .task = "the \"other\" \\ one"})});
  plan.push_back({.kind = "freeze",
                  .trigger = {.at = milliseconds(1)},
                  .options = AnyOptions::of(FreezeOptions{.node = "b", .thaw = Thaw::catches_up})});
  plan.push_back({.kind = "kill", .options = AnyOptions::of(KillOptions{.node = "a", .stays = true})});
  plan.push_back(
      {.kind = "partition",
       .options = AnyOptions::of(PartitionOptions{.shape = PartitionShape::one_way, .between = "a b | redis"})});
  FaultPlan read;
  const auto error = parse_plan(to_text(plan), read);
  ASSERT_FALSE(error) << to_text(*error);
  EXPECT_EQ(read, plan);
  EXPECT_NE(read[0], plan[1]);
}

TEST(FaultText, LengthsAndInstantsMayBeLaws) {
  Fault fault;
  ASSERT_FALSE(parse_fault("pause at=1s..2s node=a lasts=5ms..10ms", fault));
  EXPECT_EQ(fault.trigger.at, Law::uniform(seconds(1), seconds(2)));
  EXPECT_EQ((*fault.options).as<PauseOptions>().lasts, Law::uniform(milliseconds(5), milliseconds(10)));
  EXPECT_EQ(to_text(fault), "pause at=1s..2s node=a lasts=5ms..10ms");
  ASSERT_FALSE(parse_fault("pause node=a lasts=none", fault));
  EXPECT_FALSE((*fault.options).as<PauseOptions>().lasts);
}

TEST(FaultText, ADefaultIsNotTheSameAsNothing) {
  Fault timed, untimed;
  ASSERT_FALSE(parse_fault("pause node=a at=0s", timed));
  ASSERT_FALSE(parse_fault("pause node=a", untimed));
  EXPECT_TRUE(timed.trigger.at);
  EXPECT_FALSE(untimed.trigger.at);
  EXPECT_EQ(to_text(timed), "pause at=0s node=a");
}

TEST(FaultText, SaysWhatIsWrong) {
  const auto error_of = [](std::string_view line) {
    Fault fault;
    return parse_fault(line, fault).value_or(PlanError{});
  };
  EXPECT_EQ(error_of("").field, "kind");
  EXPECT_EQ(error_of("pause node=\"a").expected, "a closing quote");
  EXPECT_EQ(error_of("pause node").expected, "name=value");
  EXPECT_EQ(error_of("pause node=a lasts=200").expected,
            "a duration, e.g. 250ms, a law of them, e.g. 5ms..10ms, or none");
  EXPECT_EQ(error_of("delay by=5ms..").expected, "a law of durations, e.g. 5ms..10ms");
  EXPECT_EQ(error_of("kill node=a stays=yes").expected, "true or false");
  EXPECT_EQ(error_of("loss share-ppm=1e5").expected, "a whole number");
  FaultPlan plan;
  EXPECT_EQ(parse_plan("kill node=a\n\npause nodes=a\n", plan)->fault, 1U);
}

// The fields of a fault lie beside those of its trigger in one table of a scenario file.
TEST(FaultKinds, NoFieldHasTheNameOfATriggersField) {
  for (const FaultKind& kind : fault_kinds()) {
    Fault fault{.kind = std::string(kind.name), .options = AnyOptions(kind.default_options())};
    std::set<std::string_view> names{"kind"};
    SCOPED_TRACE(kind.name);
    visit_fields(fault, [&](const FieldInfo& f, auto&) {
      EXPECT_TRUE(names.insert(f.name).second) << f.name;
      EXPECT_FALSE(f.help.empty()) << f.name;
    });
    EXPECT_GE(names.size(), 6U);
    EXPECT_EQ(find_fault_kind(kind.name), &kind);
    EXPECT_FALSE(kind.summary.empty());
  }
}

TEST(FaultText, APartitionIsToldInWords) {
  using enum PartitionShape;
  EXPECT_EQ(in_words({.between = "a | redis4 redis5"}), "a is cut off from redis4 and redis5");
  EXPECT_EQ(in_words({.between = "a"}), "a is cut off from all other nodes");
  EXPECT_EQ(in_words({.between = "a b | redis | c"}), "a and b are cut off from redis, and from c");
  EXPECT_EQ(in_words({.shape = one_way, .between = "a | redis"}), "nothing from a reaches redis");
  EXPECT_EQ(in_words({.shape = one_way, .between = "a"}), "nothing from a reaches any other node");
  EXPECT_EQ(in_words({.shape = partial, .between = "a | x y z"}), "a is cut off from x, y and z");
  EXPECT_EQ(in_words({.shape = all, .between = "a | redis"}),
            "a is cut off from redis, and each of them from all other nodes");
  EXPECT_EQ(name_in_words({.between = "a | redis4 redis5"}), "partition between a and redis4 redis5");
  EXPECT_EQ(name_in_words({.between = "a"}), "partition around a");
  EXPECT_EQ(name_in_words({.shape = all, .between = "a | redis"}), "partition between a, redis and all other nodes");
  EXPECT_EQ(name_in_words({.shape = one_way, .between = "redis | a"}), "one-way partition from redis to a");
  EXPECT_EQ(name_in_words({.shape = one_way, .between = "a"}), "one-way partition from a to all other nodes");
}

TEST(FaultKinds, EveryMarkIsEitherAnEventOrAVerb) {
  EXPECT_TRUE(is_event(mark::enters));
  EXPECT_TRUE(is_event(mark::yields));
  EXPECT_TRUE(is_event(mark::renews));
  EXPECT_FALSE(is_event(mark::writes));
  EXPECT_FALSE(is_event(mark::reads));
  EXPECT_FALSE(is_event(*find_mark("set")));
}

}  // namespace
}  // namespace picklock
