// The files of page/, as text in the program.
#pragma once

#include <string_view>

namespace picklock {

extern const std::string_view kPageStyle, kPageParts;  // style and parts of every page
extern const std::string_view kPageScript;             // script for a checked history
extern const std::string_view kRunStyle, kRunScript;   // picture of a run, for its own page
extern const std::string_view kStepsScript;            // list of steps, legend and keys of a run, for its own page
extern const std::string_view kViewScript;             // view of one run inside another page
extern const std::string_view kRunPageScript;          // script for the page of one run
extern const std::string_view kAgainstScript;          // script for the page of two runs

}  // namespace picklock
