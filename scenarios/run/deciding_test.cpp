#include "scenarios/run/deciding.hpp"

#include <gtest/gtest.h>

#include "scenarios/file/library.hpp"
#include "scenarios/file/set.hpp"

namespace picklock {
namespace {

// A waiter that missed its message still waits at the end of the run, and has done so for less than the bound.
TEST(Deciding, TheSettingThatIsNamedDecides) {
  const Scenario s = load_scenario("redisson_missed_message").scenario;
  const auto early = std::get<0>(Runner::compile(s));
  const RunResult& run = early->run(1);
  std::size_t named = 0;
  for (const Finding& f : run.findings) {
    if (f.reason != Reason::pending_at_end) {
      EXPECT_EQ(deciding_setting(f, run, s), "") << info(f.property).name;
      continue;
    }
    ++named;
    EXPECT_NE(explain(f, *run.history, run.judged_with).find("the run settled for "), std::string::npos);
    Scenario longer = s;
    ASSERT_FALSE(set_in_scenario(longer, deciding_setting(f, run, s)));
    const auto whole = std::get<0>(Runner::compile(longer));
    EXPECT_NE(of(whole->run(1).findings, f.property).verdict, Verdict::undecided) << info(f.property).name;
    // The broken twin: a phase as long as before decides nothing.
    EXPECT_EQ(of(early->run(1).findings, f.property).verdict, Verdict::undecided);
  }
  EXPECT_GT(named, 0u);
}

}  // namespace
}  // namespace picklock
