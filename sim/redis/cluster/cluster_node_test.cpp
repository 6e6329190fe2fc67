#include "sim/redis/cluster/cluster_node.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <tuple>

#include "base/hash.hpp"
#include "sim/core/effort_lab.hpp"

namespace picklock {
namespace {

class SeededDice final : public ClusterDice {
 public:
  explicit SeededDice(std::uint64_t seed) : state_(seed) {}
  std::int64_t below(std::int64_t n) override {
    return static_cast<std::int64_t>(mix(state_ += kGolden) % static_cast<std::uint64_t>(n));
  }

 private:
  std::uint64_t state_;
};

// Three masters 0 1 2 with a shard each, and a replica of each: 3 4 5.  Packets take a millisecond.
struct Cluster {
  explicit Cluster(std::uint64_t seed = 1, Duration node_timeout = seconds(2), ClusterFlaw flaw = ClusterFlaw::none)
      : dice(seed) {
    ClusterStore initial;
    initial.epoch = 3;
    initial.config_epochs = {1, 2, 3, 0, 0, 0};
    initial.masters = {kNobody, kNobody, kNobody, 0, 1, 2};
    initial.owners = {0, 1, 2};
    ClusterOptions options;
    options.node_timeout = node_timeout;
    for (ClusterIndex i = 0; i < 6; ++i) {
      nodes.push_back(std::make_unique<ClusterNode>(i, initial, options, dice, flaw));
      nodes[i]->boot(nullptr, now);
      heard[i] = now;
    }
  }
  bool passes(ClusterIndex from, ClusterIndex to) const {
    return alive[from] && alive[to] && island[from] == island[to];
  }
  void run(std::int64_t ms) {
    for (const std::int64_t end = now + ms; now < end; ++now) {
      while (!wire.empty() && wire.front().first <= now) {
        const ClusterPacket p = std::move(wire.front().second);
        wire.pop_front();
        if (!passes(p.from, p.to)) continue;
        nodes[p.to]->receive(p, now);
        flush(p.to);
      }
      for (ClusterIndex i = 0; i < 6; ++i) {
        if (!alive[i] || now % 100 != i * 13) continue;
        const ClusterIndex m = nodes[i]->master();
        if (m == kNobody || passes(i, m)) heard[i] = now;
        nodes[i]->tick(now, {offset[i], now - heard[i]});
        flush(i);
        if (nodes[i]->won_in() != 0) winners[nodes[i]->won_in()].insert(i);
      }
    }
  }
  void flush(ClusterIndex i) {
    if (nodes[i]->take_must_store()) stored[i] = nodes[i]->stored();
    for (ClusterPacket& p : nodes[i]->outbox()) wire.emplace_back(now + 1, std::move(p));
    nodes[i]->outbox().clear();
  }
  void restart(ClusterIndex i) {
    alive[i] = true;
    const ClusterStore kept = stored.count(i) != 0 ? stored[i] : nodes[i]->stored();
    nodes[i]->boot(&kept, now);
  }
  std::vector<ClusterIndex> serving(std::uint32_t shard) const {
    std::vector<ClusterIndex> all;
    for (ClusterIndex i = 0; i < 6; ++i) {
      if (alive[i] && nodes[i]->answer(shard) == ClusterNode::Answer::serve) all.push_back(i);
    }
    return all;
  }

  SeededDice dice;
  std::int64_t now = 1'000'000;
  std::vector<std::unique_ptr<ClusterNode>> nodes;
  std::map<ClusterIndex, ClusterStore> stored;
  std::deque<std::pair<std::int64_t, ClusterPacket>> wire;
  bool alive[6] = {true, true, true, true, true, true};
  int island[6] = {};
  std::int64_t offset[6] = {}, heard[6] = {};
  std::map<ClusterEpoch, std::set<ClusterIndex>> winners;
};

// Runs a file of commands and compares what the cluster looks like after each `run`.
//
//   fresh | kill N | restart N | island N… | heal | run MS
//   > shard 0: served by N…; …
TEST(Cluster, Script) {
  const std::string path = PICKLOCK_SOURCE_DIR "/sim/redis/cluster/testdata/failover.txt";
  std::ifstream in(path);
  ASSERT_TRUE(in) << path;
  std::string expected, got;
  auto fresh = std::make_unique<Cluster>();
  for (std::string line; std::getline(in, line);) {
    Cluster& c = *fresh;
    expected += line + '\n';
    if (line.substr(0, 2) == "> ") continue;
    got += line + '\n';
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    std::int64_t n = 0;
    if (verb == "fresh") {
      fresh = std::make_unique<Cluster>();
      continue;
    }
    if (verb == "kill" && words >> n) c.alive[n] = false;
    if (verb == "restart" && words >> n) c.restart(static_cast<ClusterIndex>(n));
    if (verb == "heal") std::fill(std::begin(c.island), std::end(c.island), 0);
    if (verb == "island") {
      while (words >> n) c.island[n] = 1;
    }
    if (verb != "run" || !(words >> n)) continue;
    c.run(n);
    got += "> ";
    for (std::uint32_t shard = 0; shard < 3; ++shard) {
      got += "shard " + std::to_string(shard) + ":";
      for (const ClusterIndex i : c.serving(shard)) got += " " + std::to_string(i);
      got += shard < 2 ? "; " : "\n";
    }
  }
  if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(path) << got;
    GTEST_SKIP() << "rewritten";
  }
  EXPECT_EQ(got, expected);
}

// Within two timeouts of a death: suspected, failed by a majority, an election after 500 to 1000 ms.
TEST(Cluster, AReplicaTakesOver) {
  std::int64_t least = INT64_MAX, most = 0;
  for (std::uint64_t seed = 1; seed <= testing::effort(20); ++seed) {
    Cluster c(seed);
    c.run(5000 + static_cast<std::int64_t>(seed) * 31);
    c.alive[0] = false;
    const std::int64_t died = c.now;
    while (c.serving(0).empty() && c.now < died + 20'000) c.run(1);
    ASSERT_EQ(c.serving(0), std::vector<ClusterIndex>{3}) << seed;
    least = std::min(least, c.now - died);
    most = std::max(most, c.now - died);
    EXPECT_EQ(c.nodes[3]->config_epoch(), 4u);
  }
  fmt::print("node timeout 2000: served again after {} to {} ms\n", least, most);
  EXPECT_GE(least, 2000 + 500);
  EXPECT_LE(most, 2 * 2000 + 500 + 500 + 500);
}

// The one with more data goes first: each rank costs a second.
TEST(Cluster, TheReplicaWithMoreDataGoesFirst) {
  Cluster c;
  // Node 4 becomes a second replica of 0.
  ClusterStore s = c.nodes[0]->stored();
  s.masters[4] = 0;
  for (ClusterIndex i = 0; i < 6; ++i) c.nodes[i]->boot(&s, c.now);
  c.offset[3] = 100;
  c.offset[4] = 200;
  c.run(6000);
  c.alive[0] = false;
  c.run(6000);
  EXPECT_EQ(c.serving(0), std::vector<ClusterIndex>{4});
}

TEST(Cluster, DataTooOldAreNotPromoted) {
  Cluster c;
  c.run(3000);
  c.island[3] = 1;
  c.run(10'000 + 10 * 2000 + 2000 + 5000);  // cut off for longer than what is valid
  c.alive[0] = false;
  c.island[3] = 0;
  c.heard[3] = c.now - (10'000 + 10 * 2000 + 2000 + 5000);
  c.run(15'000);
  EXPECT_TRUE(c.serving(0).empty());
}

TEST(Cluster, TheMinorityMasterStopsServingAndFollows) {
  Cluster c;
  c.run(5000);
  c.island[0] = 1;
  const std::int64_t cut = c.now;
  while (!c.serving(0).empty() && c.serving(0)[0] == 0 && c.now < cut + 20'000) c.run(1);
  const std::int64_t stopped = c.now - cut;
  fmt::print("node timeout 2000: the isolated master refuses after {} ms\n", stopped);
  EXPECT_GE(stopped, 1900);
  EXPECT_LE(stopped, 2 * 2000);
  c.run(5000);
  EXPECT_EQ(c.serving(0), std::vector<ClusterIndex>{3});
  c.island[0] = 0;
  c.run(4000);
  EXPECT_EQ(c.serving(0), std::vector<ClusterIndex>{3});
  EXPECT_EQ(c.nodes[0]->master(), 3u) << "the last failover wins";
}

TEST(Cluster, AfterARebootAMasterRefusesForTwoSeconds) {
  Cluster c;
  c.run(3000);
  c.alive[0] = false;
  c.run(500);
  c.restart(0);
  c.run(1900);
  EXPECT_TRUE(c.serving(0).empty());
  c.run(800);
  EXPECT_EQ(c.serving(0), std::vector<ClusterIndex>{0});
}

TEST(Cluster, SlotsOfKeys) {
  EXPECT_EQ(cluster_slot("123456789"), 0x31c3u);  // the specification's own check value
  EXPECT_EQ(cluster_slot("{user1000}.following"), cluster_slot("user1000"));
  EXPECT_EQ(cluster_slot("foo{}{bar}"), cluster_slot("foo{}{bar}"));
  EXPECT_NE(cluster_slot("foo{}{bar}"), cluster_slot("bar"));
  EXPECT_EQ(cluster_shard("123456789", 3), 0x31c3u * 3 / 16384);
}

// Random deaths, restarts and cuts: at most one winner an epoch; after healing one owner a shard.
struct Disturbed {
  bool two_winners = false, converged = true, two_serve_long = false;
};
Disturbed disturb(std::uint64_t seed, ClusterFlaw flaw) {
  Cluster c(seed, seconds(2), flaw);
  SeededDice dice(seed ^ 0xc1);
  Disturbed out;
  c.run(2000);
  for (int i = 0; i < 12; ++i) {
    const auto n = static_cast<ClusterIndex>(dice.below(6));
    switch (dice.below(4)) {
      case 0:
        c.alive[n] = false;
        break;
      case 1:
        if (!c.alive[n]) c.restart(n);
        break;
      case 2:
        c.island[n] = 1 - c.island[n];
        break;
      default:  // both replicas of a failed pair want votes at once
        c.alive[dice.below(3)] = false;
        for (ClusterIndex k = 0; k < 6; ++k) {
          if (c.alive[k]) c.restart(k);
        }
    }
    c.run(500 + dice.below(6000));
    for (std::uint32_t shard = 0; shard < 3; ++shard) {
      // An isolated master may serve for a timeout and a bit; no longer.
      if (c.serving(shard).size() > 1) {
        const auto before = c.serving(shard);
        c.run(6000);
        out.two_serve_long |= c.serving(shard).size() > 1 && c.serving(shard) == before;
      }
    }
  }
  std::fill(std::begin(c.island), std::end(c.island), 0);
  for (ClusterIndex i = 0; i < 6; ++i) {
    if (!c.alive[i]) c.restart(i);
  }
  c.run(60'000);
  for (std::uint32_t shard = 0; shard < 3; ++shard) out.converged &= c.serving(shard).size() == 1;
  for (const auto& [epoch, who] : c.winners) out.two_winners |= who.size() > 1;
  return out;
}

TEST(ClusterProperties, OneWinnerAnEpochAndOneOwnerAShard) {
  std::size_t runs = 0;
  for (std::uint64_t seed = 1; seed <= testing::effort(15); ++seed, ++runs) {
    const Disturbed o = disturb(seed, ClusterFlaw::none);
    EXPECT_FALSE(o.two_winners) << seed;
    EXPECT_FALSE(o.two_serve_long) << seed;
    EXPECT_TRUE(o.converged) << seed;
  }
  fmt::print("{} runs\n", runs);
}

TEST(ClusterProperties, BrokenTwinsAreCaught) {
  // Without a majority two must stand for election within a round trip, which one run in some 200 has: in CI the
  // search begins shortly before that one.
  const bool soak = testing::soak_factor() > 1;
  const std::tuple<ClusterFlaw, const char*, std::uint64_t> twins[] = {
      {ClusterFlaw::needs_no_majority, "needs no majority", soak ? 1 : 209},
      {ClusterFlaw::serves_in_minority, "serves in a minority", 1}};
  for (const auto& [flaw, name, first] : twins) {
    std::size_t runs = 0;
    for (std::uint64_t seed = first; seed <= 400 && runs == 0; ++seed) {
      const Disturbed o = disturb(seed, flaw);
      if (o.two_winners || o.two_serve_long) runs = seed - first + 1;
    }
    fmt::print("{}: caught after {} runs\n", name, runs);
    EXPECT_GT(runs, 0u) << name;
  }
}

}  // namespace
}  // namespace picklock
