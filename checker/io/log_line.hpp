// The operations in a log of Jepsen's (jepsen.util/log-op): process, type, function and value, and
// for failures an error, separated by tabs, at the end of a line that some logger began:
//
//   INFO  jepsen.util - 0	:invoke	:read	nil
//   2024-05-01 12:00:00,123{GMT}	INFO	[jepsen worker 0] jepsen.util: 0	:ok	:read	3
//
// If a log's tabs have become blanks, a line is an operation if such a process and type are followed by a keyword.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace picklock {

// Offsets in the line.
struct LoggedOperation {
  std::size_t process = 0;   // index of its first character
  std::size_t type = 0;      // index of its colon
  std::size_t function = 0;  // index of its first character
  bool tabs = true;          // tabs between columns; otherwise blanks
};

// Nothing if the line, without its end, is of another kind.
std::optional<LoggedOperation> find_operation(std::string_view line);

}  // namespace picklock
