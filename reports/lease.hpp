// The lease of a scenario's lock, as its options have it.
#pragma once

#include <optional>

#include "scenarios/file/scenario.hpp"

namespace picklock {

// Nothing for a lock without a lease.
std::optional<Duration> lease_of(const LockSpec& lock);

}  // namespace picklock
