// Families of locks: the sources from which algorithms come, in the order in which `picklock list locks` shows them.
#pragma once

#include <span>
#include <string_view>

#include "algorithms/lock.hpp"

namespace picklock {

struct LockFamily {
  std::string_view name, summary;
  std::span<const LockKind> (*kinds)();
};

std::span<const LockFamily> lock_families();

// The result is null if a program has added the lock.
const LockFamily* family_of(std::string_view lock_name);

}  // namespace picklock
