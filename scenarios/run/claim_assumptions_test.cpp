// Bounds are compared with what the surroundings did: a lock that errs by itself is not excused by its own mistake, and a claim
// is judged by its own assumptions alone.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "algorithms/lua/lua_locks.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/run/claims.hpp"
#include "scenarios/run/run_lab.hpp"

namespace picklock {
namespace claim_assumptions_test {

struct Seen {
  std::uint64_t violated = 0, claimed = 0;  // numbers of 100 runs: violated; violated although it was claimed
};

Seen look(const std::string& text, Property property) {
  const ScenarioFile file = read_scenario(text, "claims.toml");
  if (!file.ok()) ADD_FAILURE() << print(file.errors[0]) << "\n" << text;
  const auto runner = file.ok() ? compile(file.scenario) : nullptr;
  Seen seen;
  if (runner == nullptr) return seen;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const RunResult& r = runner->run(seed);
    EXPECT_EQ(r.error, "");
    if (verdict(r, property) != Verdict::violated) continue;
    ++seen.violated;
    const auto claims = claims_in(*find_lock_kind(file.scenario.lock.name), file.scenario, r);
    seen.claimed += std::find(claims.begin(), claims.end(), property) != claims.end();
  }
  return seen;
}

std::string lua_lock(const std::string& name, const std::string& from, const std::string& to) {
  std::ifstream in(std::string(PICKLOCK_SOURCE_DIR) + "/examples/lua/set_nx_px.lua");
  std::ostringstream read;
  read << in.rdbuf();
  std::string text = read.str();
  if (const std::size_t at = text.find(from); at != text.npos) text.replace(at, from.size(), to);
  EXPECT_EQ(add_lua_lock_text(name, text), "");
  return name;
}

std::string long_sections(const std::string& lock) {
  return fmt::format(
      "lock = {{ name = \"{}\", ttl = \"300ms\", renewal = true }}\n"
      "clients = [ {{ name = \"a\", hold = \"1200ms\", on-loss = \"ignore\" }}, {{ name = \"b\", start = \"20ms\", "
      "hold = \"1200ms\", on-loss = \"ignore\" }} ]\n"
      "[phases]\nload = \"8s\"\n",
      lock);
}

TEST(ClaimAssumptions, ARenewalThatIsPlannedTooLateExcusesNothing) {
  const std::string late = lua_lock("late_renewal.lua", "ctx.options.ttl / 3", "ctx.options.ttl * 1.1");
  const Seen wrong = look(long_sections(late), Property::mutual_exclusion);
  EXPECT_GT(wrong.violated, 90u);
  EXPECT_EQ(wrong.claimed, wrong.violated);
  const std::string right = lua_lock("timely_renewal.lua", "", "");
  EXPECT_EQ(look(long_sections(right), Property::mutual_exclusion).violated, 0u);
  EXPECT_EQ(look(long_sections("set-nx-px"), Property::mutual_exclusion).violated, 0u);
}

// Each fault keeps renewals away for as long as the lease excuses two holders.
TEST(ClaimAssumptions, InterruptedRenewalsExcuseTwoHolders) {
  for (const char* const fault :
       {"kind = \"pause\"\nnode = \"a\"\non = \"a enters\"\nlasts = \"800ms\"",
        "kind = \"hold\"\nfrom = \"a\"\nto = \"redis\"\non = \"a enters\"\nlasts = \"800ms\"",
        "kind = \"pause\"\nnode = \"a\"\ntask = \"renewal\"\non = \"a enters\"\nlasts = \"800ms\""}) {
    const Seen seen = look(long_sections("set-nx-px") + "[[fault]]\n" + fault, Property::mutual_exclusion);
    EXPECT_GT(seen.violated, 50u) << fault;
    EXPECT_EQ(seen.claimed, 0u) << fault;
  }
}

// a's grant is answered late, and its section outlasts the lease; it stops at its deadline.
std::string late_answer(const std::string& count_from, bool heeds) {
  return fmt::format(
      "lock = {{ name = \"set-nx-px\", ttl = \"300ms\", count-from = \"{}\" }}\n"
      "clients = [ {{ name = \"a\", hold = \"2s\", honours-deadline = {} }},\n"
      "            {{ name = \"b\", start = \"50ms\", hold = \"100ms\", honours-deadline = {} }} ]\n"
      "[[fault]]\nkind = \"delay\"\nfrom = \"redis\"\nto = \"a\"\nby = \"100ms\"\non = \"a acquires\"\nlasts = "
      "\"20ms\"\n"
      "[phases]\nload = \"8s\"\n",
      count_from, heeds, heeds);
}

TEST(ClaimAssumptions, ADeadlineThatIsTooLateExcusesNothing) {
  const Seen wrong = look(late_answer("reply", true), Property::mutual_exclusion);
  EXPECT_GT(wrong.violated, 90u);
  EXPECT_EQ(wrong.claimed, wrong.violated);
  EXPECT_EQ(look(late_answer("ask", true), Property::mutual_exclusion).violated, 0u);
  const Seen unheeded = look(late_answer("ask", false), Property::mutual_exclusion);
  EXPECT_GT(unheeded.violated, 90u);
  EXPECT_EQ(unheeded.claimed, 0u) << "no deadline was heeded";
}

// a stops for longer than its lease, and then gives back what is b's by now.
TEST(ClaimAssumptions, NoPauseExcusesAReleaseThatEndsAnothersHold) {
  const std::string text =
      "clients = [ { name = \"a\", hold = \"50ms\", rounds = 1 }, { name = \"b\", start = \"20ms\", hold = \"600ms\" } "
      "]\n"
      "[[fault]]\nkind = \"pause\"\nnode = \"a\"\non = \"a enters\"\nlasts = \"500ms\"\n";
  const auto with = [&](const std::string& lock) {
    return look(fmt::format("lock = {{ name = \"{}\", ttl = \"300ms\" }}\n{}", lock, text), Property::wrong_release);
  };
  LockKind boastful = *find_lock_kind("set-nx-px-unsafe-del");
  boastful.name = "set-nx-px-unsafe-del-that-claims-its-releases";
  boastful.claims.releases_only_own = true;
  ASSERT_TRUE(add_lock_kind(boastful));
  const Seen wrong = with(std::string(boastful.name));
  EXPECT_GT(wrong.violated, 90u);
  EXPECT_EQ(wrong.claimed, wrong.violated);
  EXPECT_EQ(with("set-nx-px-unsafe-del").claimed, 0u) << "it does not claim them";
  EXPECT_EQ(with("set-nx-px").violated, 0u);
}

// An option that shortens the lease shortens the bounds.
TEST(ClaimAssumptions, BoundsFollowTheShortestLease) {
  struct Short {
    const char *lock, *options;
  };
  for (const auto& [lock, options] : {Short{"redisson-lock", "other-lease = \"1ms\", other-lease-by = \"first-call\""},
                                      Short{"redisson-1-2-lock", "lease = \"1ms\""}}) {
    const Seen seen = look(fmt::format("lock = {{ name = \"{}\", {} }}\n"
                                       "clients = [ {{ name = \"a\", locks = [\"other\"] }},\n"
                                       "            {{ name = \"b\", locks = [\"lock\", \"other\"] }} ]\n",
                                       lock, options),
                           Property::mutual_exclusion);
    EXPECT_GT(seen.violated, 0u) << lock;
    EXPECT_EQ(seen.claimed, 0u) << lock;
  }
}

}  // namespace claim_assumptions_test
}  // namespace picklock
