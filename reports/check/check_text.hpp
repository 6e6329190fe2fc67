// The result of a check, for a terminal.
#pragma once

#include <string>

#include "checker/models/check_file.hpp"

namespace picklock {

std::string check_text(const std::string& file, const CheckResult& result);

}  // namespace picklock
