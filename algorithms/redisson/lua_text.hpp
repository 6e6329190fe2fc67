// A script's Lua text, of parts of which some belong to other scripts too: put together by the compiler.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace picklock {

// The parts are constants of namespace scope: kLuaText<kFunctions, kWhatItDoes>.data() ends in a zero.
template <const std::string_view&... Parts>
inline constexpr auto kLuaText = [] {
  std::array<char, (Parts.size() + ... + 1)> text{};
  char* end = text.data();
  ((end = std::copy(Parts.begin(), Parts.end(), end)), ...);
  return text;
}();

}  // namespace picklock
