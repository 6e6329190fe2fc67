// Times of day as ISO 8601 writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace picklock {

// Nanoseconds since 1970-01-01T00:00:00Z, cut off below one; nothing if the text is no such time or lies outside of the
// years 1678 to 2261.
//
//   2024-05-01T12:00:00.123456Z   20240501T120000+0200   2024-05-01 12:00:00,5   2024-05-01T12:00
//
// A blank may stand for the T and a comma for the point.  Without a zone the time is taken for UTC; seconds may be 60.
std::optional<std::int64_t> iso_time(std::string_view text);

// Text in UTC, with as many digits behind the point as it takes; iso_time gives it back.
std::string iso_text(std::int64_t nanoseconds);

}  // namespace picklock
