// SentinelTilt keeps whether a sentinel trusts its clock: its own ticks tell.
//
// When the clock goes back, or the process stands still, nothing that was timed can be trusted for a while.
#pragma once

#include <cstdint>

#include "sim/redis/sentinel/periods.hpp"

namespace picklock {

class SentinelTilt {
 public:
  void boot(std::int64_t now) {
    on_ = false;
    last_tick_ = now;
  }
  // Returns true if it begins, or begins anew.
  bool begins(std::int64_t now) {
    const std::int64_t gap = now - last_tick_;
    last_tick_ = now;
    if (gap >= 0 && gap <= sentinel_period::tilt_trigger) return false;
    on_ = true;
    since_ = now;
    return true;
  }
  // Returns true if it was on, and has lasted long enough.
  bool ends(std::int64_t now) {
    if (!on_ || now - since_ < sentinel_period::tilt) return false;
    on_ = false;
    return true;
  }
  bool on() const { return on_; }

 private:
  bool on_ = false;
  std::int64_t since_ = 0, last_tick_ = 0;
};

}  // namespace picklock
