#include "base/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace picklock {
namespace {

constexpr std::size_t kLongest = 200;  // longer names are not compared

std::string folded(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_' || c == ' ') c = '-';
  }
  return out;
}

// Twice the distance, so that the beginning of a name can rank between one mistake and two.
std::optional<std::size_t> remoteness(const std::string& text, const std::string& candidate) {
  if (text.size() >= 2 && candidate.size() > text.size() && candidate.starts_with(text)) return 3;
  // One mistake in a short name, a third of a longer one; in one of a single letter it is another.
  const std::size_t longer = std::max(text.size(), candidate.size());
  const std::size_t allowed = longer < 2 ? 0 : std::max<std::size_t>(1, longer / 3);
  const std::size_t distance = edit_distance(text, candidate);
  return distance <= allowed ? std::optional(2 * distance) : std::nullopt;
}

template <class Name>
std::optional<std::string_view> nearest(std::string_view text, std::span<const Name> candidates) {
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  const std::string wanted = folded(text);
  std::optional<std::string_view> best;
  std::size_t least = 0;
  for (const Name& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const auto remote = remoteness(wanted, folded(candidate));
    if (!remote || (best && *remote >= least)) continue;
    best = candidate;
    least = *remote;
  }
  return best;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the table of distances between the beginnings of a and b: two back, one back, this one.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::optional<std::string_view> nearest_name(std::string_view text, std::span<const std::string_view> candidates) {
  return nearest(text, candidates);
}

std::optional<std::string_view> nearest_name(std::string_view text, std::span<const std::string> candidates) {
  return nearest(text, candidates);
}

std::string did_you_mean(std::string_view text, std::span<const std::string> candidates) {
  const auto found = nearest_name(text, candidates);
  return found ? "; did you mean '" + std::string(*found) + "'?" : std::string();
}

}  // namespace picklock
