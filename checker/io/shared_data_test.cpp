// Reads histories recorded from real systems, where they are at hand.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
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

TEST(RealHistories, AreReadAndGoRoundWithoutLoss) {
  if (!std::filesystem::exists(folder())) {
    GTEST_SKIP() << "skipped: " << folder() << " is not here (see PICKLOCK_SHARED)";
  }
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder())) {
    const auto extension = entry.path().extension();
    if (extension != ".edn" && extension != ".json") continue;
    ++files;
    const History history = read_history_file(entry.path().string());
    EXPECT_FALSE(history.operations.empty()) << entry.path();
    for (const Format format : {Format::edn, Format::json}) {
      const std::string text = write_history_text(history, {format});
      EXPECT_EQ(first_difference(history, read_history_text(text)), "") << entry.path();
    }
  }
  EXPECT_GT(files, 0);
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
