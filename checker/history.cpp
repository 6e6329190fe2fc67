#include "checker/history.hpp"

namespace picklock {

void History::clear() {
  names.clear();
  values.clear();
  functions.clear();
  holds.clear();
  operations.clear();
  extras.clear();
  beliefs.clear();
  grants.clear();
  effects.clear();
  processes.clear();
  phases.clear();
  omniscient = false;
}

}  // namespace picklock
