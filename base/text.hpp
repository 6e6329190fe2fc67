// Durations and laws as text: in scenarios, on the command line, in reports.
//
//   duration   "250ms"  "1.5s"  "-3us"  "2min"  "1h"  "7ns"        (exact; no more than 9 decimals)
//   law        a duration, or
//              "5ms..10ms"                  uniform, both ends included
//              "exp(10ms, cap 1s)"          exponential with this mean
//              "pareto(1ms, 1.5, cap 90s)"  heavy-tailed: least value, exponent
//              "1ms:99 | 90s:1"             one of these, by weight; the first is the calm one
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/law.hpp"
#include "base/time.hpp"

namespace picklock {

std::optional<Duration> parse_duration(std::string_view text);
// True if the text has the form of a duration, and is longer than kForever, the longest that a run can count with.
bool is_too_long_a_duration(std::string_view text);
std::string to_text(Duration d);  // the shortest exact form; parse_duration gives it back

std::optional<Law> parse_duration_law(std::string_view text);
std::string to_text(const Law& law);  // text of a law of durations

// For people: at most three decimals of the unit that fits ("57.3 ms").
std::string to_readable(Duration d);

}  // namespace picklock
