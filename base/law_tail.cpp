#include "base/law_tail.hpp"

#include <algorithm>

namespace picklock {
namespace {

__extension__ using Wide = unsigned __int128;
constexpr Wide kAll = static_cast<Wide>(1) << 64;

std::uint64_t scaled(std::uint64_t bits, Wide patterns) { return static_cast<std::uint64_t>((patterns * bits) >> 64); }

// Number of patterns that a table gives to the first `weight` of `total`.
Wide patterns_of(std::uint64_t weight, std::uint64_t total) { return (weight * kAll + (total - 1)) / total; }

// The first pattern for which `holds` is true, if it is false for all before and true from there on; 2^64: none.
template <class Holds>
Wide first_pattern(const Holds& holds) {
  Wide low = 0, high = kAll;
  while (low < high) {
    const Wide middle = low + (high - low) / 2;
    if (holds(static_cast<std::uint64_t>(middle))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

std::uint64_t total_weight(const Law& law) {
  std::uint64_t total = 0;
  for (const Law::Choice& c : law.choices()) total += c.weight;
  return total;
}

// Uniform values rise with the pattern, those of the other continuous laws fall.
Wide all_above(const Law& law, std::int64_t x) {
  switch (law.kind()) {
    case Law::Kind::constant:
      return law.low() > x ? kAll : 0;
    case Law::Kind::uniform:
      if (law.high() <= x) return 0;
      return kAll - first_pattern([&](std::uint64_t bits) { return law.sample(bits) > x; });
    case Law::Kind::exponential:
    case Law::Kind::heavy_tailed:
      return first_pattern([&](std::uint64_t bits) { return law.sample(bits) <= x; });
    case Law::Kind::table:
      break;
  }
  const std::uint64_t total = total_weight(law);
  Wide patterns = 0;
  std::uint64_t before = 0;
  for (const Law::Choice& c : law.choices()) {
    if (c.value > x) patterns += patterns_of(before + c.weight, total) - patterns_of(before, total);
    before += c.weight;
  }
  return patterns;
}

}  // namespace

std::uint64_t patterns_above(const Law& law, std::int64_t x) {
  return static_cast<std::uint64_t>(std::min<Wide>(all_above(law, x), kAll - 1));
}

std::int64_t sample_above(const Law& law, std::uint64_t bits, std::int64_t x) {
  if (law.kind() == Law::Kind::table) {
    std::uint64_t total = 0;
    for (const Law::Choice& c : law.choices()) total += c.value > x ? c.weight : 0;
    std::uint64_t left = scaled(bits, total);
    for (const Law::Choice& c : law.choices()) {
      if (c.value <= x) continue;
      if (left < c.weight) return c.value;
      left -= c.weight;
    }
    return x;
  }
  const Wide patterns = all_above(law, x);
  if (patterns == 0) return x;
  if (law.kind() == Law::Kind::uniform)
    return law.sample(static_cast<std::uint64_t>(kAll - patterns) + scaled(bits, patterns));
  return law.sample(scaled(bits, patterns));
}

std::int64_t value_reached_by(const Law& law, std::uint64_t patterns) {
  std::int64_t low = law.kind() == Law::Kind::exponential ? 0 : law.low(), high = law.high();
  while (low < high) {  // the largest x with P(value >= x) at least that
    const std::int64_t middle = low + (high - low) / 2 + 1;
    if (all_above(law, middle - 1) >= patterns) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace picklock
