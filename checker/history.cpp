#include "checker/history.hpp"

namespace picklock {

Role role_of(std::string_view function) {
  if (function == "acquire" || function == "acquire-read" || function == "lock") return Role::acquire;
  if (function == "release" || function == "release-read" || function == "unlock") return Role::release;
  if (function == "extend" || function == "renew" || function == "refresh") return Role::extend;
  if (function == "read") return Role::read;
  if (function == "add" || function == "append") return Role::add;
  return Role::other;
}

void History::clear() {
  names.clear();
  functions.clear();
  roles.clear();
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
