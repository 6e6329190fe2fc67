// Nearest names: the candidate that a mistyped name resembles most.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace picklock {

// The candidate that differs least from `text` by inserted, missing, wrong and swapped letters.
// Case is ignored, and `_` equals `-`.  A candidate that begins with `text` counts as near.
// A tie goes to the earlier candidate.  Empty if no candidate is near enough to be worth a question.
std::optional<std::string_view> nearest_name(std::string_view text, std::span<const std::string_view> candidates);
std::optional<std::string_view> nearest_name(std::string_view text, std::span<const std::string> candidates);

// "; did you mean 'hold'?" for the end of an error, or nothing.
std::string did_you_mean(std::string_view text, std::span<const std::string> candidates);

// The number of single letters to insert, delete, replace, or swap with a neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace picklock
