// Looks into a value without building it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace picklock {

// The element of the canonical form `edn` at `step`: the value of that key of a map (a keyword, a
// string or a number, spelt without colon or quotes), or the element at that position, from 0, of a
// vector or list.  A tag before it is passed over.  Empty if it has no such path.
std::optional<std::string_view> element_at(std::string_view edn, std::string_view step);

// The rest of `edn` without the element at `path`, whose steps are separated by dots: of a vector or list of two
// elements the other one, of any other vector or list, and of a map, the rest.  Nothing if there is no such element.
std::optional<std::string> without_element(std::string_view edn, std::string_view path);

// The elements of a vector or list that has two; nothing of any other form.
std::optional<std::pair<std::string_view, std::string_view>> pair_in(std::string_view edn);

// The keys of a map that are keywords or strings, spelt in the same way; of anything else none.
std::vector<std::string> keys_of(std::string_view edn);

}  // namespace picklock
