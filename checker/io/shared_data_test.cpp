// Reads histories recorded from real systems, where they are at hand.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "checker/io/history_reader.hpp"
#include "checker/io/history_writer.hpp"

namespace picklock {
namespace {

std::filesystem::path folder() {
  const char* const shared = std::getenv("PICKLOCK_SHARED");
  return (shared != nullptr ? std::filesystem::path(shared)
                            : std::filesystem::path(PICKLOCK_SOURCE_DIR) / ".." / "shared") /
         "data";
}

Format format_of(const std::filesystem::path& path) {
  FileSource source(path.string());
  History tables;
  return HistoryReader(source, path.string(), tables).format();
}

TEST(RealHistories, AreReadAndGoRoundWithoutLoss) {
  if (!std::filesystem::exists(folder())) {
    GTEST_SKIP() << "skipped: " << folder() << " is not here (see PICKLOCK_SHARED)";
  }
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder())) {
    const auto extension = entry.path().extension();
    if (extension == ".md" || extension == ".txt" || entry.is_directory()) continue;
    ++files;
    const History history = read_history_file(entry.path().string());
    EXPECT_FALSE(history.operations.empty()) << entry.path();
    EXPECT_EQ(format_of(entry.path()), extension == ".log"                                     ? Format::jepsen_log
                                       : extension == ".edn"                                   ? Format::edn
                                       : entry.path().parent_path().filename() == "lease-lock" ? Format::lease_json
                                                                                               : Format::json)
        << entry.path();
    for (const Format format : {Format::edn, Format::json}) {
      const std::string text = write_history_text(history, {format});
      EXPECT_EQ(first_difference(history, read_history_text(text)), "") << entry.path();
    }
  }
  EXPECT_GT(files, 0);
}

// The log of a crashed operation shows why it crashed where EDN repeats what was asked.
TEST(RealHistories, LogsSayWhatTheirEdnSays) {
  if (!std::filesystem::exists(folder() / "jepsen-etcd")) {
    GTEST_SKIP() << "skipped: jepsen-etcd is not here (see PICKLOCK_SHARED)";
  }
  int logs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder() / "jepsen-etcd")) {
    if (entry.path().extension() != ".log") continue;
    ++logs;
    History log = read_history_file(entry.path().string());
    History edn = read_history_file(entry.path().string().replace(entry.path().string().size() - 3, 3, "edn"));
    for (History* const history : {&log, &edn}) {
      for (OperationEvent& event : history->operations) {
        if (event.type == OperationType::info) event.value = {};
      }
    }
    EXPECT_EQ(first_difference(log, edn), "") << entry.path();
  }
  EXPECT_GT(logs, 0);
}

TEST(RealHistories, TheLeaseLocksAreTold) {
  const auto file = folder() / "lease-lock" / "lock_test_without_nemesis.json";
  if (!std::filesystem::exists(file)) {
    GTEST_SKIP() << "skipped: " << file << " is not here (see PICKLOCK_SHARED)";
  }
  const History h = read_history_file(file.string());
  EXPECT_EQ(h.operations.size(), 2810u);
  std::size_t granted = 0;
  std::size_t refused = 0;
  std::set<NameId> locks;
  for (const OperationEvent& event : h.operations) {
    granted += event.type == OperationType::ok;
    refused += event.type == OperationType::fail;
    locks.insert(event.object);
  }
  EXPECT_EQ(granted, 54u + 116u + 21u);  // answers that are tokens, or "true"
  EXPECT_EQ(refused, 1405u - granted);
  EXPECT_EQ(locks.size(), 4u);
}

TEST(RealHistories, TheTwoFormsOfEtcdsMutexAreTheSame) {
  if (!std::filesystem::exists(folder() / "jepsen-mutex")) {
    GTEST_SKIP() << "skipped: jepsen-mutex is not here (see PICKLOCK_SHARED)";
  }
  const History edn = read_history_file((folder() / "jepsen-mutex/etcd.edn").string());
  const History json = read_history_file((folder() / "jepsen-mutex/etcd.json").string());
  ASSERT_EQ(edn.operations.size(), json.operations.size());
  for (std::size_t i = 0; i < edn.operations.size(); ++i) {
    EXPECT_EQ(edn.operations[i].index, json.operations[i].index);
    EXPECT_EQ(edn.operations[i].time, json.operations[i].time);
    EXPECT_EQ(edn.operations[i].type, json.operations[i].type);
    EXPECT_EQ(edn.operations[i].process, json.operations[i].process);
    EXPECT_EQ(edn.operations[i].f, json.operations[i].f);
  }
  EXPECT_EQ(edn.extras.size(), json.extras.size());
}

}  // namespace
}  // namespace picklock
