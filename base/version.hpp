#pragma once

#include <string_view>

namespace picklock {

inline constexpr std::string_view kVersion = "0.1.0";  // must equal the one in CMakeLists.txt

}  // namespace picklock
