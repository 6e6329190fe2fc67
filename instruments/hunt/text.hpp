// The result of a hunt, for people and for programs.
#pragma once

#include <string>

#include "instruments/hunt/hunt.hpp"

namespace picklock {

// `origin`: what was hunted, "paused_holder".
std::string hunt_text(const HuntResult& result, const HuntSpace& space, const HuntOptions& options,
                      const std::string& origin);
std::string hunt_json(const HuntResult& result, const HuntSpace& space, const HuntOptions& options,
                      const std::string& origin);

// "3 findings; the best: 1 fault, 32 of 32 other seeds"
std::string hunt_progress(const HuntResult& result);

}  // namespace picklock
