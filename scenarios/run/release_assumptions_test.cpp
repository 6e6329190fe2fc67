// Assumptions that a release alone needs: just below their bound it ends what it should, above it does not; and the bound of
// mutual exclusion, which is far away, is kept either way.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/redlock/node_redlock_4.hpp"
#include "algorithms/redlock/redlock.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/run/run_lab.hpp"

namespace picklock {
namespace release_assumptions_test {

std::unique_ptr<Runner> runner_of_text(const std::string& text) {
  const ScenarioFile file = read_scenario(text, "releases.toml");
  if (!file.ok()) ADD_FAILURE() << print(file.errors[0]) << "\n" << text;
  return file.ok() ? compile(file.scenario) : nullptr;
}

// Is one of these violated for some seed, and none if all that they need is met?
void expect(const std::string& scenario, std::vector<Property> properties, bool wrong, std::string_view of) {
  const auto runner = runner_of_text(scenario);
  ASSERT_NE(runner, nullptr);
  std::uint64_t seen = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RunResult& r = runner->run(seed);
    for (const Property p : properties) ASSERT_EQ(all_met(r.assumptions, p), !wrong) << of << ", seed " << seed;
    ASSERT_TRUE(all_met(r.assumptions, Property::mutual_exclusion)) << of << ", seed " << seed;
    EXPECT_NE(verdict(r, Property::mutual_exclusion), Verdict::violated) << of << ", seed " << seed;
    seen += std::any_of(properties.begin(), properties.end(),
                        [&](Property p) { return verdict(r, p) == Verdict::violated; });
  }
  EXPECT_EQ(seen > 0, wrong) << of << ": " << seen;
}

// The SETs of a's first attempt are late. Past the timeout of 50 ms a goes on over another connection; they may arrive between
// the release of a later attempt and its answer, which says that nothing is left.
std::string late_sets(std::string_view lock, std::string_view servers, std::string_view by) {
  return fmt::format(
      "lock = {{ {} }}\n"
      "clients = [ {{ name = \"a\", hold = \"1ms..40ms\", rounds = 1 }} ]\n"
      "[network]\nlatency = \"5ms\"\nrequest-timeout = \"50ms\"\n"
      "[[fault]]\nkind = \"delay\"\nfrom = \"a\"\nto = \"{}\"\nby = \"{}\"\n"
      "on = \"a acquires\"\nlasts = \"10ms\"\n",
      lock, servers, by);
}

TEST(ReleaseAssumptions, ASetThatIsLaterThanTheNodesTimeoutOutlivesTheRelease) {
  for (const std::string_view lock : {"redlock", "redlock-fenced", "redlock-unique-token", "redlock-with-mistakes"}) {
    const std::string options = fmt::format("name = \"{}\", node-timeout = \"50ms\", retry = \"1ms\"", lock);
    const std::string_view servers = "redis1 redis2 redis3 redis4 redis5";
    expect(late_sets(options, servers, "40ms"), {Property::unreleased}, false, lock);
    expect(late_sets(options, servers, "130ms"), {Property::unreleased}, true, lock);
  }
}

// One server: the timeout is that of the client's requests.
TEST(ReleaseAssumptions, ASetThatIsLaterThanTheRequestsTimeoutOutlivesTheRelease) {
  for (const auto& [lock, more] :
       {std::pair("set-nx-px", ", ttl = \"10s\", retry = \"1ms\""),
        std::pair("set-nx-px-fenced", ", ttl = \"10s\", retry = \"1ms\""), std::pair("redis-py-lock", "")}) {
    const std::string options = fmt::format("name = \"{}\"{}", lock, more);
    expect(late_sets(options, "redis", "40ms"), {Property::unreleased}, false, lock);
    expect(late_sets(options, "redis", "130ms"), {Property::unreleased}, true, lock);
  }
}

// A thread acquires again while its acquire, or its unlock, is under way: the two counts are one.
std::string late_command(std::string_view lock, std::string_view event, std::string_view by) {
  return fmt::format(
      "lock = {{ name = \"{}\", timeout = \"1s\" }}\n"
      "clients = [ {{ name = \"a\", hold = \"50ms\", think = \"100ms\", rounds = 20 }} ]\n"
      "[[fault]]\nkind = \"delay\"\nfrom = \"a\"\nby = \"{}\"\non = \"{}\"\nlasts = \"10ms\"\n"
      "[phases]\nload = \"60s\"\n",
      lock, by, event);
}

const std::vector<Property> kReleases = {Property::wrong_release, Property::unreleased};
constexpr std::string_view kRedissonLocks[] = {
    "redisson-lock",      "redisson-fenced-lock", "redisson-fair-lock", "redisson-read-write-lock",
    "redisson-spin-lock", "redisson-multi-lock",  "redisson-seat-lock", "redisson-handmade-watchdog",
    "redisson-lock-3-16", "redisson-redlock"};

TEST(ReleaseAssumptions, AnAcquireThatIsLaterThanRedissonsTimeoutCountsForALaterHold) {
  for (const std::string_view lock : kRedissonLocks) {
    if (lock == "redisson-redlock") continue;  // its locks are taken one after the other, and it gives up in between
    expect(late_command(lock, "a acquires", "249ms"), kReleases, false, lock);
    expect(late_command(lock, "a acquires", "1400ms"), kReleases, true, lock);
  }
}

TEST(ReleaseAssumptions, AnUnlockThatIsLaterThanRedissonsTimeoutCountsForALaterHold) {
  for (const std::string_view lock : kRedissonLocks) {
    // These locks of 2022 send a release again when the first has come, and it is refused.
    if (lock == "redisson-lock-3-16" || lock == "redisson-handmade-watchdog") continue;
    expect(late_command(lock, "a releases", "249ms"), kReleases, false, lock);
    expect(late_command(lock, "a releases", "1400ms"), kReleases, true, lock);
  }
}

// Redisson of 2015 runs the whole operation again: its second hold is granted beside the first.
TEST(ReleaseAssumptions, ACommandThatIsLaterThanTheTimeoutOf2015GrantsTwice) {
  for (const bool late : {false, true}) {
    const auto runner = runner_of_text(late_command("redisson-1-2-lock", "a acquires", late ? "1400ms" : "249ms"));
    const RunResult& r = runner->run(1);
    EXPECT_EQ(all_met(r.assumptions, Property::mutual_exclusion), !late);
    EXPECT_EQ(verdict(r, Property::double_grant) == Verdict::violated, late);
    EXPECT_EQ(verdict(r, Property::wrong_release) == Verdict::violated, late);
  }
}

// --- waiters, and a server that says nothing any more

bool serves(Duration ttl, std::optional<Duration> node_timeout, std::string_view lock = "node-redlock-4") {
  NodeRedlock4Options o;
  o.ttl = ttl;
  o.node_timeout = node_timeout;
  return serves_waiters(*find_lock_kind(lock), *AnyOptions::of(o));
}

// The validity is what is left of the lease when the silent servers are given up, 1 % and 2 ms off for drift.
TEST(ServesWaiters, IfSomeOfTheLeaseIsLeftWhenASilentServerIsGivenUp) {
  EXPECT_FALSE(serves(seconds(10), kTcpGivesUp)) << "as it comes";
  EXPECT_FALSE(serves_waiters(*find_lock_kind("node-redlock-4"), *find_lock_kind("node-redlock-4")->default_options()));
  EXPECT_TRUE(serves_waiters(*find_lock_kind("redlock"), *find_lock_kind("redlock")->default_options()));
  EXPECT_FALSE(serves(seconds(1), milliseconds(988)));
  EXPECT_TRUE(serves(seconds(1), milliseconds(987)));
  EXPECT_TRUE(serves(seconds(10), std::nullopt)) << "the client's own timeout";
}

// One of five servers stops, and loses its power with requests at it: their connections get neither answer nor reset.
std::unique_ptr<Runner> a_server_falls_silent(std::string_view lock) {
  return runner_of_text(
      fmt::format("lock = {{ {}, ttl = \"600ms\" }}\n"
                  "clients = [ {{ name = \"a\" }}, {{ name = \"b\" }} ]\n"
                  "[[fault]]\nkind = \"pause\"\nat = \"0ms\"\nnode = \"redis5\"\nlasts = \"50ms\"\n"
                  "[[fault]]\nkind = \"power-loss\"\nat = \"20ms\"\nnode = \"redis5\"\nrestart-after = \"650ms\"\n"
                  "[phases]\nload = \"3s\"\nsettle = \"6s\"\n",
                  lock));
}

TEST(ServesWaiters, NodeRedlock4WaitsForASilentServerUnlessItHasATimeout) {
  const auto hangs = a_server_falls_silent("name = \"node-redlock-4\"");
  const auto goes_on = a_server_falls_silent("name = \"node-redlock-4\", node-timeout = \"50ms\"");
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const RunResult& r = hangs->run(seed);
    EXPECT_TRUE(all_met(r.assumptions, Property::lost_wake_up)) << seed;
    EXPECT_EQ(verdict(r, Property::lost_wake_up), Verdict::violated) << seed;
    EXPECT_EQ(verdict(goes_on->run(seed), Property::lost_wake_up), Verdict::holds) << seed;
  }
}

// Two servers vote for each of two clients, and both wait for the fifth.
TEST(ServesWaiters, PotteryAndNodeRedlock5WaitForASilentServerAtAnEvenVote) {
  for (const std::string lock : {"pottery", "node-redlock-5"}) {
    const auto hangs = a_server_falls_silent("name = \"" + lock + "\"");
    const auto goes_on = a_server_falls_silent("name = \"" + lock + "\", node-timeout = \"50ms\"");
    std::uint64_t hung = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const RunResult& r = hangs->run(seed);
      const Finding& f = of(r.findings, Property::lost_wake_up);
      hung += f.verdict == Verdict::violated && f.beside == 2 && all_met(r.assumptions, Property::lost_wake_up);
      EXPECT_EQ(verdict(goes_on->run(seed), Property::lost_wake_up), Verdict::holds) << lock << ", seed " << seed;
    }
    EXPECT_GT(hung, 20u) << lock;
  }
}

}  // namespace release_assumptions_test
}  // namespace picklock
