// Canonical EDN as JSON; what JSON cannot say becomes {"$edn": "…"}.
//
// JSON has no keywords, sets, lists, characters, symbols or tags, no keys but strings, and no integers beyond 64 bits.  A
// keyword is a string that begins with a colon.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace picklock {

nlohmann::ordered_json json_of(std::string_view canonical_edn);

}  // namespace picklock
