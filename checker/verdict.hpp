// The verdict of a property on a run, or of a model on a history.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace picklock {

// A model never answers not_applicable.
enum class Verdict : std::uint8_t { holds, violated, undecided, not_applicable };
inline constexpr std::size_t kVerdictCount = 4;

std::string_view name(Verdict verdict);  // name in scenarios and reports: "not-applicable"

}  // namespace picklock
