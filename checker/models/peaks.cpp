#include "checker/models/peaks.hpp"

#include <algorithm>

namespace picklock {

void Peaks::drop_holds(Peak& peak) {
  for (const HoldRef old : peak.holds) holds_.drop(old);
  peak.holds.clear();
}

void Peaks::forget() {
  while (count_ > 0) drop_holds(peaks_[--count_]);
}

void Peaks::raise(std::uint32_t index, HoldRef ref, std::int64_t held, std::span<const HoldRef> active) {
  while (count_ > 0 && peaks_[count_ - 1].weight <= held) drop_holds(peaks_[--count_]);
  if (count_ == peaks_.size()) peaks_.emplace_back();
  Peak& peak = peaks_[count_++];
  peak.index = index;
  peak.weight = held;
  if (rules_.weight == rules_.permits) {
    peak.holds.push_back(ref);
  } else {
    peak.holds.assign(active.begin(), active.end());
  }
  for (const HoldRef holder : peak.holds) holds_.use(holder);
}

std::size_t Peaks::since(std::uint32_t index) const {
  std::size_t at = count_;
  while (at > 0 && peaks_[at - 1].index > index) --at;
  return at;
}

std::int64_t Peaks::most_since(std::uint32_t index) const {
  std::int64_t most = 0;
  for (std::size_t i = since(index); i < count_; ++i) most = std::max(most, peaks_[i].weight);
  return most;
}

void Peaks::lift(std::size_t first, HoldRef ref) {
  if (first == count_) return;
  add(first, weight_of(rules_, holds_[ref].shared));
  for (std::size_t i = first; i < count_ && rules_.weight != rules_.permits; ++i) {
    peaks_[i].holds.push_back(ref);
    holds_.use(ref);
  }
  std::size_t lower = first;  // peaks before it that are no longer higher
  while (lower > 0 && peaks_[lower - 1].weight <= peaks_[first].weight) --lower;
  if (lower == first) return;
  for (std::size_t i = lower; i < first; ++i) drop_holds(peaks_[i]);
  const auto place = [&](std::size_t i) { return peaks_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::rotate(place(lower), place(first), place(count_));
  count_ -= first - lower;
}

void Peaks::add(std::size_t first, std::int64_t weight) {
  for (std::size_t i = first; i < count_; ++i) peaks_[i].weight += weight;
}

std::vector<std::int64_t> Peaks::weights() const {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < count_; ++i) all.push_back(peaks_[i].weight);
  return all;
}

void Peaks::set_weights(std::span<const std::int64_t> weights) {
  for (std::size_t i = 0; i < count_; ++i) peaks_[i].weight = weights[i];
}

std::size_t Peaks::memory() const {
  std::size_t bytes = 0;
  for (const Peak& peak : peaks_) bytes += sizeof peak + peak.holds.capacity() * sizeof(HoldRef);
  return bytes;
}

}  // namespace picklock
