// Long texts in little room.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace picklock {

// The first `most` bytes at most, whole characters of UTF-8, and "…" if that is not all.
std::string shorten(std::string_view text, std::size_t most);

}  // namespace picklock
