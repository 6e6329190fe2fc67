// Statistics of paired runs: two scenarios that played the same seeds.
//
// Sources: Q. McNemar, Psychometrika 12 (1947) 153–157 (here the exact form); A. Agresti, Y. Min, Statistics in
// Medicine 24 (2005) 729–740 (difference); S. Holm,
// Scandinavian Journal of Statistics 6 (1979) 65–70. Everything is computed from integers; floating point decides nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "statistics/intervals.hpp"

namespace picklock {

// Runs of the same seeds in which the property was decided for both.
struct PairTable {
  std::uint64_t both = 0;    // violated in A and in B
  std::uint64_t only_a = 0;  // violated in A alone
  std::uint64_t only_b = 0;
  std::uint64_t neither = 0;
  std::uint64_t undecided = 0;  // seeds left out: not tested or not decided in A, in B or in both

  std::uint64_t pairs() const { return both + only_a + only_b + neither; }
  std::uint64_t differing() const { return only_a + only_b; }
  bool operator==(const PairTable&) const = default;
};

// McNemar's exact test, two-sided: the chance of so uneven a split of the differing pairs, or a more uneven one, if
// either were equally likely. 1 without differing pairs.
double mcnemar_exact(const PairTable& t);
// Share violated in B less that in A, by Agresti and Min; between -1 and 1. Empty without pairs.
std::optional<Estimate> difference_of_shares(const PairTable& t);
// Ratio of runs that violate in B alone to those in A alone, by Clopper and Pearson on the differing pairs. `high` is
// infinite if A alone never is violated. Empty without differing pairs.
std::optional<Estimate> ratio_of_differing(const PairTable& t);
// Factor by which an unpaired comparison needs more runs for the same precision. Empty if no outcome varies, or
// if all pairs agree.
std::optional<double> gain_of_pairing(const PairTable& t);

// Holm's adjusted p-values, in the order of `p`: those below 0.05 differ, with at most 5 % risk of any false one.
std::vector<double> holm(const std::vector<double>& p);

// Differences of a measured value between the two runs of each seed. Sums are exact, so that the order does not matter.
class PairedDifferences {
 public:
  void add(std::int64_t a, std::int64_t b);
  void add(const PairedDifferences& other);

  std::uint64_t pairs() const { return pairs_; }
  std::uint64_t lower_in_b() const { return lower_; }
  std::uint64_t higher_in_b() const { return higher_; }
  // Mean of b - a with Student's interval; nothing with fewer than two pairs.
  std::optional<Estimate> mean() const;
  bool operator==(const PairedDifferences&) const = default;
  // "pairs lower higher sum squares".
  std::string text() const;
  // Throws std::runtime_error if the text is not of this form.
  static PairedDifferences of_text(const std::string& text);

 private:
  __extension__ using Wide = __int128;
  std::uint64_t pairs_ = 0, lower_ = 0, higher_ = 0;
  Wide sum_ = 0, squares_ = 0;
};

}  // namespace picklock
