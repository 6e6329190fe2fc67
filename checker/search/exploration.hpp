// The search of search.hpp at work: segments from cut to cut (search.cpp), the exploration of one (exploration.cpp),
// and what is tried in each configuration (candidates.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checker/search/configurations.hpp"
#include "checker/search/search.hpp"

namespace picklock {

enum class Explored : std::uint8_t { succeeded, exhausted, too_large, turn_over, stopped };

class Search {
 public:
  Search(std::span<const OperationSpan> intervals, StateSpace& space, Bounds& bounds, const SearchOptions& options);

  SearchOutcome run();

 private:
  using Entry = Configurations::Entry;

  // A configuration at a cut, and how it was reached.
  struct End {
    StateId state = 0;
    std::vector<std::uint64_t> used;
    std::uint32_t path = kNoPath;
  };
  struct PathNode {
    std::uint32_t before = kNoPath;
    OperationId operation = 0;
  };
  static constexpr std::uint32_t kNoPath = 0xffffffff;
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

  struct Frame {
    Entry entry = 0;
    std::size_t first = 0;  // index of its first candidate
    std::size_t next = 0;   // index of the next untried candidate
    std::size_t path = 0;   // length of path_ here
    StateId after = 0;      // the first candidate
    bool all = false;       // true: all candidates are listed
  };

  Explored explore(std::uint32_t from, std::uint32_t to, std::uint64_t largest);
  Explored explore_from(std::size_t root, std::uint32_t from);
  [[nodiscard]] bool too_large() const;
  bool push(const Configuration& configuration);
  void place(OperationId id, Configuration& c);
  void advance(Configuration& c);
  void observe(Configuration& c);
  void unwind(std::size_t length);
  bool list_more();
  std::optional<Explored> try_next();
  void list_first(const Configuration& c);
  void list_others(const Configuration& c);
  void fill_pool(const Configuration& c, OperationId returning);
  bool may_follow(OperationId a, OperationId b);
  std::uint32_t latest_invoke(const Configuration& c);
  void forget_late(std::uint32_t latest);
  void note_longest(std::uint32_t passed);
  void note_end(const Configuration& c);
  void cut();
  void forget_paths();
  SearchOutcome outcome(SearchVerdict verdict);
  std::uint32_t next_cut(std::uint32_t from) const;
  bool exceeded(std::size_t used_words);

  struct Observers {          // completed operations that only observe
    std::vector<bool> are{};  // index: operation
    bool any = false;
  };
  // The configurations at two cuts, and how each was reached.
  struct CutStates {
    std::vector<End> frontier{};  // ends at the last cut
    std::vector<End> ends{};      // ends found so far at the next one
    std::vector<PathNode> paths{};
    std::size_t paths_kept = 0;
    std::size_t ends_words = 0;
    std::size_t frontier_words = 0;
  };
  struct Goal {
    std::uint32_t to = 0;
    bool first_suffices = false;
    std::uint64_t largest = 0;
    bool straight = false;  // true while few candidates fail
  };
  // State of the exploration.
  struct Walk {
    std::size_t root = 0;
    std::vector<Frame> frames{};
    std::vector<OperationId> candidates{};  // candidates of all frames
    std::vector<OperationId> path{};        // the operations placed since the root
  };
  struct Buffers {
    std::vector<OperationId> pool{};
    std::vector<std::uint64_t> live{}, used{};
  };
  // The longest order of this segment: its first `intact` operations are those of the walk's path.
  struct Longest {
    std::vector<OperationId> order{};
    std::size_t intact = 0;
    std::size_t root = 0;
    std::uint32_t passed = 0;
  };
  struct Counts {
    std::uint64_t configurations = 0;
    std::uint64_t in_vain = 0;  // configurations of attempts that were given up
    std::uint32_t unasked = 0;  // steps since the bounds were asked
    std::uint32_t cuts = 0;
    std::size_t timeline_bytes = 0;
  };

  Timeline timeline_;
  Observers observers_;
  StateSpace& space_;
  Bounds& bounds_;
  SearchOptions options_;
  Configurations seen_;
  CutStates cut_;
  Goal goal_;
  Walk walk_;
  Buffers scratch_;
  Longest longest_;
  Counts counts_;
};

inline bool has(std::span<const std::uint64_t> bits, std::uint32_t slot) {
  return (bits[slot / 64] >> (slot % 64) & 1) != 0;
}

}  // namespace picklock
