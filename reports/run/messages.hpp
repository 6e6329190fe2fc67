// Messages between the machines of a run, for its page: their ends, their fates, and their contents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/run/scene.hpp"
#include "scenarios/run/record.hpp"

namespace picklock {

// Fate of a message; as numbers in the page's data.
enum class MessageFate : std::uint8_t {
  arrived,
  lost,          // one transmission: what was sent again arrives as a message of its own
  late,          // arrived after more than ten times the median time of all messages
  held,          // sent while a fault held its link, and arrived after the fault
  never_arrived  // no record says that it was lost: held to the end, or its connection was gone
};

struct MessageArrow {
  NodeId from = 0, to = 0;
  std::int64_t sent = 0, arrived = 0;  // a message that never arrives has both at the time of sending
  MessageFate fate = MessageFate::arrived;
  std::string carries{};  // a line on what it carried, a line on what followed where it arrived
};

// Sorted by their arrivals.  Needs full_trace and bodies of RecordOptions.
std::vector<MessageArrow> messages_of(const RunRecord& record, const std::vector<FaultSpan>& faults);

}  // namespace picklock
