// The options of `picklock run`, and what they fill.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/shared_options.hpp"

namespace picklock {

struct RunCommand {
  std::string scenario;
  ScenarioEdits edits;
  std::optional<std::uint64_t> seed;
  std::optional<SeedRange> seeds;  // absent: one seed
  unsigned jobs = 0;               // 0: one per core
  bool json = false;
  bool measure = false;  // tells what acquiring costs, instead of verdicts
  std::string out;       // folder; empty: none
  bool slice = false;    // tells what led to the violation, instead of everything
  std::string slice_of;  // property of the slice; empty: the first that is violated
  std::string dot;       // file for the slice as a graph; empty: none
  std::string svg;       // file for the picture; empty: none
  std::string html;      // file for a page of the run; empty: none
  std::string perfetto;  // file of trace events; empty: none
  std::string shiviz;    // file of a log with vector clocks; empty: none
  std::string against;   // a variant, seed or lock, whose run stands beside this one; empty: none
  int width = 0;         // columns; 0: the terminal's, or 100
  bool brief = false;    // prints the picture and what is violated, and no more
  bool all = false;      // prints every renewal and every line
  StopRule until;        // ends a campaign early
  StoreWords kept;
  bool link = false;  // prints a link of the playground, and plays nothing
};

}  // namespace picklock
