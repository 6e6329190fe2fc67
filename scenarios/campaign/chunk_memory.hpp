// Results of chunks of seeds, kept over several runs of a command.
#pragma once

#include <optional>
#include <string>

#include "scenarios/campaign/campaign.hpp"

namespace picklock {

// The chunks of one cell. A result is text: equal results have equal texts.
class ChunkMemory {
 public:
  virtual ~ChunkMemory() = default;
  virtual std::optional<std::string> find(SeedRange chunk) = 0;
  // Throws if another result of this chunk is kept already. May be called by several threads.
  virtual void keep(SeedRange chunk, const std::string& result) = 0;
};

}  // namespace picklock
