// A sweep: the same seeds for every cell of a grid of locks and settings.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "campaigns/chunk_memory.hpp"
#include "campaigns/fault_summary.hpp"
#include "campaigns/in_order.hpp"
#include "campaigns/stop_rule.hpp"
#include "campaigns/table_verdict.hpp"
#include "scenarios/run/unseen_owners.hpp"
#include "statistics/histogram.hpp"

namespace picklock {

class Runner;

struct Cell {
  std::string scenario, lock;                                 // "paused_holder/fenced", "redlock"
  std::vector<std::pair<std::string, std::string>> settings;  // varying settings: path and value
  Scenario played;
  std::string replay;  // the command that repeats one seed, but for the seed's number
};

struct CellProperty {
  Tally tally;
  UntestedRuns untested;     // undecided runs that do not test the property, such as those of one client
  Histogram measures;        // measures of the violations, in PropertyInfo::unit
  Histogram violated_at_ns;  // instants of the first violation of a run, in simulated time
  Histogram censored_at_ns;  // ends of the runs that held
  std::string by_seed;       // a letter for each seed of a chunk, if asked: h, v, u, t (not tested), n (not applicable)
  bool operator==(const CellProperty&) const = default;
};

struct CellResult {
  std::uint64_t seeds = 0;  // number of seeds played from the first on, without a gap
  bool interrupted = false;
  std::map<Property, CellProperty> properties;
  std::uint64_t asked = 0, granted = 0, commands = 0;  // acquires asked for and granted; commands to the service in all
  Histogram latency_ns;                                // latencies of granted acquires
  FaultSummaries faults;                               // index: the fault's place in the plan
  UnseenOwners unseen;                                 // runs that observed no grant of some lock
  std::map<std::uint64_t, std::string> errors;         // errors of the simulation; key: seed

  void add(const CellResult& later);
  bool is_tested() const;                  // each property was decided by some run
  bool meets(const StopRule& rule) const;  // asks for each property; false without a rule
};

// One of several machines that share the chunks of a sweep.
struct Shard {
  std::uint64_t number = 1, of = 1;
  bool has(std::uint64_t cell, const Chunk& chunk) const { return (cell + chunk.index) % of == number - 1; }
};

// Counts of a shard; its results are in the memory.
struct ShardResult {
  std::uint64_t chunks = 0, seeds = 0;  // chunks and seeds of this shard
  std::uint64_t passed = 0;             // seeds passed by this shard and by others
  std::map<std::uint64_t, std::string> errors;
  void add(const ShardResult& later);
};

struct SweepTable {
  std::uint64_t first_seed = 1, seeds = 0;  // seeds of each cell
  StopRule until;                           // the rule that ends each cell's seeds
  std::vector<Cell> cells;
  std::vector<CellResult> results;  // index: cell
  std::size_t missing = 0;          // cells that were not begun before an interruption
};

template <class Result>
using OrProblems = std::variant<Result, std::vector<ScenarioProblem>>;

// Plays chunks of one cell, one after the other: a thread's part of a sweep.
class CellPlayer {
 public:
  static OrProblems<CellPlayer> of(const Scenario& scenario, const std::vector<Property>& properties,
                                   bool by_seed = false);
  CellResult play(SeedRange seeds);
  // Nothing if `plan` is stopped within these seeds.
  std::optional<CellResult> play(SeedRange seeds, const SeedPlan& plan);
  static CellResult empty(const std::vector<Property>& properties);

  CellPlayer(CellPlayer&&) noexcept;
  CellPlayer& operator=(CellPlayer&&) noexcept;
  ~CellPlayer();

 private:
  CellPlayer();
  void play(std::uint64_t seed, CellResult& part);

  std::unique_ptr<Runner> runner_;
  CellResult empty_;
  bool by_seed_ = false;
};

// Plays one cell until the rule is met or no seed is left. The result does not depend on `plan.jobs`, nor on what the
// memory has, and takes no more room for more seeds.
OrProblems<CellResult> play_cell(const Scenario& scenario, const SeedPlan& plan,
                                 const std::vector<Property>& properties, const StopRule& until = {},
                                 ChunkMemory* memory = nullptr);

// Plays the chunks of cell number `cell` that this shard has.
OrProblems<ShardResult> play_shard(const Scenario& scenario, const SeedPlan& plan,
                                   const std::vector<Property>& properties, const Shard& shard, std::uint64_t cell,
                                   ChunkMemory& memory);

// A hash of all that a few runs do: builds that simulate or judge a cell in different ways have different ones.
OrProblems<std::uint64_t> behaviour_of(const Scenario& scenario, const std::vector<Property>& properties);

}  // namespace picklock
