#include "scenarios/campaign/histogram.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace picklock {
namespace {

constexpr unsigned kBits = 8;  // that are kept of a value: 2^-7 is 0.8 %

std::int64_t class_of(std::int64_t value) {
  const auto v = static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
  const unsigned width = static_cast<unsigned>(std::bit_width(v)), dropped = width > kBits ? width - kBits : 0;
  return static_cast<std::int64_t>(v >> dropped << dropped);
}

}  // namespace

void Histogram::add(std::int64_t value) {
  ++counts_[class_of(value)];
  ++count_;
  most_ = std::max(most_, value);
}

void Histogram::add(const Histogram& other) {
  for (const auto& [least, count] : other.counts_) counts_[least] += count;
  count_ += other.count_;
  most_ = std::max(most_, other.most_);
}

Histogram Histogram::of(std::map<std::int64_t, std::uint64_t> counts, std::int64_t most) {
  Histogram h;
  h.counts_ = std::move(counts);
  for (const auto& [least, count] : h.counts_) h.count_ += count;
  h.most_ = most;
  return h;
}

std::optional<std::int64_t> Histogram::quantile(unsigned percent) const {
  std::uint64_t before = 0;
  for (const auto& [least, count] : counts_) {
    before += count;
    if (before * 100 >= count_ * percent) return least;
  }
  return std::nullopt;
}

}  // namespace picklock
