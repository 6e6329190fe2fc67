// The random names by which libraries find what they have created after its answer was lost.
#pragma once

#include <string>

#include "sim/task/host.hpp"

namespace picklock {

std::string random_guid_hex(const Host& host);  // 32 hexadecimal digits
std::string random_uuid(const Host& host);      // the same with dashes: 8-4-4-4-12

}  // namespace picklock
