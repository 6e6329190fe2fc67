// The little of UTF-8 that the readers and writers need.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace picklock {

bool valid_utf8(std::string_view text);  // no surrogates, no overlong forms, at most U+10FFFF

void append_utf8(std::string& out, std::uint32_t code_point);

}  // namespace picklock
