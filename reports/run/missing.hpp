// Events that failed to come before a violation: a renewal, an answer, the news that a hold is over or a lock free.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/run/slice.hpp"

namespace picklock {

struct MissingEvent {
  std::int64_t since = 0;  // time in ns of true time at which it was due, or asked for
  std::string who;         // client that waits for it
  std::string text;
};

// Covers the clients of the violation's holds; ascending.  Needs RecordOptions::full_trace.
std::vector<MissingEvent> missing_events(const RunRecord& record, const Finding& finding, const Slice& slice);

}  // namespace picklock
