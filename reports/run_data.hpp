// One run as the script of its page reads it: rows with bars and marks, messages between the machines, the story.
#pragma once

#include <string>

#include "scenarios/run/run.hpp"

namespace picklock {

struct RunData {
  std::string title;  // scenario and seed
  std::string json;   // {end, rows, messages, story}: see page/run.js
};

// Of the runner's last run, which kept its full trace.
RunData run_data(Runner& runner, const RunResult& result);

}  // namespace picklock
