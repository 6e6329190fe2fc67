// The files of page/, as text in the program.
#pragma once

#include <string_view>

namespace picklock {

extern const std::string_view kPageStyle, kPageParts;  // of every page
extern const std::string_view kPageScript;             // of a checked history
extern const std::string_view kRunStyle, kRunScript;   // of a run: the picture, for pages of their own
extern const std::string_view kStepsScript;            // of a run: list of steps, legend and keys, for the same
extern const std::string_view kViewScript;             // of one run in its place on a page
extern const std::string_view kRunPageScript;          // of the page of one run
extern const std::string_view kAgainstScript;          // of the page of two runs

}  // namespace picklock
