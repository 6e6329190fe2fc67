// Shows why a history is invalid, as a graph for Graphviz.
#pragma once

#include <string>

#include "checker/models/check_file.hpp"

namespace picklock {

// The operations of the witness and what must come before what, the shortest contradiction marked;
// of a general model the end of the longest partial linearization and the operation that has no
// place.  The graph is empty if the history is valid or undecided.
std::string check_dot(const CheckResult& result);

}  // namespace picklock
