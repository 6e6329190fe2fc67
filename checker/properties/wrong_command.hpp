// The common part of wrong release and wrong renewal: a command of one hold that changed the ownership of
// another.  The recorder knows the provenance of each command and marks it; a declared force it
// records as such.
#pragma once

#include <string>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

Finding count_wrong_commands(const History& history, const Scratch& scratch, GrantChange kind);
std::string explain_wrong_command(const Finding& finding, const History& history,
                                  const std::string& did);  // "ended", "extended"

}  // namespace picklock
