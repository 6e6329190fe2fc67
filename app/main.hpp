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

// pkg-config tells the folder of the scenarios without quotes, which no shell would leave as they are.
#define PICKLOCK_AS_TEXT(name) #name
#define PICKLOCK_TEXT_OF(name) PICKLOCK_AS_TEXT(name)

namespace picklock {

// Does what the words ask for, and gives the exit status; app/README.md lists both.
int command_line(int argc, char** argv);

// Also offers the scenarios of the installed package that the program is linked with.  Lines that repeat a run call
// the program by this name.
inline int main(int argc, char** argv, std::string_view name = "picklock") {
  set_program_name(name);
#if defined(PICKLOCK_INSTALLED_SCENARIOS)
  add_library_folder(PICKLOCK_INSTALLED_SCENARIOS);
#elif defined(PICKLOCK_SCENARIOS_AT)
  add_library_folder(PICKLOCK_TEXT_OF(PICKLOCK_SCENARIOS_AT));
#endif
  return command_line(argc, argv);
}

}  // namespace picklock
