// The whole command, for a program with locks of its own:
//
//   int main(int argc, char** argv) {
//     picklock::add_lock_kind({.name = "my-lock", …});
//     return picklock::main(argc, argv, "build/my_lock");
//   }
#pragma once

#include <string_view>

#include "base/command_name.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {

// Does what the words ask for, and gives the exit status; app/README.md lists both.
int command_line(int argc, char** argv);

// The same, with the scenarios of the installed package that the program is linked with.  Lines that repeat a run call
// the program by this name.
inline int main(int argc, char** argv, std::string_view name = "picklock") {
  set_program_name(name);
#ifdef PICKLOCK_INSTALLED_SCENARIOS
  add_library_folder(PICKLOCK_INSTALLED_SCENARIOS);
#endif
  return command_line(argc, argv);
}

}  // namespace picklock
