// The memory of a campaign or a comparison, if the command names a store.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "app/shared_options.hpp"
#include "campaigns/store/store.hpp"

namespace picklock {

// It owns the store; both may be absent.
struct Kept {
  std::unique_ptr<Store> store;
  std::unique_ptr<ChunkMemory> memory;
};

// Chunks of this kind play these scenarios on each seed. All must compile.
Kept kept_results(const StoreWords& words, const std::string& kind, const std::vector<const Scenario*>& scenarios,
                  const std::vector<Property>& properties);

}  // namespace picklock
