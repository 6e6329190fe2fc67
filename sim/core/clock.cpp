#include "sim/core/clock.hpp"

namespace picklock {

MonoTime Clock::scaled(TrueTime t) const {
  if (frozen_) return {base_mono_};
  const std::int64_t passed = t.ns - base_true_, rate = kMillion + ppm_;
  return {base_mono_ + passed / kMillion * rate + passed % kMillion * rate / kMillion};
}

TrueTime Clock::scaled_back(std::int64_t missing) const {
  if (frozen_ || missing > kTooFar) return kNever;
  const std::int64_t rate = kMillion + ppm_;
  return {base_true_ + missing / rate * kMillion + (missing % rate * kMillion + rate - 1) / rate};
}

}  // namespace picklock
