#include "sim/core/draws.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "sim/core/chaos_lab.hpp"

namespace picklock {
namespace {

using testing::Chaos;
using testing::ChaosOptions;
using testing::Lab;
using testing::ms;
using testing::true_at;

Entity entity(std::string_view name) { return {hash_of(name), 0}; }
Operation operation(std::string_view owner, std::uint32_t ordinal) {
  return {Operation::key_of(hash_of(owner), ordinal), 0, ordinal, 0};
}

TEST(Draws, GoldenBits) {
  Draws draws;
  draws.reset(42);
  const auto bits = [&](std::string_view who, Purpose p, std::uint32_t ordinal, std::uint32_t n) {
    return draws.bits({}, entity(who), p, operation(who, ordinal), n);
  };
  EXPECT_EQ(bits("a", Purpose::lock_value, 1, 1), 0x793c91623d0a6565u);
  EXPECT_EQ(bits("a", Purpose::lock_value, 1, 2), 0x7a23527389b04151u);
  EXPECT_EQ(bits("a", Purpose::lock_value, 2, 1), 0xb7db7bf8d2a31e91u);
  EXPECT_EQ(bits("a", Purpose::retry_delay, 1, 1), 0xc261d573ec999489u);
  EXPECT_EQ(bits("a.renewal", Purpose::lock_value, 1, 1), 0x6bbd964a15dccc7cu);
  draws.reset(43);
  EXPECT_EQ(bits("a", Purpose::lock_value, 1, 1), 0x5d4902130c38e8ceu);
}

RC_GTEST_PROP(Draws, DependOnTheNameAndTheSeedAlone, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto n = *rc::gen::arbitrary<std::uint32_t>();
  const auto ordinal = *rc::gen::arbitrary<std::uint32_t>();
  const auto p = static_cast<Purpose>(*rc::gen::inRange(0, static_cast<int>(Purpose::count_)));
  Draws one, other;
  one.reset(seed);
  other.reset(seed);
  const auto drawn = [&](Draws& d, std::uint32_t number) {
    return d.bits({}, entity("a"), p, operation("b", ordinal), number);
  };
  for (std::uint32_t i = 0; i < 10; ++i) (void)drawn(other, n - i - 1);
  RC_ASSERT(drawn(one, n) == drawn(other, n));
  RC_ASSERT(drawn(one, n) != drawn(one, n + 1));
  other.reset(seed + 1);
  RC_ASSERT(drawn(one, n) != drawn(other, n));
}

// Every bit of the values of successive names is set about half of the time.
TEST(Draws, AreEvenlySpread) {
  Draws draws;
  draws.reset(7);
  std::array<int, 64> ones{};
  std::set<std::uint64_t> distinct;
  constexpr int kDraws = 10'000;
  for (std::uint32_t i = 0; i < kDraws; ++i) {
    const std::uint64_t v = draws.bits({}, entity("a"), Purpose::latency, operation("a", i / 7), i % 7);
    distinct.insert(v);
    for (std::size_t bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>(v >> bit & 1);
  }
  EXPECT_EQ(distinct.size(), static_cast<std::size_t>(kDraws));
  for (const int n : ones) EXPECT_NEAR(n, kDraws / 2, 300);  // six standard deviations
}

TEST(Draws, OverridesAreReadOrTheFirstBadNameIsGivenBack) {
  Draws draws;
  EXPECT_EQ(draws.set_overrides({{"a/hold@a#1.1", 5}, {"a.renewal/latency@b#0.4294967295", -1}, {"a>b/loss@a#2.1", 0}}),
            std::nullopt);
  for (const char* bad :
       {"", "a", "a/hold", "a/hold@a", "a/hold@a#1", "a/hold@a#.1", "a/hold@a#1.", "a/holds@a#1.1", "a/hold@a#x.1",
        "a/hold@a#1.x", "a/hold@a#1.4294967296", "hold@a#1.1", "a@hold/a#1.1", "a/hold@a#-1.1", "a/hold@a# 1.1"}) {
    EXPECT_EQ(draws.set_overrides({{"a/hold@a#1.1", 5}, {bad, 1}}), bad);
  }
}

// --- in a world

struct Log {
  std::vector<std::pair<std::string, std::int64_t>> draws;
  std::uint64_t digest = 0;
};
constexpr ChaosOptions kSmall{.clients = 2, .faults = 12, .lasts = ms(300), .without_fault = -1};

Log log_of(Lab& lab, std::uint64_t seed, const std::vector<DrawOverride>& overrides = {},
           std::optional<Duration> reseed_at = {}) {
  lab.world.draws.log(true);
  lab.reset(seed);
  EXPECT_EQ(lab.world.draws.set_overrides(overrides), std::nullopt);
  if (reseed_at) lab.at(*reseed_at, [](World& w) { w.draws.reseed(999); });
  Chaos chaos;
  chaos.run(lab, seed, kSmall);
  Log log;
  for (const DrawRecord& r : lab.world.draws.logged()) log.draws.emplace_back(lab.world.tasks.draw_name(r), r.value);
  log.digest = lab.world.trace.digest();
  lab.reset(0);
  return log;
}

TEST(DrawsInWorld, EveryPrintedNameOverridesExactlyThatDraw) {
  Lab lab;
  std::set<std::string> purposes;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Log plain = log_of(lab, seed);
    ASSERT_GT(plain.draws.size(), 80u);
    for (std::size_t i = 0; i < plain.draws.size(); i += 3) {
      const auto& [name, value] = plain.draws[i];
      const std::int64_t instead = value + 12'345;
      const Log changed = log_of(lab, seed, {{name, instead}});
      purposes.insert(name.substr(name.find('/'), name.find('@') - name.find('/')));
      ASSERT_GT(changed.draws.size(), i) << name;
      std::size_t same_until = 0;
      while (same_until < i && changed.draws[same_until] == plain.draws[same_until]) ++same_until;
      EXPECT_EQ(same_until, i) << name;
      EXPECT_EQ(changed.draws[i], std::pair(name, instead));
      // Whatever else is drawn under a name that both runs know has the value it had.
      const std::map<std::string, std::int64_t> before(plain.draws.begin(), plain.draws.end());
      for (const auto& [n, v] : changed.draws) {
        const auto found = before.find(n);
        if (found == before.end() || n == name) continue;
        if (n.find("/fault@") != n.npos) continue;  // its law may be another by then
        EXPECT_EQ(found->second, v) << n << " when " << name;
      }
    }
  }
  EXPECT_GE(purposes.size(), 8u);  // sometimes: links, loss, disks, orders after a pause, …
}

TEST(DrawsInWorld, OverridesWithTheSameValuesChangeNothing) {
  Lab lab;
  const Log plain = log_of(lab, 3);
  std::vector<DrawOverride> all;
  for (const auto& [name, value] : plain.draws) all.push_back({name, value});
  EXPECT_EQ(log_of(lab, 3, all).digest, plain.digest);
  // The seed no longer matters if all its draws are fixed, as long as nothing new is drawn.
  EXPECT_EQ(log_of(lab, 3, all).draws, plain.draws);
}

TEST(DrawsInWorld, ReseedingLeavesThePastAsItWas) {
  Lab lab;
  const Log plain = log_of(lab, 4), reseeded = log_of(lab, 4, {}, ms(60));
  EXPECT_NE(plain.digest, reseeded.digest);
  std::size_t i = 0;
  while (i < plain.draws.size() && i < reseeded.draws.size() && plain.draws[i] == reseeded.draws[i]) ++i;
  EXPECT_GT(i, 20u);
  std::size_t same = 0, common = 0;
  const std::map<std::string, std::int64_t> before(plain.draws.begin(), plain.draws.end());
  for (; i < reseeded.draws.size(); ++i) {
    const auto found = before.find(reseeded.draws[i].first);
    if (found == before.end()) continue;
    ++common;
    same += found->second == reseeded.draws[i].second;
  }
  EXPECT_GT(common, 20u);
  EXPECT_LT(same, common / 4);
}

TEST(DrawsInWorld, AResetForgetsOverridesAndKeepsTheLogSwitch) {
  Lab lab;
  const Log plain = log_of(lab, 8);
  lab.reset(8);
  ASSERT_EQ(lab.world.draws.set_overrides({{plain.draws[0].first, 77}}), std::nullopt);
  EXPECT_EQ(log_of(lab, 8).draws, plain.draws);
}

// A process that was started again does not draw the same "random" values once more.
Task<void> draws_value(Host host, std::vector<std::uint64_t>* out) {
  out->push_back(host.random(Purpose::lock_value));
  co_await host.sleep(ms(1));
}

TEST(DrawsInWorld, ARestartedProcessDrawsAnew) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 20; ++i) {
    lab.world.tasks.start(n, "main", draws_value(lab.world.host(n), &values));
    lab.run();
    lab.world.faults.kill(n);
    lab.world.faults.restart(n);
  }
  EXPECT_EQ(std::set<std::uint64_t>(values.begin(), values.end()).size(), 20u);
}

}  // namespace
}  // namespace picklock
