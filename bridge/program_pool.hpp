// Programs that are started and wait for their next run: a start takes longer than a run.
#pragma once

#include <memory>
#include <string>

#include "bridge/program_host.hpp"

namespace picklock {

// One that is started, or a new one; of this thread. Throws std::runtime_error.
std::unique_ptr<ProgramHost> take_program(const std::string& command, const std::vector<ProgramServer>& servers);
// After its run. One that cannot play another is ended.
void give_back(std::unique_ptr<ProgramHost> program);

}  // namespace picklock
