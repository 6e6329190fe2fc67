// Programs of the user's as locks: which of them the command line lets start.
#pragma once

#include <CLI/CLI.hpp>

#include "bridge/program_locks.hpp"

namespace picklock {

// A command that is typed as the value of this option may be started.
inline CLI::Option* allow_typed_programs(CLI::Option* option) {
  return option->each([](const std::string& value) { allow_program(value); });
}

// --allow-program, for scenario files and kept findings whose lock is a program.
inline void add_allow_program(CLI::App& app) {
  app.add_flag_callback(
      "--allow-program", allow_all_programs,
      "starts the programs that scenario files name as locks; without it only those of --lock are started");
}

}  // namespace picklock
