// The whole command, for a program with locks of its own:
//
//   int main(int argc, char** argv) {
//     picklock::add_lock_kind({.name = "my-lock", …});
//     return picklock::main(argc, argv);
//   }
#pragma once

#include "scenarios/file/library.hpp"

namespace picklock {

// Does what the words ask for, and gives the exit status; app/README.md lists both.
int command_line(int argc, char** argv);

// The same, with the scenarios of the installed package that the program is linked with.
inline int main(int argc, char** argv) {
#ifdef PICKLOCK_INSTALLED_SCENARIOS
  add_library_folder(PICKLOCK_INSTALLED_SCENARIOS);
#endif
  return command_line(argc, argv);
}

}  // namespace picklock
