// The word that somebody who mistyped one probably meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace picklock {

// Single letters to insert, delete or replace.
std::size_t letters_apart(std::string_view a, std::string_view b);

// "; the nearest is 'client'", or nothing if no candidate shares half of its letters with `word`.
std::string nearest_hint(std::string_view word, std::span<const std::string> candidates);

}  // namespace picklock
