// Ownership rules: how a service's judge tells which hold owns a lock.
//
// A lock kind names its rule; the service of the lock has the table of those that its judge knows.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/check.hpp"

namespace picklock {

struct OwnershipRule {
  std::string_view name;   // "redis-key", as in LockKind::ownership
  std::string_view owner;  // owner in words, for the table of locks
  // The judge knows a read hold from the write hold within which the same client took it.
  bool separates_nested_readers = false;
  bool of_data = false;  // true: it reads leases out of data: LockKind::data_lease says how
  // Nothing ends a hold when its time is over: it stays named until another client writes over it, which it may from then on.
  bool ends_untold = false;
};

inline const OwnershipRule* find_rule(std::span<const OwnershipRule> rules, std::string_view name) {
  for (const OwnershipRule& r : rules) {
    if (r.name == name) return &r;
  }
  return nullptr;
}

// The rule with this value, from a table in the order of the enumerators.
template <class Enum>
Enum rule_of(std::span<const OwnershipRule> rules, std::string_view name) {
  const OwnershipRule* const found = find_rule(rules, name);
  PICKLOCK_CHECK(found != nullptr);
  return static_cast<Enum>(found - rules.data());
}

}  // namespace picklock
