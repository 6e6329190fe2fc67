// The ownership rules of each service, by its name.
#pragma once

#include <span>
#include <string_view>

#include "recording/ownership.hpp"

namespace picklock {

std::span<const std::string_view> services_with_rules();
// Empty if there is no such service.
std::span<const OwnershipRule> ownership_rules(std::string_view service);

}  // namespace picklock
