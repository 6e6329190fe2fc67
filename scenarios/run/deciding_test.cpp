#include "scenarios/run/deciding.hpp"

#include <gtest/gtest.h>

#include <set>

#include "checker/properties/waiting_bound.hpp"
#include "checker/properties/words.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/set.hpp"

namespace picklock {
namespace {

// A waiter that missed its message still waits at the end of the run, and has done so for less than the bound.
TEST(Deciding, TheSettingThatIsNamedDecides) {
  Scenario s = load_scenario("redisson_missed_message").scenario;
  ASSERT_FALSE(set_in_scenario(s, "phases.settle=1s"));
  const auto early = std::get<0>(Runner::compile(s));
  const RunResult& run = early->run(1);
  std::size_t named = 0;
  std::set<std::int64_t> bounds;
  for (const Finding& f : run.findings) {
    if (f.reason != Reason::pending_at_end) {
      EXPECT_EQ(deciding_setting(f, run, s), "") << info(f.property).name;
      continue;
    }
    ++named;
    // Its own bound is told, of which the setting is longer by the settle phase as it was.
    const std::int64_t bound = bound_of_waiting(f.property, run.judged_with);
    EXPECT_NE(explain(f, *run.history, run.judged_with).find("the bound is " + in_milliseconds(bound)),
              std::string::npos);
    EXPECT_LT((deciding_settle(f, run, s)->ns - s.phases.settle.ns - bound), seconds(1).ns);
    bounds.insert(bound);
    Scenario longer = s;
    ASSERT_FALSE(set_in_scenario(longer, deciding_setting(f, run, s)));
    const auto whole = std::get<0>(Runner::compile(longer));
    EXPECT_NE(of(whole->run(1).findings, f.property).verdict, Verdict::undecided) << info(f.property).name;
    // The broken twin: a phase as long as before decides nothing.
    EXPECT_EQ(of(early->run(1).findings, f.property).verdict, Verdict::undecided);
  }
  EXPECT_GT(named, 0u);
  EXPECT_EQ(bounds.size(), named) << "the properties' bounds differ, so that one told for another shows";
}

}  // namespace
}  // namespace picklock
