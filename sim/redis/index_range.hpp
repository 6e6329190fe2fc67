// Ranges of positions as LRANGE and ZRANGE count them: both ends included, -1 is the last.
#pragma once

#include <algorithm>
#include <cstdint>

namespace picklock {

struct IndexRange {
  std::int64_t begin = 0;  // half-open, within 0..size
  std::int64_t end = 0;

  static IndexRange of(std::int64_t first, std::int64_t last, std::size_t size) {
    const auto count = static_cast<std::int64_t>(size);
    if (first < 0) first = std::max<std::int64_t>(first + count, 0);
    if (last < 0) last += count;
    last = std::min(last, count - 1);
    return first > last ? IndexRange{} : IndexRange{first, last + 1};
  }
};

}  // namespace picklock
