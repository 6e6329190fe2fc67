// The scene of a run as trace events
// (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU).
#pragma once

#include <string>

#include "reports/run/scene.hpp"

namespace picklock {

// A JSON object: a thread for each row, a complete event for each bar, an instant event for each mark. Times in
// microseconds.
std::string scene_perfetto(const Scene& scene);

}  // namespace picklock
