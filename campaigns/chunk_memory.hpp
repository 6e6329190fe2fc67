// Results of chunks of seeds, kept over several runs of a command.
#pragma once

#include <optional>
#include <string>

#include "campaigns/campaign.hpp"

namespace picklock {

// The chunks of one cell. A result is text: equal results have equal texts.
class ChunkMemory {
 public:
  virtual ~ChunkMemory() = default;
  virtual std::optional<std::string> find(SeedRange chunk) = 0;
  // Throws if another result of this chunk is kept already. May be called by several threads.
  virtual void keep(SeedRange chunk, const std::string& result) = 0;
};

// The result of a chunk: what the memory has, or what `play()` gives, if it does, which is kept then. `text(part)` and `read(text)`
// turn a part into text and back. The memory may be null.
template <class Play, class Text, class Read>
auto remembered(ChunkMemory* memory, SeedRange chunk, const Play& play, const Text& text, const Read& read) {
  if (memory == nullptr) return play();
  if (const auto kept = memory->find(chunk)) return std::optional(read(*kept));
  auto part = play();
  if (part) memory->keep(chunk, text(*part));
  return part;
}

}  // namespace picklock
