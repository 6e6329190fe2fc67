// A purpose is the part of a draw's name that the code states.  See sim/core/draws.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace picklock {

enum class Purpose : std::uint8_t {
  lock_value,     // the random value that names an owner
  retry_delay,    // back-off of a lock that polls
  start,          // instant at which a client begins
  hold,           // duration of a critical section's work
  think,          // pause of a client between critical sections
  choice,         // a client's choice of a lock, seat or resource
  latency,        // latency of one segment on one link
  loss,           // loss of one segment
  cpu,            // cost of one step
  disk_write,     // latency of a write into the page cache
  disk_fsync,     // latency of an fsync
  expire_sample,  // keys that an active expiry cycle looks at
  timer_order,    // order of overdue timers against buffered messages after a pause
  fault,          // durations and instants of faults
  application,    // any other decision of a workload
  election,       // random delays that keep candidates from acting in step
  count_
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(Purpose::count_)> kPurposeNames = {
    "lock-value", "retry-delay", "start",      "hold",          "think",       "choice", "latency",     "loss",
    "cpu",        "disk-write",  "disk-fsync", "expire-sample", "timer-order", "fault",  "application", "election"};

constexpr std::string_view name_of(Purpose p) { return kPurposeNames[static_cast<std::size_t>(p)]; }

}  // namespace picklock
