// Runs repeat: the same digest twice, in a fresh world and in a used one, from one thread and from two, and from every
// build of this source tree.
//
// Twenty scenarios prove it for the engine; they have every service, fault and workload of the library.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/hash.hpp"
#include "sim/core/effort_lab.hpp"
#include "tests/library_runs.hpp"

namespace picklock {
namespace library_digests_test {

namespace fs = std::filesystem;

constexpr const char* kTwenty[] = {
    "cluster_failover_loses_the_lock",
    "curator_lagging_follower_of_a_dying_session",
    "curator_lost_by_the_wall_clock",
    "curator_semaphore_of_three",
    "etcd_deposed_leader_revokes/asks",
    "etcd_jepsen_lock_set",
    "etcd_set_unguarded",
    "failover_repeats_a_token",
    "frozen_holder",
    "getset_renewal_frees_another",
    "jedis_renewal_too_late",
    "kazoo_reader_waits_for_who_waits/lower",
    "kubernetes_lease_fast_clock/wrong_clock",
    "redisson_fair_dead_head",
    "redisson_missed_message",
    "redlock_clock_jump/slewed",
    "seats_as_written",
    "zookeeper_diff_read/taken_for_read",
    "zookeeper_observer_cut_off",
    "zookeeper_set_answer_lost",
};

class Repeats : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Twenty, Repeats, ::testing::ValuesIn(kTwenty), [](const auto& instance) {
  std::string name = instance.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

TEST_P(Repeats, InAFreshWorldAndInAUsedOne) {
  const Scenario scenario = library_scenario(GetParam());
  const auto used = runner_of(scenario);
  ASSERT_NE(used, nullptr);
  std::map<std::uint64_t, std::uint64_t> first;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) first[seed] = used->run(seed).digest;
  for (std::uint64_t seed = 10; seed >= 1; --seed) EXPECT_EQ(used->run(seed).digest, first[seed]) << "seed " << seed;
  const auto fresh = runner_of(scenario);
  EXPECT_EQ(fresh->run(7, {.full_trace = true, .draws = true}).digest, first[7]) << "recording must change nothing";
  std::set<std::uint64_t> distinct;
  for (const auto& [seed, digest] : first) distinct.insert(digest);
  EXPECT_EQ(distinct.size(), first.size()) << "seeds must differ";
}

TEST_P(Repeats, WithTwoThreads) {
  constexpr std::uint64_t kSeeds = testing::kInstrumented ? 10 : 50;
  const Scenario scenario = library_scenario(GetParam());
  const CampaignResult one = campaign(scenario, {1, kSeeds}, 1), two = campaign(scenario, {1, kSeeds}, 2);
  EXPECT_EQ(one.digest, two.digest);
  EXPECT_EQ(one.events, two.events);
  ASSERT_EQ(one.properties.size(), two.properties.size());
  for (std::size_t i = 0; i < one.properties.size(); ++i) {
    EXPECT_EQ(one.properties[i].tally, two.properties[i].tally) << info(one.properties[i].property).name;
  }
}

// What a scenario puts to use.
std::set<std::string> uses(const std::string& name) {
  const Scenario s = library_scenario(name);
  std::set<std::string> all = {fmt::format("workload {}", s.workload.kind)};
  if (const LockKind* const lock = find_lock_kind(s.lock.name)) all.insert(fmt::format("service {}", lock->service));
  for (const Fault& f : s.faults) all.insert(fmt::format("fault {}", f.kind));
  return all;
}

TEST(TwentyScenarios, HaveEveryServiceFaultAndWorkloadOfTheLibrary) {
  std::set<std::string> twenty, library;
  for (const char* const name : kTwenty) twenty.merge(uses(name));
  for (const std::string& name : library_names()) library.merge(uses(name));
  EXPECT_EQ(twenty, library);
}

// --- the same digests from every build

// Changes with every source file and scenario.
std::uint64_t tree_key() {
  const fs::path root = PICKLOCK_SOURCE_DIR;
  std::map<std::string, std::uint64_t> files;
  for (const char* const top : {"algorithms", "app", "base", "campaigns", "checker", "faults", "instruments", "reports",
                                "scenarios", "sim", "statistics", "tests"}) {
    if (!fs::exists(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const fs::path extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".hpp" && extension != ".toml") continue;
      files[fs::relative(entry.path(), root).string()] = hash_bytes(file_content(entry.path().string()));
    }
  }
  std::uint64_t key = hash_of("tree");
  for (const auto& [path, hash] : files) key = mix(hash_more(key, path), hash);
  return key;
}

// A line for each scenario: its name, and the digests of seeds 1 to 3.
std::string digests_of_the_library() {
  std::string text;
  for (const std::string& name : library_names()) {
    const auto runner = runner_of(library_scenario(name));
    if (runner == nullptr) continue;
    text += name;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) text += fmt::format(" {:016x}", runner->run(seed).digest);
    text += '\n';
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Each build leaves its digests in build/digests and compares them with those that other builds of the same tree have
// left there.  With PICKLOCK_OTHER_BUILD=release there must be those of build/release.
TEST(Digests, AreTheSameFromEveryBuild) {
  const fs::path folder = PICKLOCK_SOURCE_DIR "/build/digests";
  const std::string own = fs::path(PICKLOCK_BUILD_DIR).filename().string();
  const std::string tree = fmt::format("{:016x}", tree_key());
  const std::vector<std::string> now = lines_of(digests_of_the_library());
  EXPECT_EQ(now.size(), library_names().size());

  fs::create_directories(folder);
  const fs::path target = folder / own, scratch = folder / fmt::format("{}.{}", own, ::getpid());
  std::ofstream(scratch) << fmt::format("{}\n{}\n", tree, fmt::join(now, "\n"));
  fs::rename(scratch, target);

  std::set<std::string> compared;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path() == target) continue;
    const std::vector<std::string> other = lines_of(file_content(entry.path().string()));
    if (other.empty() || other[0] != tree) continue;
    EXPECT_EQ(now, std::vector<std::string>(other.begin() + 1, other.end()))
        << "build/" << own << ", and " << entry.path();
    compared.insert(entry.path().filename().string());
  }
  if (const char* const wanted = std::getenv("PICKLOCK_OTHER_BUILD"); wanted != nullptr && wanted != own) {
    EXPECT_TRUE(compared.contains(wanted)) << "build/" << wanted << " has left no digests of this tree";
  }
}

// A dozen runs whose digests are written down: a change of engine, lock or server that is not meant is seen at once.
TEST(Digests, OfTheCanariesAreAsWrittenDown) {
  const std::string path = PICKLOCK_SOURCE_DIR "/tests/testdata/canary_digests.txt";
  std::string now;
  std::size_t canaries = 0;
  for (const std::string& line : lines_of(file_content(path))) {
    std::istringstream in(line);
    std::string name;
    std::uint64_t seed = 0;
    in >> name >> seed;
    const auto runner = runner_of(library_scenario(name));
    ASSERT_NE(runner, nullptr) << name;
    now += fmt::format("{} {} {:016x}\n", name, seed, runner->run(seed).digest);
    ++canaries;
  }
  EXPECT_GE(canaries, 3u);
  EXPECT_LE(canaries, 12u) << "verdict_profiles.txt is what a reviewer reads";
  if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(path) << now;
    GTEST_SKIP() << "rewrote " << path;
  }
  EXPECT_EQ(now, file_content(path)) << "if the change is meant: PICKLOCK_REWRITE_GOLDEN=1, and say why in the commit";
}

}  // namespace library_digests_test
}  // namespace picklock
