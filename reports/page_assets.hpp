// The files of page/, as text in the program.
#pragma once

#include <string_view>

namespace picklock {

extern const std::string_view kPageStyle, kPageScript;

}  // namespace picklock
