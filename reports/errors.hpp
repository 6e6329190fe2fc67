// Errors of many runs, each told once: one mistake in a lock's code ends every run alike.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace picklock {

// `what` names the keys: seeds or plans.  "seed 1: …", "seed 1, and others: …"; a line for each that differs.
std::string errors_told_once(const std::map<std::uint64_t, std::string>& errors, std::string_view what);

}  // namespace picklock
