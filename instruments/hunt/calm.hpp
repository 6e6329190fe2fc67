// Calm draws: laws of a scenario that are replaced by their median, so that a counterexample hangs on its faults and not on chance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/file/scenario.hpp"

namespace picklock {

// Half of the values that the law draws are not above it. Of a table: its calm value.
std::int64_t median_of(const Law& law);

// Parts of a scenario that draw how long something takes.
enum class DrawnPart : std::uint8_t { latency, clients, lock };
inline constexpr DrawnPart kDrawnParts[] = {DrawnPart::latency, DrawnPart::clients, DrawnPart::lock};

// The scenario with constants for the laws of this part.
Scenario calmed(Scenario scenario, DrawnPart part);
// Those that still draw: "latency", "clients", "lock".
std::vector<std::string> drawn_parts(const Scenario& scenario);

}  // namespace picklock
