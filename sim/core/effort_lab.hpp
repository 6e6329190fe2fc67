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
// Built with AddressSanitizer, whose tests are some thirty times slower, and looked at for other reasons.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kInstrumented = true;
#elif defined(__has_feature)
inline constexpr bool kInstrumented = __has_feature(address_sanitizer);
#else
inline constexpr bool kInstrumented = false;
#endif
// Built for speed, and with nothing that slows it: full effort.
#ifdef __OPTIMIZE__
inline constexpr bool kFast = !kInstrumented;
#else
inline constexpr bool kFast = false;
#endif

inline std::uint64_t effort(std::uint64_t runs) { return runs * soak_factor(); }

}  // namespace picklock::testing
