// Laws: distributions as values, sampled in integer arithmetic alone.
//
// A law turns 64 random bits into an integer (nanoseconds, a count, …).  It uses neither floating point
// nor libm, so every compiler and optimisation level draws the same values.  Each law has a calm
// element, towards which a counterexample shrinks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace picklock {

class Law {
 public:
  enum class Kind : std::uint8_t { constant, uniform, exponential, heavy_tailed, table };
  struct Choice {
    std::int64_t value = 0;
    std::uint32_t weight = 1;
    bool operator==(const Choice&) const = default;
  };

  Law() = default;                                             // constant 0
  Law(Duration length) : low_(length.ns), high_(length.ns) {}  // NOLINT: a length is a law that does not vary

  static Law constant(std::int64_t value);
  static Law uniform(std::int64_t low, std::int64_t high);  // both ends included; low <= high
  // Exponential with this mean, cut off at `cap` (values above become `cap`).
  static Law exponential(std::int64_t mean, std::int64_t cap);
  // Pareto: P(X > x) = (least / x)^(alpha_milli / 1000), cut off at `cap`.  alpha_milli in 100..10000.
  static Law heavy_tailed(std::int64_t least, std::int32_t alpha_milli, std::int64_t cap);
  // One of finitely many values, by weight.  The first is the calm one.
  static Law table(std::vector<Choice> choices);

  static Law constant(Duration d) { return constant(d.ns); }
  static Law uniform(Duration low, Duration high) { return uniform(low.ns, high.ns); }

  std::int64_t sample(std::uint64_t bits) const { return is_even() ? sample_evenly(bits) : sample_slowly(bits); }
  // Each value from low to high is as likely: constant or uniform.
  bool is_even() const { return kind_ <= Kind::uniform; }
  std::int64_t sample_evenly(std::uint64_t bits) const {  // is_even() must hold
    const std::uint64_t values = static_cast<std::uint64_t>(high_ - low_) + 1;
    return low_ + static_cast<std::int64_t>((static_cast<Wide>(bits) * values) >> 64);
  }

  Kind kind() const { return kind_; }
  std::int64_t low() const { return low_; }    // least value; the mean of an exponential is scale()
  std::int64_t high() const { return high_; }  // greatest value that can be drawn
  std::int64_t scale() const { return scale_; }
  std::int32_t alpha_milli() const { return alpha_milli_; }
  const std::vector<Choice>& choices() const { return choices_; }
  std::int64_t calm() const;  // the least disturbing value: what shrinking aims at

  bool operator==(const Law&) const = default;

 private:
  __extension__ using Wide = unsigned __int128;
  std::int64_t sample_slowly(std::uint64_t bits) const;

  Kind kind_ = Kind::constant;
  std::int32_t alpha_milli_ = 0;
  std::int64_t low_ = 0, high_ = 0, scale_ = 0;
  std::uint64_t total_weight_ = 0;
  std::vector<Choice> choices_;
};

}  // namespace picklock
