// Result of reading the journal of one run.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/history.hpp"

namespace picklock {

struct Recording {
  History history;
  // For each event of the history: the place in the journal that it was made from, if that was asked for.
  std::vector<std::uint32_t> sources;
  std::vector<std::int64_t> first_heard;  // index: hold; the time when the service heard of it, if that was asked for
};

}  // namespace picklock
