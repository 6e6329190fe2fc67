// One run as a page for the browser: the scene with its messages, the story beside it, the verdicts below.
#pragma once

#include <string>

#include "scenarios/run/run.hpp"

namespace picklock {

// A file that needs no network and no other file. The run is the runner's last, and kept its full trace; `words`: what
// stands below the story, such as the verdicts or an explanation.
std::string run_page(Runner& runner, const RunResult& result, const std::string& words, const std::string& replay);

}  // namespace picklock
