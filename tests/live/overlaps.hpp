// For how long two clients believe that they hold the lock: the rows of docs/overlaps.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace picklock::live {

struct OverlapRow {
  std::string what, command;
  std::uint64_t runs = 0, violated = 0;
  std::int64_t longest_ns = 0;
};
std::vector<OverlapRow> overlap_rows();

// In Markdown, and below it the commands.
std::string overlap_table(const std::vector<OverlapRow>& rows);

}  // namespace picklock::live
