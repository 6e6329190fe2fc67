// A checked history as one HTML page that needs nothing else: no network, no further file.
//
// The history is drawn on a canvas, a lane per process, to be zoomed and panned by mouse and by
// keyboard; beside it stands the explanation, which also reads without a script. The page's own
// Content-Security-Policy forbids it to load anything. Whatever stands in the history, in names or in values, is
// shown as text.
#pragma once

#include <string>

#include "checker/models/check_file.hpp"

namespace picklock {

// `history` is the one that was checked: its operations are drawn.
std::string check_page(const std::string& file, const CheckResult& result, const History& history);

}  // namespace picklock
