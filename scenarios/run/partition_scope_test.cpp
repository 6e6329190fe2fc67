// A partition of two named sides cuts nothing else, unless its shape says so.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scenarios/run/run_lab.hpp"

namespace picklock {
namespace {

// A holder without renewal is cut off from Redis, and works longer than its lease; the resource is within its reach.
std::unique_ptr<Runner> cut_off(std::string_view shape) {
  const ScenarioFile file = read_scenario(
      fmt::format(
          "lock = {{ name = \"set-nx-px\", ttl = \"300ms\", retry = \"5ms..10ms\" }}\n"
          "clients = [ {{ name = \"a\", hold = \"500ms\" }}, {{ name = \"b\", start = \"10ms\", hold = \"50ms\" }} ]\n"
          "[[fault]]\nkind = \"partition\"\nbetween = \"a | redis\"\non = \"a enters\"\nlasts = \"1s\"\n{}",
          shape),
      "cut.toml");
  for (const ScenarioError& e : file.errors) ADD_FAILURE() << print(e);
  return compile(file.scenario);
}

TEST(PartitionScope, TwoNamedSidesCutThoseSidesAlone) {
  for (const std::string_view shape : {"", "shape = \"partial\"\n"}) {
    const auto runner = cut_off(shape);
    const RunResult& r = runner->run(1);
    EXPECT_EQ(verdict(r, Property::lost_update), Verdict::violated) << "b takes the lock over, and a writes late";
    EXPECT_EQ(verdict(r, Property::stale_write), Verdict::violated);
  }
  const auto wide = cut_off("shape = \"all\"\n");
  const RunResult& r = wide->run(1);
  EXPECT_EQ(verdict(r, Property::lost_update), Verdict::holds) << "b is cut off from redis too, and a from the storage";
}

}  // namespace
}  // namespace picklock
