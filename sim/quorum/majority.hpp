// Majorities of a fixed set of voters.
//
// Any two majorities of one set share a member: that is all that Raft (Ongaro 2014, § 3.4) and ZAB
// (Junqueira, Reed, Serafini 2011, § II) build on.  Left out: weights, hierarchical and joint quorums.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace picklock {

inline constexpr std::size_t kMostVoters = 64;

// Number of voters that make a majority; voters ≥ 1.
constexpr std::size_t majority_of(std::size_t voters) { return voters / 2 + 1; }

// The largest position that a majority has reached, each voter standing at one of `positions`.
// The number of voters is 1 to kMostVoters.
std::uint64_t reached_by_majority(std::span<const std::uint64_t> positions);

// The answers of the voters, who are numbered 0 to kMostVoters - 1.  The first answer of each counts.
class VoteTally {
 public:
  enum class Result : std::uint8_t { pending, won, lost };

  void clear() { yes_ = no_ = 0; }
  void record(std::size_t voter, bool yes) {
    const std::uint64_t bit = std::uint64_t{1} << voter;
    if (((yes_ | no_) & bit) == 0) (yes ? yes_ : no_) |= bit;
  }
  std::size_t yes() const { return static_cast<std::size_t>(std::popcount(yes_)); }
  std::size_t no() const { return static_cast<std::size_t>(std::popcount(no_)); }
  bool has(std::size_t voter) const { return ((yes_ | no_) >> voter & 1) != 0; }

  // Lost as soon as the voters that have not said no are less than a majority.
  Result result(std::size_t voters) const {
    if (yes() >= majority_of(voters)) return Result::won;
    return voters - no() < majority_of(voters) ? Result::lost : Result::pending;
  }

 private:
  std::uint64_t yes_ = 0, no_ = 0;
};

}  // namespace picklock
