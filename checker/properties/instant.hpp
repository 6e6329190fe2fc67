// The instant at which the violation of a finding is complete.
#pragma once

#include <cstdint>
#include <optional>

#include "checker/properties/finding.hpp"

namespace picklock {

// True time, ns, of the last of the witness's records; ends of beliefs do not count, as two clients are in from the second
// beginning on. Of several violations, a witness shows the first. Nothing if the finding names no record.
std::optional<std::int64_t> instant_of(const Finding& finding, const History& history);

}  // namespace picklock
