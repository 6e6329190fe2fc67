// The cluster as a store: generated requests under generated faults are linearizable, serializable reads aside;
// and a cluster whose Raft is wrong is found out by the same runs.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/core/test_effort.hpp"
#include "sim/etcd/store_lab.hpp"

namespace picklock {
namespace {

using testing::EtcdCluster;
using testing::run_store;
using testing::StoreRun;

constexpr std::uint64_t kShards = 8;

// Unoptimized or instrumented builds do a tenth of it.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
constexpr std::uint64_t kRuns = 20'000;
#else
constexpr std::uint64_t kRuns = 2'000;
#endif

class EtcdStore : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(EtcdStore, IsLinearizableUnderFaults) {
  EtcdCluster cluster;
  StoreRun sum;
  const std::uint64_t runs = testing::effort(kRuns) / kShards;
  for (std::uint64_t k = 0; k < runs; ++k) {
    const std::uint64_t seed = 1 + GetParam() + k * kShards;
    const StoreRun run = run_store(cluster, seed);
    ASSERT_EQ(run.broken, "") << "seed " << seed;
    sum.requests += run.requests;
    sum.acknowledged += run.acknowledged;
    sum.unknown += run.unknown;
    sum.stale += run.stale;
    sum.elections += run.elections;
    sum.entries += run.entries;
  }
  // Sometimes: requests are answered and are not, leaders change, a serializable read is stale.
  EXPECT_GT(sum.acknowledged, runs * 10);
  EXPECT_GT(sum.unknown, runs);
  EXPECT_GT(sum.elections, runs * 3 / 2);
  EXPECT_GT(sum.stale, runs / 25);
  fmt::print("{} runs: {} requests, {} acknowledged, {} unknown, {} stale serializable reads, {} leaders, {} entries\n",
             runs, sum.requests, sum.acknowledged, sum.unknown, sum.stale, sum.elections, sum.entries);
}

INSTANTIATE_TEST_SUITE_P(Shard, EtcdStore, ::testing::Range<std::uint64_t>(0, kShards));

// In a running cluster: how many runs it takes until something that can never be is seen.
class FlawedStore : public ::testing::TestWithParam<std::size_t> {};

TEST_P(FlawedStore, IsFoundOut) {
  const auto flaw = static_cast<RaftFlaw>(GetParam());
  EtcdCluster cluster;
  std::uint64_t seed = 0;
  StoreRun run;
  while (run.broken.empty() && ++seed <= testing::effort(kRuns)) run = run_store(cluster, seed, flaw);
  EXPECT_NE(run.broken, "") << to_string(flaw);
  fmt::print("{:<28} found in run {:>5}: {}\n", to_string(flaw), seed, run.broken);
}

INSTANTIATE_TEST_SUITE_P(Raft, FlawedStore, ::testing::Range<std::size_t>(1, kRaftFlaws), [](const auto& flawed) {
  std::string name(to_string(static_cast<RaftFlaw>(flawed.param)));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace picklock
