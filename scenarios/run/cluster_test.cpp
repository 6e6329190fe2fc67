// Runs of a Redis cluster: who is asked, whose word counts, and how long two may believe.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "scenarios/file/error.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/services/redis/redis_spec.hpp"
#include "sim/redis/inspect.hpp"

namespace picklock {
namespace {

Scenario from_text(const std::string& text) {
  ScenarioFile read = read_scenario(text, "test");
  for (const ScenarioError& e : read.errors) ADD_FAILURE() << print(e);
  return read.scenario;
}

std::vector<std::string> problems_of(const std::string& text) {
  const auto r = Runner::compile(from_text(text));
  std::vector<std::string> where;
  if (const auto* problems = std::get_if<1>(&r)) {
    for (const ScenarioProblem& p : *problems) where.push_back(p.where);
  }
  return where;
}

const std::string kPlain = R"(
workload = "counter"
clients = [ { name = "a" }, { name = "b" } ]
[redis]
cluster = 3
replicas = 1
)";

TEST(ClusterRuns, SaysWhatDoesNotGoTogether) {
  EXPECT_TRUE(problems_of("lock = \"set-nx-px\"\n" + kPlain).empty());
  EXPECT_EQ(problems_of("lock = \"set-nx-px\"\n" + kPlain + "sentinels = 3\n"),
            std::vector<std::string>{"redis.sentinels"});
  EXPECT_EQ(problems_of("lock = \"redlock\"\n" + kPlain), std::vector<std::string>{"redis.cluster"});
}

// A cluster without faults serves every acquire by the one owner of the key, and redirects nothing twice.
TEST(ClusterRuns, AHealthyClusterIsOneServerForOneKey) {
  auto runner = std::move(std::get<0>(Runner::compile(from_text("lock = \"set-nx-px\"\n" + kPlain))));
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const RunResult& r = runner->run(seed);
    EXPECT_EQ(of(r.findings, Property::mutual_exclusion).verdict, Verdict::holds);
    EXPECT_EQ(of(r.findings, Property::never_free_again).verdict, Verdict::holds);
    std::set<NodeId> changed;
    for (const TraceRecord& rec : runner->record().journal()) {
      if (rec.kind == trace::redis_key_changed) changed.insert(rec.node);
      EXPECT_NE(rec.kind, trace::redis_serves) << "no node ceases to answer";
    }
    EXPECT_EQ(changed.size(), 2u) << "the owner and its replica";
  }
}

// The holder beside an isolated master: it renews until that refuses, and believes for one lease more.
// So by split + timeout until the silence is noticed (a half more: the ping; a tenth: the cron) + lease.
TEST(ClusterRuns, AMinoritysHolderBelievesForABoundedTime) {
  const Scenario s = load_scenario("cluster_minority_master").scenario;
  auto runner = std::move(std::get<0>(Runner::compile(s)));
  const Duration split = seconds(6), timeout = s.services.of<RedisSpec>().cluster.node_timeout, lease = seconds(2);
  Duration least = seconds(1000), most{};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RunResult& r = runner->run(seed);
    std::int64_t refused = 0;
    for (const TraceRecord& rec : runner->record().journal()) {
      if (rec.kind == trace::redis_serves && rec.a == 0 && rec.node == 2 && refused == 0) refused = rec.time;
    }
    const Duration served = Duration{refused} - split;
    least = std::min(least, served);
    most = std::max(most, served);
    EXPECT_GE(served, timeout / 2) << seed;
    EXPECT_LE(served, timeout * 3 / 2 + milliseconds(200)) << seed;
    std::int64_t last_end = 0;
    for (const BeliefEvent& b : r.history->beliefs) {
      if (b.end == BeliefEnd::deadline) last_end = std::max(last_end, b.time);
    }
    EXPECT_GT(last_end, 0) << "a's deadline ended its belief";
    EXPECT_LE(last_end, refused + lease.ns) << seed;
  }
  fmt::print("node timeout {} ms: the minority's master serves for another {} to {} ms\n", timeout.ms(), least.ms(),
             most.ms());
}

}  // namespace
}  // namespace picklock
