#include "checker/line_table.hpp"

#include <algorithm>

namespace picklock {

void LineTable::add(std::uint32_t index, std::uint64_t line) {
  if (!runs_.empty()) {
    Run& run = runs_.back();
    if (run.count == 1) {
      run.index_step = index - run.index;
      run.line_step = static_cast<std::int64_t>(line - run.line);
      run.count = 2;
      return;
    }
    const bool next = index - run.index == std::uint64_t{run.count} * run.index_step &&
                      static_cast<std::int64_t>(line - run.line) == std::int64_t{run.count} * run.line_step;
    if (next) {
      ++run.count;
      return;
    }
    if (runs_.size() >= most_) return;
  }
  runs_.push_back({index, 1, 0, line, 0});
}

// An index between two records belongs to the second: a record may be several events.
std::optional<std::uint64_t> LineTable::line_of(std::uint32_t index) const {
  const auto last_of = [](const Run& run) { return run.index + std::uint64_t{run.count - 1} * run.index_step; };
  const auto run = std::lower_bound(runs_.begin(), runs_.end(), index,
                                    [&](const Run& each, std::uint32_t i) { return last_of(each) < i; });
  const bool one_line = runs_.size() == 1 && runs_[0].count > 1 && runs_[0].line_step == 0;
  if (run == runs_.end() || one_line) return std::nullopt;
  if (index <= run->index || run->index_step == 0) return run->line;
  const std::uint32_t place = (index - run->index + run->index_step - 1) / run->index_step;
  return run->line + static_cast<std::uint64_t>(std::int64_t{place} * run->line_step);
}

}  // namespace picklock
