// Topics of scenarios: the meaning of each tag that is no issue of a tracker.
#pragma once

#include <span>
#include <string_view>

namespace picklock {

struct Topic {
  std::string_view tag, meaning;
};

// Services first, then libraries, then faults and failures, in the order in which `picklock list scenarios` shows them.
std::span<const Topic> topics();

// Whether the tag is an issue of a tracker, such as redisson-5761.
bool is_issue(std::string_view tag);

}  // namespace picklock
