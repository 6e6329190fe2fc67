#pragma once

#include <string_view>

#include "checker/io/record_reader.hpp"

namespace picklock {

// Reads, judges, writes and reads again; aborts if anything but a ReadError stands in the way.
void fuzz_history(std::string_view text, Format format);

}  // namespace picklock
