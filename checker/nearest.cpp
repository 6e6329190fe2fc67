#include "checker/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace picklock {

std::size_t letters_apart(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

std::string nearest_hint(std::string_view word, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  std::size_t least = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t apart = letters_apart(word, candidate);
    if (2 * apart > std::max(word.size(), candidate.size())) continue;
    if (best != nullptr && apart >= least) continue;
    best = &candidate;
    least = apart;
  }
  return best == nullptr ? std::string() : "; the nearest is '" + *best + "'";
}

}  // namespace picklock
