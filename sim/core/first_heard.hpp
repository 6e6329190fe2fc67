// The time at which a service first heard of each hold, for a judge of order.
//
// It stands beside the trace, which it does not change.  Each service has its own event:
//   Redis      a command on its behalf is served
//   ZooKeeper  its ephemeral is asked for, or is there already
//   etcd       its key is created or found, at the first member to apply that; nothing tells when it was asked for,
//              but keys stand in the order of their revisions
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/core/clock.hpp"

namespace picklock {

class FirstHeard {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

  // Returns true for the first time.
  bool note(std::uint32_t hold, TrueTime now) {
    if (hold >= times_.size()) times_.resize((hold | std::size_t{15}) + 1, kNever);  // holds come one by one
    const bool is_first = times_[hold] == kNever;
    if (is_first) times_[hold] = now.ns;
    return is_first;
  }
  void clear() { times_.clear(); }
  // Puts there what is earlier here, or known here alone.  `by_hold`: ns of true time, or kNever.
  void merge_into(std::vector<std::int64_t>& by_hold) const {
    for (std::size_t hold = 0; hold < std::min(times_.size(), by_hold.size()); ++hold) {
      const std::int64_t here = times_[hold];
      std::int64_t& known = by_hold[hold];
      if (here != kNever && (known == kNever || here < known)) known = here;
    }
  }

 private:
  std::vector<std::int64_t> times_;
};

}  // namespace picklock
