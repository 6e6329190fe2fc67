// Verdicts over many runs.  Floating point is fine here: nothing is decided by it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "checker/properties/finding.hpp"
#include "statistics/intervals.hpp"

namespace picklock {

// The verdicts on one property over many seeds.  The order of adding does not matter.
struct Tally {
  std::array<std::uint64_t, kVerdictCount> counts{};                    // index: Verdict
  std::array<std::optional<std::uint64_t>, kVerdictCount> lowest_seed;  // index: Verdict

  void add(Verdict verdict, std::uint64_t seed) {
    const auto place = static_cast<std::size_t>(verdict);
    ++counts[place];
    if (!lowest_seed[place] || seed < *lowest_seed[place]) lowest_seed[place] = seed;
  }
  void add(const Tally& other);  // `other` counts other seeds

  [[nodiscard]] std::uint64_t count(Verdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
  [[nodiscard]] std::uint64_t runs() const;
  // Undecided and inapplicable runs are left out of shares.
  [[nodiscard]] std::uint64_t decided() const { return count(Verdict::holds) + count(Verdict::violated); }
  [[nodiscard]] std::optional<std::uint64_t> seed_of(Verdict verdict) const {
    return lowest_seed[static_cast<std::size_t>(verdict)];
  }
  [[nodiscard]] double share_violated() const;  // share among the decided runs; 0 without any

  friend bool operator==(const Tally&, const Tally&) = default;
};

// "37.20 % (372 of 1,000; 95 %: 34.26 to 40.24 %, Wilson)", or
// "0 of 1,000 (95 %: below 0.30 %, 1 - 0.05^(1/N); Wilson 0.38 %)", and how many were left out.
std::string print_share(const Tally& tally);

}  // namespace picklock
