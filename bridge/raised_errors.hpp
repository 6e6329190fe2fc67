// Errors that programs raised and that no `refused` names: what the outcome "unknown" hides. For people, beside the report of a run.
#pragma once

#include <string>

#include "bridge/program_host.hpp"

namespace picklock {

// May be called by several threads.
void note_raised_error(const std::string& command, const ProgramHost::Json& answer);
// One line for each text, with the number of times, and none twice; "" if nothing was raised since the last call.
std::string take_raised_errors();

}  // namespace picklock
