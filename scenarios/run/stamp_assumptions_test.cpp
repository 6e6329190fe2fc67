// A stamp counts from its author's question: what the question loses on its way, the margin must cover.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string_view>

#include "scenarios/file/read.hpp"
#include "scenarios/run/run_lab.hpp"

namespace picklock {
namespace stamp_assumptions_test {

// The server stops before it hears of a, who then works for almost the whole timeout.
TEST(StampAssumptions, AStopOfTheServerThatOutlastsTheMarginLetsTwoIn) {
  for (const bool long_stop : {false, true}) {
    const ScenarioFile file =
        read_scenario(fmt::format("lock = {{ name = \"getset-timestamp\", timeout = \"600ms\", margin = \"60ms\" }}\n"
                                  "clients = [ {{ name = \"a\", hold = \"597ms\" }}, {{ name = \"b\", start = "
                                  "\"10ms\", hold = \"50ms\" }} ]\n"
                                  "[[fault]]\nkind = \"pause\"\nnode = \"redis\"\nat = \"0ms\"\nlasts = \"{}\"\n",
                                  long_stop ? "67ms" : "14ms"),
                      "stamp.toml");
    ASSERT_TRUE(file.ok()) << print(file.errors[0]);
    const auto runner = compile(file.scenario);
    std::uint64_t two_in = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const RunResult& r = runner->run(seed);
      for (const Assessment& a : r.assumptions) {
        const bool stop = a.assumption.kind == AssumptionKind::pauses_shorter_than;
        EXPECT_EQ(a.met, !(stop && long_stop)) << print(a);
      }
      two_in += verdict(r, Property::mutual_exclusion) == Verdict::violated;
    }
    EXPECT_EQ(two_in > 0, long_stop) << two_in;
  }
}

}  // namespace stamp_assumptions_test
}  // namespace picklock
