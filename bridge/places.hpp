// Where the parts lie that picklock gives to programs of the user's: the library of virtual time, the packages for languages.
#pragma once

#include <string>

namespace picklock {

std::string virtual_time_library();  // a shared library
// A folder with one folder for each language: $PICKLOCK_PROGRAMS, ../share/picklock/programs from the program's own folder, or that
// of the build.
std::string program_packages();

}  // namespace picklock
