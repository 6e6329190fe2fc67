// UTF-8: checking bytes, and writing one code point.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace picklock {

bool valid_utf8(std::string_view text);  // no surrogates, no overlong forms, at most U+10FFFF

void append_utf8(std::string& out, std::uint32_t code_point);

}  // namespace picklock
