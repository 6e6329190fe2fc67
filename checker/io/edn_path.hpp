// Looks into a value without building it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace picklock {

// The element of the canonical form `edn` at `step`: the value of that key of a map (a keyword, a
// string or a number, spelt without colon or quotes), or the element at that position, from 0, of a
// vector or list.  A tag before it is passed over.  Nothing if there is none.
std::optional<std::string_view> element_at(std::string_view edn, std::string_view step);

// The keys of a map that are keywords or strings, spelt in the same way; of anything else none.
std::vector<std::string> keys_of(std::string_view edn);

}  // namespace picklock
