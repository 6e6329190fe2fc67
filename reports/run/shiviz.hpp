// A run as a log with vector clocks, for ShiViz (https://bestchai.bitbucket.io/shiviz/).
//
// Two lines an event, which ShiViz parses by the expression that it proposes itself:
//
//   (?<event>.*)\n(?<host>\S*) (?<clock>{.*})
//
//   0.055 ms lock: granted to a, until 100.1 ms
//   redis {"a":2,"redis":1}
//
// The hosts are the machines, and `network` for what happens between them.  A clock counts the events of each host that
// precede its event, by messages, by steps of one machine, by rules of the network, and by silence
// (scenarios/run/slice.hpp).
#pragma once

#include <string>

#include "scenarios/run/record.hpp"

namespace picklock {

inline constexpr std::string_view kShivizExpression = R"((?<event>.*)\n(?<host>\S*) (?<clock>{.*}))";

// Needs RecordOptions::full_trace.
std::string shiviz_log(const RunRecord& record);

}  // namespace picklock
