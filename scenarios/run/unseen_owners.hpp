// Runs in which the service never named an owner of a lock that a client believed to hold.
//
// Mostly the lock keeps its key elsewhere than its kind says.  Such a run has observed no grant: what rests on grants was
// not judged, and what is measured against a promise is unknown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace picklock {

struct UnseenOwners {
  std::uint64_t runs = 0;
  std::uint64_t seed = 0;            // lowest seed of these runs; the fields below belong to it
  std::vector<std::string> locks{};  // locks whose owner was never named
  std::vector<std::string> keys{};   // keys that clients wrote

  void add(const UnseenOwners& other) {
    if (other.runs == 0) return;
    const std::uint64_t all = runs + other.runs;
    if (runs == 0 || other.seed < seed) *this = other;
    runs = all;
  }
  bool operator==(const UnseenOwners&) const = default;
};

}  // namespace picklock
