// A problem of a scenario that the syntax of its file does not show.
#pragma once

#include <string>

namespace picklock {

struct ScenarioProblem {
  std::string where;     // a path into the scenario: "fault[0].on"
  std::string found;     // the text or value there
  std::string expected;  // description of the values that may stand there
  std::string nearest;   // the value that was probably meant; empty: unknown
};

}  // namespace picklock
