#include "checker/properties/named_owner.hpp"

namespace picklock {

bool is_named_owner(const History& history, HoldId hold, std::uint32_t index) {
  bool named = false;
  for (const GrantEvent& e : history.grants) {
    if (e.index > index) break;
    if (e.hold != hold) continue;
    if (e.change == GrantChange::begin || e.change == GrantChange::extend) named = true;
    if (e.change == GrantChange::end) named = false;
  }
  return named;
}

}  // namespace picklock
