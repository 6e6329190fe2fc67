// The promises of figure 3 of the Raft paper hold under random schedules of mishaps, and the same schedules find every
// flaw of RaftFlaw.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "sim/core/effort_lab.hpp"
#include "sim/core/world_lab.hpp"
#include "sim/etcd/raft/raft_lab.hpp"

namespace picklock {
namespace {

using testing::RaftCluster;

struct Ran {
  std::string broken;
  bool settled = false;
  std::uint64_t commits = 0, elections = 0, reads = 0, snapshots = 0;
};

RaftOptions drawn_options(const RaftCluster::Choose& choose) {
  RaftOptions o;
  o.members = choose(3) == 0 ? 5 : 3;
  o.election_ticks = choose(2) == 0 ? 10 : 3;
  o.pre_vote = choose(2) == 0;
  o.check_quorum = choose(4) != 0;
  o.most_entries = choose(2) == 0 ? 1 : 4096;
  o.most_inflight = choose(2) == 0 ? 2 : 512;
  return o;
}

Ran run(const RaftCluster::Choose& choose, RaftFlaw flaw, std::uint32_t steps) {
  const RaftOptions options = drawn_options(choose);
  RaftCluster cluster(options, flaw, choose);
  cluster.run(steps);
  Ran ran;
  ran.settled = flaw == RaftFlaw::none && cluster.broken.empty() && cluster.settles();
  ran.broken = cluster.broken;
  ran.commits = cluster.commits;
  ran.elections = cluster.elections;
  ran.reads = cluster.reads_answered;
  ran.snapshots = cluster.snapshots;
  return ran;
}

Ran run(std::uint64_t seed, RaftFlaw flaw) {
  testing::Dice dice(seed);
  const RaftCluster::Choose choose = [&dice](std::uint32_t n) {
    return static_cast<std::uint32_t>(dice.between(0, static_cast<std::int64_t>(n) - 1));
  };
  const std::uint32_t steps = 300 + choose(1200);
  return run(choose, flaw, steps);
}

TEST(RaftProperty, HoldsUnderWhateverHappens) {
  Ran sum;
  for (std::uint64_t seed = 1; seed <= testing::effort(400); ++seed) {
    const Ran ran = run(seed, RaftFlaw::none);
    ASSERT_EQ(ran.broken, "") << "seed " << seed;
    ASSERT_TRUE(ran.settled) << "seed " << seed;
    sum.commits += ran.commits;
    sum.elections += ran.elections;
    sum.reads += ran.reads;
    sum.snapshots += ran.snapshots;
  }
  // Sometimes: each of these must happen.
  EXPECT_GT(sum.commits, 4'000u);
  EXPECT_GT(sum.elections, 1'000u);
  EXPECT_GT(sum.reads, 1'000u);
  EXPECT_GT(sum.snapshots, 20u);
}

// The same, as values that RapidCheck shrinks.
RC_GTEST_PROP(RaftProperty, HoldsUnderEverySchedule, (const std::vector<std::uint16_t>& bits)) {
  std::size_t next = 0;
  std::uint64_t calm = 0;
  const RaftCluster::Choose choose = [&](std::uint32_t n) -> std::uint32_t {
    if (next < bits.size()) return bits[next++] % n;
    return static_cast<std::uint32_t>(mix(++calm) % n);
  };
  const Ran ran = run(choose, RaftFlaw::none, static_cast<std::uint32_t>(bits.size()));
  RC_ASSERT(ran.broken == "");
  RC_ASSERT(ran.settled);
}

class RaftFlaws : public ::testing::TestWithParam<std::size_t> {};

TEST_P(RaftFlaws, AreFoundByTheSameSchedules) {
  const auto flaw = static_cast<RaftFlaw>(GetParam());
  std::uint64_t seed = 0;
  Ran ran;
  while (ran.broken.empty() && ++seed <= 20'000) ran = run(seed, flaw);
  EXPECT_NE(ran.broken, "") << to_string(flaw);
  fmt::print("{:<28} found in run {:>5}: {}\n", to_string(flaw), seed, ran.broken);
}

INSTANTIATE_TEST_SUITE_P(Raft, RaftFlaws, ::testing::Range<std::size_t>(1, kRaftFlaws), [](const auto& flawed) {
  std::string name(to_string(static_cast<RaftFlaw>(flawed.param)));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace picklock
