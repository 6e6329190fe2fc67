// Any scenario whatever, for properties of the reader and the writer.
#pragma once

#include <rapidcheck.h>

#include "scenarios/file/scenario.hpp"

namespace picklock {

rc::Gen<Scenario> any_scenario();  // scenarios with values within their bounds, without any sense
rc::Gen<std::string> any_text();   // valid UTF-8, with quotes and control characters

}  // namespace picklock
