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
    } catch (const BrokenDeterminism& broken) {
      fmt::print(stderr, "picklock: {}\npicklock: nothing of {} was merged\n", broken.what(), path);
      return kNotAsExpected;
    }
  }
  return kAsExpected;
}

}  // namespace picklock
