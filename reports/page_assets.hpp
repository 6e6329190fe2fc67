// The files of page/, as text in the program.
#pragma once

#include <string_view>

namespace picklock {

extern const std::string_view kPageStyle, kPageScript;  // of a checked history
extern const std::string_view kRunStyle, kRunScript;    // of a run, beside kPageStyle

}  // namespace picklock
