// Each node has two clocks: exact piecewise linear functions of true time.
//
//   monotonic(t) = base + floor((t - base_true) · (10^6 + ppm) / 10^6)      never steps
//   wall(t)      = monotonic(t) + offset                                    steps
//
// Quotient and remainder by 10^6 are scaled apart, so that nanoseconds × ppm does not overflow and
// nothing is rounded twice; the base moves at every change of rate.  Exact for 20 years of true time
// at any rate.
#pragma once

#include <cstdint>

#include "base/time.hpp"

namespace picklock {

using TrueTime = Instant<struct TrueClock>;  // true time; no process can read it

inline constexpr TrueTime kNever{INT64_MAX};

class Clock {
 public:
  // Every wall clock shows this instant, 2026-01-01T00:00:00Z, plus its own offset, when a run begins.
  static constexpr Duration kEpoch{1'767'225'600'000'000'000};
  static constexpr std::int32_t kLeastPpm = -900'000, kMostPpm = 9'000'000;

  MonoTime monotonic(TrueTime t) const { return is_exact_ ? MonoTime{base_mono_ + (t.ns - base_true_)} : scaled(t); }
  WallTime wall(TrueTime t) const { return {monotonic(t).ns + offset_.ns}; }

  // The first true instant since the last change of rate at which monotonic() has reached `due`; it
  // may have passed.  kNever while frozen, and if `due` lies further ahead than any run is long.
  TrueTime when(MonoTime due) const {
    const std::int64_t missing = due.ns - base_mono_;
    if (missing <= 0) return {base_true_};
    return is_exact_ && missing <= kTooFar ? TrueTime{base_true_ + missing} : scaled_back(missing);
  }

  void set_rate(TrueTime now, std::int32_t ppm) {
    rebase(now);
    ppm_ = ppm;
    note_exactness();
  }
  void freeze(TrueTime now) {
    rebase(now);
    frozen_ = true;
    note_exactness();
  }
  void thaw(TrueTime now) {
    base_true_ = now.ns;
    frozen_ = false;
    note_exactness();
  }
  void step(Duration d) { offset_ += d; }  // the wall clock only

  std::int32_t ppm() const { return ppm_; }
  bool frozen() const { return frozen_; }
  Duration offset() const { return offset_; }

 private:
  static constexpr std::int64_t kMillion = 1'000'000;
  static constexpr std::int64_t kTooFar = INT64_MAX / 16;  // 18 years; less than kForever
  MonoTime scaled(TrueTime t) const;
  TrueTime scaled_back(std::int64_t missing) const;
  void note_exactness() { is_exact_ = !frozen_ && ppm_ == 0; }
  void rebase(TrueTime now) {
    base_mono_ = monotonic(now).ns;
    base_true_ = now.ns;
  }

  std::int64_t base_true_ = 0, base_mono_ = 0;
  Duration offset_ = kEpoch;
  std::int32_t ppm_ = 0;
  bool frozen_ = false;
  bool is_exact_ = true;  // its rate is that of true time, as for most clocks
};

}  // namespace picklock
