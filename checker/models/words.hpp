// How events are spoken of in explanations.
#pragma once

#include <cstdint>
#include <string>

#include "checker/history.hpp"

namespace picklock {

// "process 3", or "hold 7 of process 3".
std::string who(const OperationEvent& event);

// "index 1109 (29.421 s)"
std::string when(const OperationEvent& event);

// "the lock", or "lock 'seats'".
std::string lock_name(const History& tables, NameId lock);

std::string capitalised(std::string text);

}  // namespace picklock
