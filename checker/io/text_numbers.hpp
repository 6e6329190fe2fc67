// Numbers that are written as texts: Redis answers "475" where 475 was written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace picklock {

// The integer that these characters write as EDN would, and nothing of any other text ("007", "1.5", "").
std::optional<std::int64_t> integer_in(std::string_view characters);

// The canonical form `edn` with an integer in the place of each string of digits.
std::string with_numbers_for_texts(std::string_view edn);

}  // namespace picklock
