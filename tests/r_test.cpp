// Statistics beside R, where it is installed: every figure that a table or a comparison prints, for random counts.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "checker/properties/statistics.hpp"
#include "statistics/paired.hpp"
#include "statistics/survival.hpp"
#include "tests/command_runs.hpp"

namespace picklock::testing {
namespace r_test {

class BesideR : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run_shell("Rscript --version").status != 0) GTEST_SKIP() << "there is no R";
    script_ =
        "same <- function(what, ours, theirs, tolerance = 1e-8)\n"
        "  if (length(ours) != length(theirs) || any(abs(ours - theirs) > tolerance * pmax(1, abs(theirs)))) {\n"
        "    cat('DIFFERENT', what, ours, theirs, '\\n'); quit(status = 1) }\n";
  }
  void say(const std::string& line) { script_ += line + "\n"; }
  void run(const std::string& name) {
    const std::string file = scratch("r_" + name);
    std::ofstream(file) << script_ << "cat('equal\\n')\n";
    const Ran ran = run_shell("Rscript --vanilla " + file);
    std::filesystem::remove(file);
    EXPECT_EQ(ran.status, 0);
    EXPECT_TRUE(has(ran, "equal\n")) << ran.out;
  }
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  std::mt19937_64 random_{16};
  std::string script_;
};

TEST_F(BesideR, IntervalsOfOneShare) {
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t n = 1 + below(i < 50 ? 40 : 1'000'000),
                        k = below(i % 3 == 0 ? std::min<std::uint64_t>(n, 4) : n + 1);
    const ShareInterval exact = clopper_pearson(k, n), score = wilson(k, n);
    say(fmt::format("same('binom.test {0}/{1}', c({2:.17g}, {3:.17g}), binom.test({0}, {1})$conf.int)", k, n, exact.low,
                    exact.high));
    say(
        fmt::format("same('prop.test {0}/{1}', c({2:.17g}, {3:.17g}), "
                    "suppressWarnings(prop.test({0}, {1}, correct = FALSE))$conf.int, 1e-6)",
                    k, n, score.low, score.high));
  }
  run("share");
}

TEST_F(BesideR, PairsOfRuns) {
  std::vector<double> all;
  for (int i = 0; i < 100; ++i) {
    const PairTable t{below(1000), 1 + below(i < 50 ? 20 : 400), below(i < 50 ? 20 : 400), below(1000), 0};
    const double p = mcnemar_exact(t);
    all.push_back(p);
    say(fmt::format("same('exact McNemar', {:.17g}, binom.test({}, {})$p.value)", p, t.only_a, t.differing()));
    // R's own test is the approximation for many pairs.
    if (t.differing() > 200) {
      say(fmt::format("same('mcnemar.test', {:.17g}, mcnemar.test(matrix(c({}, {}, {}, {}), 2))$p.value, 0.01)", p,
                      t.both, t.only_a, t.only_b, t.neither));
    }
  }
  say(fmt::format("same('Holm', c({:.17g}), p.adjust(c({:.17g}), 'holm'))", fmt::join(holm(all), ", "),
                  fmt::join(all, ", ")));
  run("pairs");
}

TEST_F(BesideR, DifferencesOfPairs) {
  for (int i = 0; i < 30; ++i) {
    PairedDifferences differences;
    std::vector<std::int64_t> values;
    for (std::uint64_t n = 2 + below(60); n > 0; --n) {
      values.push_back(static_cast<std::int64_t>(below(2'000'000)) - 900'000);
      differences.add(1'000'000, 1'000'000 + values.back());
    }
    const Estimate mean = differences.mean().value();
    say(fmt::format("x <- c({})", fmt::join(values, ", ")));
    say(fmt::format("same('t.test', c({:.17g}, {:.17g}, {:.17g}), c(mean(x), t.test(x)$conf.int))", mean.value,
                    mean.low, mean.high));
  }
  run("differences");
}

TEST_F(BesideR, TimesToAViolation) {
  if (run_shell("Rscript -e 'library(survival)'").status != 0) GTEST_SKIP() << "R has no package survival";
  say("library(survival)");
  for (int i = 0; i < 40; ++i) {
    Histogram violated, censored;
    std::vector<std::uint64_t> times, states;
    for (std::uint64_t n = 2 + below(i < 20 ? 12 : 300); n > 0; --n) {
      const std::uint64_t time = 1 + below(200);  // below 256 each time is its own class
      const bool ends = times.empty() || below(3) > 0;
      (ends ? violated : censored).add(static_cast<std::int64_t>(time));
      times.push_back(time);
      states.push_back(ends);
    }
    std::vector<std::int64_t> at;
    std::vector<double> share, low, high;
    for (const SurvivalStep& step : kaplan_meier(violated, censored)) {
      at.push_back(step.time);
      share.push_back(step.share);
      if (step.share == 0) continue;  // R gives no interval there
      low.push_back(step.low);
      high.push_back(step.high);
    }
    say(fmt::format("s <- summary(survfit(Surv(c({}), c({})) ~ 1, conf.type = 'log-log'))", fmt::join(times, ", "),
                    fmt::join(states, ", ")));
    say(fmt::format("same('times', c({}), s$time)", fmt::join(at, ", ")));
    say(fmt::format("same('survfit', c({:.17g}), s$surv)", fmt::join(share, ", ")));
    say(fmt::format("same('low', c({:.17g}), s$lower[s$surv > 1e-12], 1e-6)", fmt::join(low, ", ")));
    say(fmt::format("same('high', c({:.17g}), s$upper[s$surv > 1e-12], 1e-6)", fmt::join(high, ", ")));
  }
  run("survival");
}

// The comparison itself can fail.
TEST_F(BesideR, ADifferenceIsNoticed) {
  say("same('nothing', 0.5, 0.500001)");
  const std::string file = scratch("r_wrong");
  std::ofstream(file) << script_;
  const Ran ran = run_shell("Rscript --vanilla " + file);
  std::filesystem::remove(file);
  EXPECT_NE(ran.status, 0);
  EXPECT_TRUE(has(ran, "DIFFERENT")) << ran.out;
}

}  // namespace r_test
}  // namespace picklock::testing
