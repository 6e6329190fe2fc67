// The name by which a user calls the running command: in every line that repeats a run.
#pragma once

#include <string>
#include <string_view>

namespace picklock {

const std::string& program_name();  // "picklock" unless a program with locks of its own has set it
// Call it at the start of main.
void set_program_name(std::string_view name);

}  // namespace picklock
