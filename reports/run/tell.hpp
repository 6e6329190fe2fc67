// A scenario, told: its story and drawing, what it plays with, how its run ends, and which variants repair that.
#pragma once

#include <string>

#include "scenarios/run/tale.hpp"

namespace picklock {

std::string tell_text(const Tale& tale);
std::string tell_json(const Tale& tale);

}  // namespace picklock
