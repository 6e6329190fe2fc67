// Judges the lock histories of real systems, where they are at hand: from the file to the verdict.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "checker/io/history_writer.hpp"
#include "checker/models/check_file.hpp"

namespace picklock {
namespace {

std::filesystem::path data(const std::string& file) {
  const char* const shared = std::getenv("PICKLOCK_SHARED");
  return (shared != nullptr ? std::filesystem::path(shared)
                            : std::filesystem::path(PICKLOCK_SOURCE_DIR) / ".." / "shared") /
         "data" / file;
}

CheckResult judged(const std::filesystem::path& path, const std::string& model) {
  HistoryCheckOptions options;
  options.model = model;
  return check_file(path.string(), options);
}

TEST(RealVerdicts, EtcdsMutexIsInvalidInEveryForm) {
  for (const char* const name : {"jepsen-mutex/etcd.edn", "jepsen-mutex/etcd.json"}) {
    if (!std::filesystem::exists(data(name))) {
      GTEST_SKIP() << "skipped: " << data(name) << " is not here (see PICKLOCK_SHARED)";
    }
    for (const char* const model : {"mutex", "mutex-ownerless"}) {
      const CheckResult result = judged(data(name), model);
      EXPECT_EQ(result.verdict, Verdict::violated) << name << model << result.explanation;
    }
    // The copy was rewritten and packed, and must have the same verdicts.
    const std::string copy = ::testing::TempDir() + "picklock_verdicts_test.edn.gz";
    write_history_file(read_history_file(data(name).string()), copy);
    EXPECT_EQ(judged(copy, "mutex").verdict, Verdict::violated);
    std::filesystem::remove(copy);
  }
}

TEST(RealVerdicts, TheLeaseLocksAreValidAsLeases) {
  const auto file = data("lease-lock/lock_test_without_nemesis.json");
  if (!std::filesystem::exists(file)) {
    GTEST_SKIP() << "skipped: " << file << " is not here (see PICKLOCK_SHARED)";
  }
  const CheckResult lease = judged(file, "lease-mutex");
  EXPECT_EQ(lease.format, Format::lease_json);
  EXPECT_EQ(lease.verdict, Verdict::holds) << lease.explanation;
  EXPECT_EQ(lease.operations, 1405u);
  // They lapse: as locks that are held until they are given back they would be wrong.
  EXPECT_EQ(judged(file, "mutex").verdict, Verdict::violated);
}

// Every lock model by its name, on what real locks did: where each shows that it is violated first.
TEST(RealVerdicts, EveryLockModelJudgesRealLocks) {
  struct Expected {
    const char* model;
    Verdict etcd;
    std::uint32_t etcd_shown_at;  // the last event of the witness
    Verdict lease;
  };
  using enum Verdict;
  const Expected verdicts[] = {
      // Process 3 holds on (index 1120); of three holds, process 0 as well (1134).
      {"mutex", violated, 1120, violated},
      {"mutex-ownerless", violated, 1120, violated},
      {"try-mutex", violated, 1120, violated},
      {"reentrant-mutex:2", violated, 1120, violated},
      {"rw-mutex", violated, 1120, violated},
      {"semaphore:1", violated, 1120, violated},
      {"semaphore:2", violated, 1134, violated},
      {"semaphore-ownerless:2", violated, 1134, violated},
      {"fenced-mutex", violated, 1120, violated},
      {"reentrant-fenced-mutex:2", violated, 1120, violated},
      {"fencing-tokens", undecided, 0, undecided},  // none was recorded
      {"lease-mutex", holds, 0, holds},             // a lease may end as this history shows
      {"logged-lease-mutex", violated, 1120, violated},
  };
  const auto etcd = data("jepsen-mutex/etcd.edn");
  const auto lease = data("lease-lock/lock_test_without_nemesis.json");
  if (!std::filesystem::exists(etcd) || !std::filesystem::exists(lease)) {
    GTEST_SKIP() << "skipped: " << etcd << " is not here (see PICKLOCK_SHARED)";
  }
  for (const Expected& v : verdicts) {
    const CheckResult result = judged(etcd, v.model);
    EXPECT_EQ(result.verdict, v.etcd) << v.model << ": " << result.explanation;
    const std::uint32_t shown_at = result.events.empty() ? 0 : result.events.back().index;
    EXPECT_EQ(shown_at, v.etcd_shown_at) << v.model;
    EXPECT_EQ(judged(lease, v.model).verdict, v.lease) << v.model;
  }
}

// This history uses words of its own, explained on the command line.
TEST(RealVerdicts, TheLeaseLocksAreThePresetOfTheirFields) {
  const auto file = data("lease-lock/lock_test_without_nemesis.json");
  if (!std::filesystem::exists(file)) {
    GTEST_SKIP() << "skipped: " << file << " is not here (see PICKLOCK_SHARED)";
  }
  ReadOptions options;
  options.format = Format::json;
  options.functions = {{"lock", "acquire"}, {"unlock", "release"}};
  options.fields.lock = "value";
  options.fields.refused = {"", "false"};
  EXPECT_EQ(first_difference(read_history_file(file.string(), options), read_history_file(file.string())), "");
}

}  // namespace
}  // namespace picklock
