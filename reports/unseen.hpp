// A warning in words: the service never named an owner of a lock that a client believed to hold.
#pragma once

#include <string>

#include "scenarios/file/scenario.hpp"
#include "scenarios/run/unseen_owners.hpp"

namespace picklock {

// Names the keys that the ownership rule looks at, and those that clients wrote.  Empty if there is nothing to warn of.
// `runs`: how many were looked at.
std::string unseen_warning(const Scenario& scenario, const UnseenOwners& unseen, std::uint64_t runs = 1);

}  // namespace picklock
