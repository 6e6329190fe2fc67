// A second way to a rare probability, which shares nothing with splitting but the simulator: importance sampling.
//
// Both pauses of scripts/estimates/session.toml are drawn by the test, from a mixture with longer ones, and given to the run as
// named draws; each violation counts with the ratio of the densities (a mixture bounds it).  No closed form is known for a
// session, whose end depends on the phase of its heartbeats and of its server's ticks.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "base/hash.hpp"
#include "instruments/estimate/splitting.hpp"
#include "scenarios/file/edits.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {
namespace importance_test {

constexpr double kMean = 4e8, kLonger = 2e9, kCap = 15e9;  // ns

Scenario session() {
  ScenarioFile file = load_scenario(PICKLOCK_SOURCE_DIR "/scripts/estimates/session.toml");
  EXPECT_TRUE(file.ok());
  EXPECT_TRUE(edit_scenario(file.scenario, {.lock = {}, .set = {"fault.*.lasts=exp(400ms, cap 15s)"}, .without = {}})
                  .errors.empty());
  return file.scenario;
}

double density(double x, double mean) { return std::exp(-x / mean) / mean; }

struct Mean {
  double value = 0, error = 0;
};

Mean mean_of(double sum, double squares, double n) {
  const double mean = sum / n;
  return {mean, std::sqrt((squares / n - mean * mean) / n)};
}

Mean by_importance(std::uint64_t samples) {
  const Scenario s = session();
  auto compiled = Runner::compile(s);
  Runner& runner = *std::get<0>(compiled);
  std::mt19937_64 bits(1);
  const auto exponential = [&](double mean) {  // the library's values differ among compilers
    return -mean * std::log((static_cast<double>(bits() >> 11) + 0.5) / 9007199254740992.0);
  };
  double sum = 0, squares = 0;
  for (std::uint64_t i = 0; i < samples; ++i) {
    const std::uint64_t kind = bits() % 5;  // two of five: the first is longer; two: the second; one: both
    const double first = exponential(kind < 2 || kind == 4 ? kLonger : kMean);
    const double second = exponential(kind >= 2 ? kLonger : kMean);
    const RunResult& r = runner.run(mix(1, i), {},
                                    {.reseeds = {},
                                     .overrides = {{"world/fault@world#0.2", std::llround(std::min(first, kCap))},
                                                   {"world/fault@world#0.6", std::llround(std::min(second, kCap))}}});
    if (!violates(r, Property::mutual_exclusion)) continue;
    const double drawn_from = 0.4 * density(first, kLonger) * density(second, kMean) +
                              0.4 * density(first, kMean) * density(second, kLonger) +
                              0.2 * density(first, kLonger) * density(second, kLonger);
    const double weight = density(first, kMean) * density(second, kMean) / drawn_from;
    sum += weight;
    squares += weight * weight;
  }
  return mean_of(sum, squares, static_cast<double>(samples));
}

// PICKLOCK_SAMPLES=400000 gives the figure of docs/estimate.md.
TEST(Splitting, AgreesWithImportanceSamplingOfASession) {
  const char* const asked = std::getenv("PICKLOCK_SAMPLES");
  const Mean weighted = by_importance(asked != nullptr ? std::strtoull(asked, nullptr, 10) : 10'000);
  const Scenario s = session();
  RunnerPool pool(s);
  ASSERT_TRUE(pool.problems().empty());
  SplittingOptions options;
  options.trajectories = asked != nullptr ? 3000 : 150;
  const Splitting splitting = estimate_by_splitting(pool, options);
  ASSERT_EQ(splitting.refusal, "");
  const Sample sample = sample_of(splitting.values);
  const double error = sample.deviation / std::sqrt(static_cast<double>(sample.count));
  std::printf("importance sampling %.4g +- %.2g, splitting %.4g +- %.2g (standard errors)\n", weighted.value,
              weighted.error, sample.mean, error);
  EXPECT_LE(std::abs(sample.mean - weighted.value), 3 * std::hypot(error, weighted.error));
  EXPECT_LE(error, 0.2 * sample.mean);
  EXPECT_LE(weighted.error, 0.1 * weighted.value);
}

}  // namespace importance_test
}  // namespace picklock
