#pragma once

#include "app/command.hpp"
#include "app/run.hpp"
#include "reports/run/timeline.hpp"

namespace picklock {

// Plays the command's run and the one that it is set against, and shows them side by side.
int run_against(const RunCommand& command, const TimelineOptions& options);

}  // namespace picklock
