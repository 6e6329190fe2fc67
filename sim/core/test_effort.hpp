// How much a test does: CI's fixed seeds, or with PICKLOCK_SOAK=N N times as many (scripts/soak).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace picklock::testing {

inline std::uint64_t soak_factor() {
  const char* const soak = std::getenv("PICKLOCK_SOAK");
  return soak != nullptr ? std::max<std::uint64_t>(1, std::strtoull(soak, nullptr, 10)) : 1;
}
inline std::uint64_t effort(std::uint64_t runs) { return runs * soak_factor(); }

}  // namespace picklock::testing
