// SHA-1, as Redis names scripts by it.  Not for security.
#pragma once

#include <string>
#include <string_view>

namespace picklock {

// The digest in 40 hexadecimal digits.
std::string sha1_hex(std::string_view text);

}  // namespace picklock
