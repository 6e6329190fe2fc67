// Lock kinds made from programs: bridge/README.md tells what a program says and hears.
#pragma once

#include <string>
#include <string_view>

namespace picklock {

// From now on a lock may be a command, such as "python3 my_lock.py": see algorithms/lock_files.hpp.
void open_program_locks();
// Lets this command be started, or any. Without it none is: no scenario file and no kept finding starts a program by itself.
void allow_program(std::string_view command);
void allow_all_programs();

}  // namespace picklock
