// Costs of acquiring: how long it takes, how many requests, how soon a freed lock is taken again.
//
// They are read from a run that kept its full trace.  Clients count, the probe does not.  Times are
// true times in ns.  All arithmetic is of integers.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/run/record.hpp"

namespace picklock {

struct Costs {
  // Time of each granted acquire, from its invocation until the client goes on.
  std::vector<std::int64_t> latency_ns;
  // Commands to the lock service that the machine began during each granted acquire.  (A machine of
  // several threads counts those of all threads.)
  std::vector<std::int64_t> requests;
  // Time of each acquire granted after a wait, from the instant at which the service saw the lock become
  // free until the client goes on.
  std::vector<std::int64_t> wake_up_ns;
  std::uint64_t asked = 0, granted = 0;  // acquires that were asked for, and granted
  std::uint64_t commands = 0;            // commands to the lock service, releases and renewals included
  std::uint64_t watch_events = 0;        // messages by which the service told clients of changes they watched
  std::uint64_t overtaken = 0;           // see checker/properties/overtaking.hpp

  void add(const Costs& other);
};

// The run must have been recorded with RecordOptions::full_trace.
Costs costs_of(const RunRecord& record);

// A set of measured values in five numbers; zeros if there are none.
struct Spread {
  std::uint64_t count = 0;
  std::int64_t mean = 0;    // rounded to the nearest, a half away from zero
  std::int64_t median = 0;  // the lower one of two
  std::int64_t p95 = 0;     // least value at or above 95 % of them
  std::int64_t most = 0;
  bool operator==(const Spread&) const = default;
};
Spread spread_of(std::vector<std::int64_t> values);

}  // namespace picklock
