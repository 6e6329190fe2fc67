// The rank that hands out the chunks of a sweep, owns its store and adds up the results.
//
// Chunks are added up in the order of the seeds, so that neither the number of ranks nor their speed changes the result. A
// chunk that does not come back, because its rank was killed, is handed out again; if it comes back twice after all, the
// two results are compared.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "campaigns/chunk_memory.hpp"
#include "campaigns/ranks/ranks.hpp"
#include "campaigns/ranks/team.hpp"

namespace picklock {

struct LeadOptions {
  SeedPlan plan;  // jobs: threads of this rank; progress: all cells together
  StopRule until;
  // The kept chunks of a cell with this behaviour; without the function there are none.
  std::function<std::unique_ptr<ChunkMemory>(std::uint64_t cell, std::uint64_t behaviour)> memory;
  std::function<void()> save = [] {};              // after this returns, the kept chunks are safe
  std::chrono::milliseconds least_overdue{2000};   // least time before a chunk is handed out again
  std::chrono::milliseconds last_patience{10000};  // patience with ranks that do not end after their last message
};

struct LedSweep {
  std::vector<CellResult> results;  // results of the cells that were begun, in the order of the cells
  // The problems of a scenario, and its cell; empty: none.
  std::pair<std::uint64_t, std::vector<ScenarioProblem>> problems;
};

// Throws std::runtime_error if another rank failed, or plays a cell otherwise than this one. Requires rank 0.
LedSweep lead(Ranks& ranks, const SharedCells& cells, const LeadOptions& options);

}  // namespace picklock
