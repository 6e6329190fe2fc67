#include "base/law.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.hpp"

namespace picklock {
namespace {

__extension__ using Wide = unsigned __int128;

// Fixed point with 32 fraction bits.
constexpr std::uint64_t kOne = std::uint64_t{1} << 32;
constexpr std::uint64_t kLn2 = 2'977'044'472;  // ln 2 · 2^32, rounded

// log2 of m / 2^32 for m in [2^32, 2^33), by repeated squaring: one result bit a step.
constexpr std::uint64_t log2_slowly(std::uint64_t m) {
  std::uint64_t result = 0;
  std::uint64_t x = m;
  for (int bit = 31; bit >= 0; --bit) {
    x = static_cast<std::uint64_t>((static_cast<Wide>(x) * x) >> 32);
    if (x >= 2 * kOne) {
      x >>= 1;
      result |= std::uint64_t{1} << bit;
    }
  }
  return result;
}

constexpr int kTableBits = 8;
constexpr std::size_t kTableSize = std::size_t{1} << kTableBits;

constexpr auto kLog2Table = [] {
  std::array<std::uint64_t, kTableSize + 1> table{};
  for (std::size_t i = 0; i < kTableSize; ++i) table[i] = log2_slowly(kOne + (i << (32 - kTableBits)));
  table[kTableSize] = kOne;
  return table;
}();

// 2^(i / 256) · 2^32, from square roots of two found by bisection.
constexpr std::uint64_t square_root(Wide square) {
  std::uint64_t low = 0, high = std::uint64_t{1} << 34;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (static_cast<Wide>(middle) * middle <= square ? low : high) = middle;
  }
  return low;
}
constexpr auto kExp2Table = [] {
  std::array<std::uint64_t, kTableSize + 1> table{};
  std::array<std::uint64_t, kTableBits> roots{};  // 2^(1/2), 2^(1/4), …
  std::uint64_t root = 2 * kOne;
  for (auto& r : roots) r = root = square_root(static_cast<Wide>(root) << 32);
  for (std::size_t i = 0; i < kTableSize; ++i) {
    Wide product = kOne;
    for (int bit = 0; bit < kTableBits; ++bit) {
      if ((i >> (kTableBits - 1 - bit)) & 1) product = (product * roots[static_cast<std::size_t>(bit)]) >> 32;
    }
    table[i] = static_cast<std::uint64_t>(product);
  }
  table[kTableSize] = 2 * kOne;
  return table;
}();

std::uint64_t interpolate(const std::array<std::uint64_t, kTableSize + 1>& table, std::uint64_t fraction) {
  const std::size_t i = fraction >> (32 - kTableBits);
  const std::uint64_t rest = fraction & ((std::uint64_t{1} << (32 - kTableBits)) - 1);
  return table[i] + (((table[i + 1] - table[i]) * rest) >> (32 - kTableBits));
}

// -log2(u) · 2^32 for u = (bits + 1) / 2^64, i.e. in [0, 64 · 2^32].
std::uint64_t minus_log2(std::uint64_t bits) {
  if (bits == ~std::uint64_t{0}) return 0;
  const std::uint64_t u = bits + 1;
  const int zeros = std::countl_zero(u);
  const std::uint64_t mantissa = (u << zeros) >> 31;  // [2^32, 2^33)
  const std::uint64_t fraction = interpolate(kLog2Table, mantissa - kOne);
  return (static_cast<std::uint64_t>(zeros) + 1) * kOne - fraction;
}

// 2^(x / 2^32), in fixed point with 32 fraction bits; x < 31 · 2^32.
Wide exp2_fixed(std::uint64_t x) { return static_cast<Wide>(interpolate(kExp2Table, x & (kOne - 1))) << (x >> 32); }

}  // namespace

Law Law::constant(std::int64_t value) {
  Law law;
  law.low_ = law.high_ = value;
  return law;
}

Law Law::uniform(std::int64_t low, std::int64_t high) {
  PICKLOCK_CHECK(low <= high);
  Law law;
  law.kind_ = Kind::uniform;
  law.low_ = low;
  law.high_ = high;
  return law;
}

Law Law::exponential(std::int64_t mean, std::int64_t cap) {
  PICKLOCK_CHECK(mean >= 0 && cap >= 0);
  Law law;
  law.kind_ = Kind::exponential;
  law.scale_ = mean;
  law.high_ = cap;
  return law;
}

Law Law::heavy_tailed(std::int64_t least, std::int32_t alpha_milli, std::int64_t cap) {
  PICKLOCK_CHECK(least >= 0 && least <= cap && alpha_milli >= 100 && alpha_milli <= 10'000);
  Law law;
  law.kind_ = Kind::heavy_tailed;
  law.low_ = law.scale_ = least;
  law.alpha_milli_ = alpha_milli;
  law.high_ = cap;
  return law;
}

Law Law::table(std::vector<Choice> choices) {
  PICKLOCK_CHECK(!choices.empty());
  Law law;
  law.kind_ = Kind::table;
  law.low_ = law.high_ = choices.front().value;
  for (const Choice& c : choices) {
    law.total_weight_ += c.weight;
    law.low_ = std::min(law.low_, c.value);
    law.high_ = std::max(law.high_, c.value);
  }
  PICKLOCK_CHECK(law.total_weight_ > 0);
  law.choices_ = std::move(choices);
  return law;
}

std::int64_t Law::calm() const { return kind_ == Kind::table ? choices_.front().value : low_; }

std::int64_t Law::sample_slowly(std::uint64_t bits) const {
  switch (kind_) {
    case Kind::exponential: {
      const std::uint64_t nats = static_cast<std::uint64_t>((static_cast<Wide>(minus_log2(bits)) * kLn2) >> 32);
      const Wide value = (static_cast<Wide>(scale_) * nats) >> 32;
      return value > static_cast<Wide>(high_) ? high_ : static_cast<std::int64_t>(value);
    }
    case Kind::heavy_tailed: {
      const Wide exponent = static_cast<Wide>(minus_log2(bits)) * 1000 / static_cast<std::uint32_t>(alpha_milli_);
      if (exponent >= 31 * static_cast<Wide>(kOne)) return high_;
      const Wide value = (static_cast<Wide>(scale_) * exp2_fixed(static_cast<std::uint64_t>(exponent))) >> 32;
      return value > static_cast<Wide>(high_) ? high_ : static_cast<std::int64_t>(value);
    }
    case Kind::table: {
      auto left = static_cast<std::uint64_t>((static_cast<Wide>(bits) * total_weight_) >> 64);
      for (const Choice& c : choices_) {
        if (left < c.weight) return c.value;
        left -= c.weight;
      }
      return choices_.back().value;
    }
    case Kind::constant:
    case Kind::uniform:
      break;
  }
  return low_;
}

}  // namespace picklock
