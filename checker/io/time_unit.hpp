// Units of recorded time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace picklock {

// Nanoseconds in one "ns", "us", "ms" or "s".
std::optional<std::int64_t> time_unit_named(std::string_view name);

// A number of units, as in 12, -0.5 or 5e-05, in nanoseconds and cut off below one; nothing if it is
// none, or does not fit.  In integers: what a file says does not depend on rounding.
std::optional<std::int64_t> in_nanoseconds(std::string_view number, std::int64_t unit);

}  // namespace picklock
