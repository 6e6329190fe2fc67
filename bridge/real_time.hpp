// Programs in real time: any program that keeps the contract (bridge/README.md), whatever it is written in.
//
// The program runs freely over real sockets on the loopback; the world is paced by the clock of this machine (sim/core/pace.hpp), and
// servers, network, workload and faults stay simulated.  A pause or freeze of its machine is SIGSTOP, a kill SIGKILL and a new
// process.  A fault at one of its requests holds that request back, and stops the process some microseconds later.
//
// Left out: clocks of client machines that step or drift (refused).  Runs are not repeatable; Pace::lateness() says how exact they are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bridge/program_host.hpp"

namespace picklock {

// From now on, in this process; runs must be played one after the other.
void play_programs_in_real_time();
bool programs_run_in_real_time();
Duration worst_lateness_in_real_time();  // the largest of all runs so far
// Starts it, and hears its greeting. Throws std::runtime_error, with what the program said.
std::unique_ptr<ProgramHost> program_in_real_time(const std::string& command,
                                                  const std::vector<ProgramServer>& servers);

}  // namespace picklock
