#include "checker/history.hpp"

namespace picklock {

void History::clear() {
  names.clear();
  functions.clear();
  clear_records();
}

void History::clear_records() {
  values.clear();
  holds.clear();
  operations.clear();
  extras.clear();
  beliefs.clear();
  grants.clear();
  effects.clear();
  processes.clear();
  phases.clear();
  omniscient = sound = false;
}

}  // namespace picklock
