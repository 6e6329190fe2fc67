// What is wrong with a scenario, beyond what its file's syntax shows.
#pragma once

#include <string>

namespace picklock {

struct ScenarioProblem {
  std::string where;     // a path into the scenario: "fault[0].on"
  std::string found;     // what it says there
  std::string expected;  // what it might say, in words
  std::string nearest;   // what was probably meant; or nothing
};

}  // namespace picklock
