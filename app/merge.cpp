#include <fmt/format.h>

#include "app/command.hpp"
#include "app/shared_options.hpp"
#include "campaigns/store/store.hpp"

namespace picklock {
namespace {

struct MergeCommand {
  std::vector<std::string> stores;
  std::string into;
};

// 1: two results of one chunk differ.
int merge(const MergeCommand& command) {
  Store into(command.into, Store::Open::or_create);
  for (const std::string& path : command.stores) {
    Store store(path, Store::Open::existing);
    try {
      const Store::Merged merged = into.merge(store);
      fmt::print("{}: {} chunks added, {} known already\n", path, merged.added, merged.known);
      if (merged.findings > 0) fmt::print("{}: {} findings of hunts added\n", path, merged.findings);
    } catch (const BrokenDeterminism& broken) {
      fmt::print(stderr, "picklock: {}\npicklock: nothing of {} was merged\n", broken.what(), path);
      return kNotAsExpected;
    }
  }
  return kAsExpected;
}

constexpr const char* kMergeExamples = R"(
Examples:
  picklock sweep paused_holder --seeds 1000000 --store 1.sqlite --shard 1/2
  picklock merge 1.sqlite 2.sqlite --into all.sqlite

Merging the same stores again, or in another order, changes nothing. Afterwards the sweep's own command with --store
all.sqlite prints the table. Exit status 1: two stores have different results of the same runs.)";

}  // namespace

CommandBody state_merge(CLI::App& app) {
  const auto asked = std::make_shared<MergeCommand>();
  app.footer(with_exit_status(kMergeExamples));
  app.add_option("stores", asked->stores, "files that sweep --store has written; they stay as they are")->required();
  add_path(app, "--into", asked->into, "file that takes all of their results; it may have some already")->required();
  return [asked] { return merge(*asked); };
}

}  // namespace picklock
