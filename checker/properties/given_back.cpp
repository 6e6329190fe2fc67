#include "checker/properties/given_back.hpp"

namespace picklock {

bool ended_unasked(const History& history, const GrantEvent& released) {
  for (const OperationEvent& e : history.operations) {
    if (e.index > released.index) break;
    const bool asks = e.type == OperationType::invoke && e.hold == released.hold;
    if (asks && role_of(history.names.view(history.functions[e.f])) == Role::release) return false;
  }
  bool believes = false;
  for (const BeliefEvent& e : history.beliefs) {
    if (e.index > released.index) break;
    if (e.hold == released.hold) believes = e.end == BeliefEnd::none;
  }
  return believes;
}

}  // namespace picklock
