// What acquiring costs: how long it takes, how many requests, how soon a freed lock is taken again.
//
// Read from a run that kept its full trace.  Only what clients ask for counts, not the probe.  Times
// are of true time, in ns.  All arithmetic is of integers.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/run/run.hpp"

namespace picklock {

struct Costs {
  // Of each acquire that was granted: from its invocation to the client's going on.
  std::vector<std::int64_t> latency_ns;
  // Of each acquire that was granted: commands to the lock service that its machine began meanwhile.  (On
  // a machine of several threads, those of all of them.)
  std::vector<std::int64_t> requests;
  // Of each that was granted after a wait: from the instant at which the lock became free, as the service
  // sees it, to the client's going on.
  std::vector<std::int64_t> wake_up_ns;
  std::uint64_t asked = 0, granted = 0;  // acquires
  std::uint64_t commands = 0;            // to the lock service in all, releases and renewals included
  std::uint64_t watch_events = 0;        // messages by which ZooKeeper told clients of changes they watched
  std::uint64_t overtaken = 0;           // see checker/properties/overtaking.hpp

  void add(const Costs& other);
};

// Of the runner's last run, which must have been made with RecordOptions::full_trace.
Costs costs_of(Runner& runner, const RunResult& result);

// A set of measured values in five numbers; zeros if there are none.
struct Spread {
  std::uint64_t count = 0;
  std::int64_t mean = 0;    // rounded to the nearest, a half away from zero
  std::int64_t median = 0;  // the lower one of two
  std::int64_t p95 = 0;     // the least value that is not below 95 % of them
  std::int64_t most = 0;
  bool operator==(const Spread&) const = default;
};
Spread spread_of(std::vector<std::int64_t> values);

}  // namespace picklock
