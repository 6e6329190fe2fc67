#include <fmt/format.h>

#include "app/command.hpp"
#include "store/store.hpp"

namespace picklock {

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

}  // namespace picklock
