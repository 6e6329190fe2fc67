#include "bridge/program_pool.hpp"

#include <stdexcept>
#include <vector>

#include "bridge/real_time.hpp"
#include "bridge/turn_host.hpp"

namespace picklock {
namespace {

std::vector<std::unique_ptr<ProgramHost>>& idle() {
  static thread_local std::vector<std::unique_ptr<ProgramHost>> all;
  return all;
}

}  // namespace

std::unique_ptr<ProgramHost> take_program(const std::string& command, const std::vector<ProgramServer>& servers) {
  if (programs_run_in_real_time()) return program_in_real_time(command, servers);
  for (auto& program : idle()) {
    if (program->command() != command || program->servers() != servers) continue;
    auto taken = std::move(program);
    std::swap(program, idle().back());
    idle().pop_back();
    return taken;
  }
  return std::make_unique<TurnHost>(command, servers);
}

void give_back(std::unique_ptr<ProgramHost> program) {
  try {
    program->end_run();
  } catch (const std::runtime_error&) {
    return;  // it does not end its run: it is ended itself
  }
  if (!program->is_used_up()) idle().push_back(std::move(program));
}

}  // namespace picklock
